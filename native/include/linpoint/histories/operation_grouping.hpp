// SPDX-License-Identifier: Apache-2.0
// Which operations are equivalent, which belong to one object, and whether the columns are well-formed. Cost: O(n),
// except for `well_formed` and `overlaps`, which sort.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"

namespace linpoint::histories {

/// What distinguishes two operations; the name always does.
struct Likeness {
  bool arity = false;
  bool arguments = false;
  bool result = false;  // of certain operations; an operation without one differs from all that have one
  bool process = false;
  bool key = false;
};

/// A class for each operation, numbered in order of appearance, and the first operation of each class.
struct Classes {
  std::vector<std::int32_t> of;
  std::vector<std::int32_t> first;
};

/// `names` maps each name to the one it stands for, such as an alias.
Classes classify(const Columns& columns, std::span<const std::int32_t> names, const Likeness& likeness);

/// The classes of operations with equal names and arguments, made from `exact`, whose operations also have equal
/// results: only one operation of each class is read.
Classes ignoring_results(const Columns& columns, std::span<const std::int32_t> names, const Classes& exact);

/// Classes by the object of an operation: its key, or else (`key_argument`) its first argument.
Classes by_object(const Columns& columns, bool key_argument);

/// Classes by the first argument. Every operation must have one.
Classes by_first_argument(const Columns& columns);

/// The given positions by class, classes in order of appearance.
std::vector<std::vector<std::int32_t>> split(std::span<const std::int32_t> positions, const Classes& classes);

/// Whether every process is sequential, no operation returns before its call, every certain operation returns and spans
/// no crash of its process, and keys are given for all operations or for none.
bool well_formed(const Columns& columns);

/// Whether any two operations that may have taken effect were concurrent.
bool overlaps(const Columns& columns);

}  // namespace linpoint::histories
