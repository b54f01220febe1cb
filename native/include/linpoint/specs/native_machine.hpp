// SPDX-License-Identifier: Apache-2.0
// Step functions of frequently used built-in specs, equivalent to those in Python. Each covers one object: one key of a
// map or set.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/specs/integer_spec.hpp"

namespace linpoint::specs {

/// Values whose meaning the steps must know.
struct Constants {
  std::int32_t null;
  std::int32_t yes;
  std::int32_t no;
};

/// Stands for a value that is not an integer of 64 bits.
inline constexpr std::int64_t kNoInteger = std::numeric_limits<std::int64_t>::min();

/// The parameters of a native machine.
struct Blueprint {
  /// register, map, queue, stack, deque, priority-queue, set, multiset, counter, fetch-add, mutex, semaphore or
  /// (without steps) mwcas.
  std::string kind;
  /// The spec's name for each name in the history, such as "try-acquire".
  std::vector<std::string> names;
  Constants constants;
  /// The key is the first argument of operations without a key of their own.
  bool key_argument = false;
  /// The capacity of a queue in items; none: unbounded.
  std::optional<std::int64_t> capacity;
  /// For values that are integers (and fit): the integer, else kNoInteger. Needed for counters and multisets and, with
  /// numbers that order values as the spec does, for priority queues.
  std::vector<std::int64_t> integers;
  /// For values that are strings: the string. Needed only for maps with append.
  std::vector<std::optional<std::string>> strings;
  /// The number of "at", which names the word that a failed multi-word compare-and-swap reports; -1 if no operation
  /// reports it.
  std::int32_t at = histories::kNone;
  /// The number of distinct values; needed for a memory of words, where there are many.
  std::int32_t values = 0;
};

/// A machine that accepts initial states from outside.
class NativeMachine : public Machine {
 public:
  using Machine::Machine;
  /// The state with this content: values for a register, map entry, set, queue, stack or priority queue; a number for a
  /// counter, a semaphore, an element of a multiset (which may be absent) or a mutex (1 when held).
  [[nodiscard]] virtual State state(std::span<const std::int64_t> content) const = 0;
};

/// The machine for the operations that `exact` and `loose` name by their first occurrences: symbols are numbered
/// through `exact`, then through `loose`. Null if the native steps do not cover them, for example a counter with
/// fractions.
std::unique_ptr<NativeMachine> native_machine(const histories::Columns& columns, const Blueprint& blueprint,
                                              std::span<const std::int32_t> exact, std::span<const std::int32_t> loose);

}  // namespace linpoint::specs
