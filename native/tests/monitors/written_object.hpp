// SPDX-License-Identifier: Apache-2.0
// One object of a native spec whose operations are written by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linpoint/specs/native_machine.hpp"
#include "tests/histories/written_histories.hpp"
#include "tests/specs/machine_values.hpp"

namespace linpoint::tests {

using search::StopToken;
using specs::Blueprint;
using specs::native_machine;
using specs::NativeMachine;
using specs::State;
using specs::Symbol;
using specs::Trait;

/// One object of some kind; operations are written by name, and each is a symbol of its own.
class Object {
 public:
  explicit Object(const std::string& kind) : blueprint_(blueprint_of(kind, {})) {}

  Blueprint& blueprint() { return blueprint_; }

  /// The symbol of an operation with this result.
  Symbol op(std::string_view name, std::vector<std::int32_t> args, std::int32_t result) {
    ops_.push_back({.ret = 0, .name = number(name), .args = std::move(args), .result = result});
    exact_.push_back(static_cast<std::int32_t>(ops_.size()) - 1);
    return static_cast<Symbol>(exact_.size()) - 1;
  }

  /// The same whatever it returned: the symbols of these come behind all others, so this says how far behind.
  Symbol any(std::string_view name, std::vector<std::int32_t> args) {
    ops_.push_back({.outcome = Outcome::kUnknown, .name = number(name), .args = std::move(args)});
    loose_.push_back(static_cast<std::int32_t>(ops_.size()) - 1);
    return -static_cast<Symbol>(loose_.size());
  }

  /// Whether native steps cover the operations; then they can be taken.
  bool make() {
    machine_ = native_machine(columns_of(ops_), blueprint_, exact_, loose_);
    if (machine_ != nullptr) steps_ = machine_->steps(stop_);
    return machine_ != nullptr;
  }

  [[nodiscard]] State state(const std::vector<std::int64_t>& content) const { return machine_->state(content); }
  [[nodiscard]] const Trait& trait(Symbol symbol) const { return machine_->trait(behind(symbol)); }

  /// The state after a symbol; kRejected if there is none.
  State after(State state, Symbol symbol) {
    const auto states = steps_->step(state, behind(symbol));
    return states.empty() ? kRejected : states.front();
  }

  /// Whether the spec allows these, one after the other.
  bool allows(State state, const std::vector<Symbol>& symbols) {
    for (const Symbol symbol : symbols) {
      state = after(state, symbol);
      if (state == kRejected) return false;
    }
    return true;
  }

  static constexpr State kRejected = -1;

 private:
  std::int32_t number(std::string_view name) {
    auto& names = blueprint_.names;
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) found = names.emplace(names.end(), name);
    return static_cast<std::int32_t>(found - names.begin());
  }
  [[nodiscard]] Symbol behind(Symbol symbol) const {
    return symbol >= 0 ? symbol : static_cast<Symbol>(exact_.size()) - symbol - 1;
  }

  Blueprint blueprint_;
  std::vector<Op> ops_;
  std::vector<std::int32_t> exact_;
  std::vector<std::int32_t> loose_;
  StopToken stop_;
  std::unique_ptr<NativeMachine> machine_;
  std::unique_ptr<specs::Steps> steps_;
};

}  // namespace linpoint::tests
