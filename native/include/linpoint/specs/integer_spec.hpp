// SPDX-License-Identifier: Apache-2.0
// A sequential specification as integers: states and symbols (operations that the spec cannot tell apart).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linpoint/search/stop_token.hpp"

namespace linpoint::specs {

using State = std::int32_t;
using Symbol = std::int32_t;

/// The steps of a spec, as one thread takes them.
class Steps {
 public:
  Steps() = default;
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  virtual ~Steps() = default;

  /// The states after `symbol` in `state`: none if it is not legal there. Valid until the next call.
  virtual std::span<const State> step(State state, Symbol symbol) = 0;
};

/// What is known of a symbol in every state.
struct Trait {
  bool reads = false;       // it changes no state
  bool determines = false;  // there is one state only that it leads to
  bool idle = false;        // an optional operation of this symbol never helps to explain another
  bool despairs = false;    // the hopeless state does not allow it
  bool revives = false;     // it leads out of the hopeless state
};

/// No state: a machine without a hopeless one.
inline constexpr State kNoState = -1;

/// A spec, shared by all threads; each takes its own Steps, and equal states have equal numbers in all of them.
class Machine {
 public:
  /// `hopeless` is a state that no operation looks for: until something leads out of it, whatever looks is
  /// disappointed.
  explicit Machine(std::vector<Trait> traits, State hopeless = kNoState)
      : traits_(std::move(traits)), hopeless_(hopeless) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  [[nodiscard]] virtual std::unique_ptr<Steps> steps(search::StopToken& stop) const = 0;
  [[nodiscard]] const Trait& trait(Symbol symbol) const { return traits_[static_cast<std::size_t>(symbol)]; }
  [[nodiscard]] State hopeless() const { return hopeless_; }

 private:
  std::vector<Trait> traits_;
  State hopeless_;
};

}  // namespace linpoint::specs
