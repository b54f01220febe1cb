// SPDX-License-Identifier: Apache-2.0
// An operation of a built-in spec in the form in which native steps take it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "linpoint/specs/native_machine.hpp"

namespace linpoint::specs {

enum class Code : std::uint8_t {
  kImpossible,  // its recorded result is one that the spec never gives
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
  kPop,
  kTop,
  kCount,
  kReadCount,
};

/// Any result is allowed.
inline constexpr std::int32_t kAny = -1;

/// Stands for every value that no operation looks for.
inline constexpr std::int32_t kUnseen = std::numeric_limits<std::int32_t>::max() - 1;

struct Instruction {
  Code code = Code::kImpossible;
  std::int32_t first = kAny;  // arguments
  std::int32_t second = kAny;
  std::int32_t want = kAny;  // the recorded result
  std::int64_t amount = 0;   // of a counter: what is added, or the number wanted

  [[nodiscard]] bool allows(std::int32_t given) const { return want == kAny || want == given; }
};

/// The operation at `position`; with any result if `loose`. None where native steps do not know it.
std::optional<Instruction> compile(const histories::Columns& columns, const Blueprint& blueprint, std::size_t position,
                                   bool loose);

}  // namespace linpoint::specs
