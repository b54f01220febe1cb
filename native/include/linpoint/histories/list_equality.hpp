// SPDX-License-Identifier: Apache-2.0
// Operations on lists as a whole: whether they are valid, renumbering their items, and which of them are equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"

namespace linpoint::histories {

/// Whether each list is exactly one run of tokens, as its headers state.
bool sound(const Lists& lists);

/// The same columns with other numbers for values, keys and the items of lists. Every number must have a new one.
Columns with_values(Columns columns, std::span<const std::int32_t> numbers);

/// The same columns, except that the arguments and results named in `slots` are lists: by number the list, or -1. All
/// results and arguments must have a slot. Keys stay unchanged.
Columns with_lists(Columns columns, std::span<const std::int32_t> slots, Lists lists);

/// Columns without lists: lists have numbers from `scalars` on, and equal lists share a number.
struct Equated {
  Columns columns;
  std::vector<std::int32_t> lists;  // the first list that has each of these numbers
};

/// Gives equal lists the same number. Two objects are equal if their entries are, in any order. Cost: O(size of all
/// lists), and the memory of the columns plus one word per list. Lists are not copied, except for objects whose names
/// are not in the order of their numbers.
Equated equate(const Columns& columns, std::int32_t scalars);

}  // namespace linpoint::histories
