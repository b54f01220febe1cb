// SPDX-License-Identifier: Apache-2.0
// Explanations of failed operations, and which of them are incompatible.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "linpoint/graphs/precedence.hpp"
#include "linpoint/search/stop_token.hpp"

namespace linpoint::graphs {

/// One explanation of a failed operation: it came before the version that it expected was written, or after that
/// version was replaced, possibly by an operation that is kept only for this explanation.
struct Option {
  std::int32_t cell;                     // of the failed operation; it identifies the version
  bool before;                           // before it was written
  std::int32_t kept = histories::kNone;  // an operation with an unknown outcome
};

/// A choice for an operation: the number of an option.
struct Literal {
  std::int32_t operation;
  std::int32_t option;
  friend bool operator==(const Literal&, const Literal&) = default;
};

/// Incompatible choices, with the reason.
struct Nogood {
  std::vector<Literal> literals;
  Contradiction contradiction;
};

/// Finds compatible choices: unit propagation, and decisions with backtracking. If every operation has two options and
/// nogoods have at most two literals (2-SAT), a decision that propagates without conflict is final, so that the work is
/// polynomial.
class Chooser {
 public:
  enum class Answer : std::uint8_t { kFound, kImpossible, kTooMany };

  /// Declares the number of options of an operation; all operations that occur in nogoods must be declared.
  void declare(std::int32_t operation, std::int32_t options, std::int32_t preferred);
  void forbid(const std::vector<Literal>& literals);
  Answer solve(search::StopToken& stop);
  /// The choice for a declared operation, after `solve`.
  [[nodiscard]] std::int32_t choice(std::int32_t operation) const { return variables_[variable_.at(operation)].choice; }

 private:
  struct Variable {
    std::int32_t operation;
    std::int32_t preferred;
    std::int32_t choice = histories::kNone;
    std::int32_t left = 0;                     // number of options that are not forbidden
    std::vector<std::int32_t> forbidden;       // by how many nogoods each option is forbidden
    std::vector<std::vector<std::size_t>> in;  // nogoods in which each option occurs
  };
  struct Change {
    std::size_t variable;
    std::int32_t option;  // that was forbidden; kNone: the variable was set
  };
  bool set(std::size_t variable, std::int32_t option);
  bool exclude(std::size_t variable, std::int32_t option);
  bool propagate();
  bool check(std::size_t nogood);
  void undo(std::size_t size);
  [[nodiscard]] std::size_t next(std::size_t from) const;
  [[nodiscard]] static std::vector<std::int32_t> candidates(const Variable& variable);

  std::vector<Variable> variables_;
  std::unordered_map<std::int32_t, std::size_t> variable_;
  std::vector<std::vector<Literal>> nogoods_;
  std::vector<Change> trail_;
  std::vector<std::size_t> units_;  // variables that were set and must be propagated
  bool binary_ = true;
};

}  // namespace linpoint::graphs
