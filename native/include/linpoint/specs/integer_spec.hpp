// SPDX-License-Identifier: Apache-2.0
// A sequential specification as integers: states and symbols (classes of operations that the spec cannot distinguish).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linpoint/search/stop_token.hpp"

namespace linpoint::specs {

using State = std::int32_t;
using Symbol = std::int32_t;

/// The steps of a spec, for one thread.
class Steps {
 public:
  Steps() = default;
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  virtual ~Steps() = default;

  /// The states after `symbol` in `state`: none if it is not legal there. Valid until the next call.
  virtual std::span<const State> step(State state, Symbol symbol) = 0;
};

/// Properties of a symbol that hold in every state.
struct Trait {
  bool reads = false;       // it changes no state
  bool determines = false;  // it leads to only one state
  bool idle = false;        // an optional operation of this symbol never helps to explain another
  bool despairs = false;    // the hopeless state does not allow it
  bool revives = false;     // it leads out of the hopeless state
};

/// No state: for a machine without a hopeless state.
inline constexpr State kNoState = -1;

/// A spec, shared by all threads; each thread has its own Steps, and equal states have equal numbers in all of them.
class Machine {
 public:
  /// `hopeless` is a state that satisfies no operation that observes the object: none of these is legal until an
  /// operation leads out of it.
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
