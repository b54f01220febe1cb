// SPDX-License-Identifier: Apache-2.0
// Operations on a memory of words in the form that graphs and replays use; a register is a single word.
#pragma once

#include <cstdint>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/specs/native_machine.hpp"
#include "specs/native_operation.hpp"

namespace linpoint::specs {

/// The effect of an operation on its cells.
enum class Effect : std::uint8_t {
  kNothing,     // it may be left out: what it observed is unknown
  kSees,        // each word holds `seen`
  kReplaces,    // and is set to `fresh`
  kFails,       // at least one word does not hold `seen`; nothing changes
  kMayReplace,  // its outcome is unknown: nothing, or like kReplaces
  kMaySwap,     // its outcome is unknown: nothing, or each word is set to `fresh`, whatever it held
  kWrites,      // each word is set to `fresh`, whatever it held
  kUnobserved,  // it returned, but its result is unknown
  kImpossible,  // its result is one that the spec never returns
  kUnclear,     // its arguments or results have an unsupported shape
};

/// Numbers of values; kAny if there is none.
struct Cell {
  std::int32_t word;
  std::int32_t seen;
  std::int32_t fresh;
};

/// The only word of a register.
inline constexpr std::int32_t kTheWord = 0;

class Words {
 public:
  Words(const histories::Columns& columns, const Blueprint& blueprint);

  /// Reads the operation at `position`; its cells replace those in `cells`.
  Effect read(std::size_t position, std::vector<Cell>& cells) const;

  /// Whether the arguments of an operation are lists of cells as the spec requires.
  [[nodiscard]] bool fits(std::size_t position, std::vector<Cell>& cells) const;

 private:
  enum class Kind : std::uint8_t { kRead, kCas, kSwap, kWrite, kOther };
  [[nodiscard]] static std::size_t width(Kind kind);
  bool read_cells(std::size_t position, Kind kind, std::vector<Cell>& cells) const;
  Effect of_register(std::size_t position, std::vector<Cell>& cells) const;
  Effect of_cas(std::size_t position, std::vector<Cell>& cells) const;
  Effect seen_values(std::size_t position, std::vector<Cell>& cells) const;

  const histories::Columns& columns_;
  const Blueprint& blueprint_;
  bool register_;
  Compiler compiler_;
  std::vector<Kind> kinds_;  // of each name
};

}  // namespace linpoint::specs
