// SPDX-License-Identifier: Apache-2.0
// What is done with lists as a whole: whether they are sound, other numbers within them, and which of them are equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"

namespace linpoint::histories {

/// Whether each list is one run of tokens and no more, as its headers say.
bool sound(const Lists& lists);

/// The same columns with other numbers for values, keys and what is in lists among them. Every number must have one.
Columns with_values(Columns columns, std::span<const std::int32_t> numbers);

/// The same columns, but the arguments and results that `slots` names are lists: by number the list, or -1. All results
/// and arguments must have a slot. Keys stay as they are.
Columns with_lists(Columns columns, std::span<const std::int32_t> slots, Lists lists);

/// Columns without lists: they have numbers from `scalars` on, and equal ones share theirs.
struct Equated {
  Columns columns;
  std::vector<std::int32_t> lists;  // the first list that has each of those numbers
};

/// Give equal lists the same number. Two objects are equal if their entries are, whatever their order.
/// Cost: O(size of all lists), and the memory of the columns and a word a list; lists are not copied, but for objects
/// whose names are not in order of their numbers.
Equated equate(const Columns& columns, std::int32_t scalars);

}  // namespace linpoint::histories
