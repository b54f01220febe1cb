// SPDX-License-Identifier: Apache-2.0
// Operations on a memory of words in the form in which graphs and replays take them; a register is one word.
#pragma once

#include <cstdint>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/specs/native_machine.hpp"
#include "specs/native_operation.hpp"

namespace linpoint::specs {

/// What an operation does with its cells.
enum class Effect : std::uint8_t {
  kNothing,     // it may be left out: nobody knows what it saw
  kSees,        // each word holds `seen`
  kReplaces,    // and is set to `fresh`
  kFails,       // at least one word does not hold `seen`; nothing changes
  kMayReplace,  // its outcome is unknown: nothing, or as kReplaces
  kMaySwap,     // its outcome is unknown: nothing, or each word is set to `fresh`, whatever it held
  kWrites,      // each word is set to `fresh`, whatever it held
  kUnobserved,  // it returned, but not what it did
  kImpossible,  // its result is one that the spec never gives
  kUnclear,     // its arguments or results are of a shape that is not looked at here
};

/// Numbers of values; kAny where there is none.
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

  /// The operation at `position`, whose cells replace those that are in `cells`.
  Effect read(std::size_t position, std::vector<Cell>& cells) const;

  /// Whether the arguments of an operation are lists of cells as the spec wants them.
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
