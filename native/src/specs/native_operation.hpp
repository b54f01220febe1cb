// SPDX-License-Identifier: Apache-2.0
// An operation of a built-in spec in the form that native steps use.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "linpoint/specs/native_machine.hpp"

namespace linpoint::specs {

enum class Code : std::uint8_t {
  kImpossible,  // its recorded result is one that the spec never returns
  kRead,
  kWrite,
  kCas,
  kSwap,
  kGet,
  kPut,
  kInsert,
  kDelete,
  kAppend,
  kCasEntry,
  kContains,
  kAdd,
  kRemove,
  kHas,
  kAcquire,
  kRelease,
  kTryAcquire,
  kEnqueue,
  kDequeue,
  kFront,
  kPush,
  kPushFront,
  kPop,
  kTop,
  kCount,
  kReadCount,
  kFetchAdd,
};

/// Any result is allowed.
inline constexpr std::int32_t kAny = -1;

/// Stands for every value that no operation observes.
inline constexpr std::int32_t kUnseen = std::numeric_limits<std::int32_t>::max() - 1;

struct Instruction {
  Code code = Code::kImpossible;
  std::int32_t first = kAny;  // arguments
  std::int32_t second = kAny;
  std::int32_t want = kAny;  // the recorded result
  std::int64_t amount = 0;   // of a counter: what is added
  std::int64_t wanted = 0;   // of a counter: the number read, if `want` says that there is one

  [[nodiscard]] bool allows(std::int32_t given) const { return want == kAny || want == given; }
};

/// A set of value numbers, which are small.
class ValueSet {
 public:
  void insert(std::int32_t value) {
    if (value < 0) return;  // any
    if (static_cast<std::size_t>(value) >= in_.size()) in_.resize(2 * static_cast<std::size_t>(value) + 1);
    in_[static_cast<std::size_t>(value)] = true;
  }
  [[nodiscard]] bool contains(std::int32_t value) const {
    return value >= 0 && static_cast<std::size_t>(value) < in_.size() && in_[static_cast<std::size_t>(value)];
  }

 private:
  std::vector<bool> in_;
};

/// Compiles operations to instructions.
class Compiler {
 public:
  Compiler(const histories::Columns& columns, const Blueprint& blueprint);

  /// The operation at `position`; with any result if `loose`. None if native steps do not support it.
  [[nodiscard]] std::optional<Instruction> compile(std::size_t position, bool loose) const;

 private:
  const histories::Columns& columns_;
  const Blueprint& blueprint_;
  std::int64_t most_added_;            // by one step of a counter
  std::vector<std::int32_t> entries_;  // of each name: index into the table of steps
};

}  // namespace linpoint::specs
