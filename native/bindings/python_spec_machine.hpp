// SPDX-License-Identifier: Apache-2.0
// A spec written in Python as a machine: each cell of its table is computed once, with the GIL held. Every search has
// its own table in front of the common one, which is locked.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "linpoint/specs/transition_table.hpp"

namespace linpoint::bindings {

namespace nb = nanobind;

/// The exception that a spec raised on this thread (Ctrl-C included). It ends the search and is rethrown where the
/// search returns.
inline thread_local std::exception_ptr raised;

class PythonMachine final : public specs::Machine {
 public:
  /// `step(state, symbol)` returns a state or a sequence of states.
  PythonMachine(nb::callable step, std::vector<specs::Trait> traits)
      : specs::Machine(std::move(traits)), step_(std::move(step)) {}

  [[nodiscard]] std::unique_ptr<specs::Steps> steps(search::StopToken& stop) const override {
    return std::make_unique<specs::TransitionTable>(
        [this, &stop](specs::State state, specs::Symbol symbol, std::vector<specs::State>& out) {
          ask(state, symbol, out, stop);
        },
        stop);
  }

  /// For the garbage collector: a step usually belongs to an object that holds this machine, and would keep both alive
  /// forever.
  [[nodiscard]] PyObject* held() const { return step_.ptr(); }
  void let_go() { step_.reset(); }

 private:
  /// Computes a cell, unless another search has. No thread waits for the lock with the GIL held.
  void ask(specs::State state, specs::Symbol symbol, std::vector<specs::State>& out, search::StopToken& stop) const {
    const std::scoped_lock lock(mutex_);
    if (const auto known = known_.known(state, symbol)) {
      out.assign(known->begin(), known->end());
      return;
    }
    const nb::gil_scoped_acquire gil;
    try {
      const nb::object after = step_(state, symbol);
      if (nb::isinstance<nb::int_>(after)) {
        out.push_back(nb::cast<specs::State>(after));
      } else {
        for (const nb::handle each : after) out.push_back(nb::cast<specs::State>(each));
      }
    } catch (const std::exception&) {
      out.clear();
      if (!raised) raised = std::current_exception();
      stop.stop(search::StopReason::kRequest);
      return;
    }
    known_.remember(state, symbol, out);
  }

  nb::callable step_;
  mutable std::mutex mutex_;
  mutable search::StopToken unlimited_;
  mutable specs::TransitionTable known_{nullptr, unlimited_};
};

}  // namespace linpoint::bindings
