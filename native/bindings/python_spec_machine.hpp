// SPDX-License-Identifier: Apache-2.0
// A spec written in Python as a machine: each missing cell of its table is asked for with the GIL held.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "linpoint/specs/transition_table.hpp"

namespace linpoint::bindings {

namespace nb = nanobind;

/// What a spec raised on this thread (Ctrl-C among it). It ends the search and is rethrown where that returns.
inline thread_local std::exception_ptr raised;

class PythonMachine final : public specs::Machine {
 public:
  /// `step(state, symbol)` gives a list of states.
  PythonMachine(nb::callable step, std::vector<specs::Trait> traits)
      : specs::Machine(std::move(traits)), step_(std::move(step)) {}

  [[nodiscard]] std::unique_ptr<specs::Steps> steps(search::StopToken& stop) const override {
    return std::make_unique<specs::TransitionTable>(
        [this, &stop](specs::State state, specs::Symbol symbol, std::vector<specs::State>& out) {
          const nb::gil_scoped_acquire gil;
          try {
            for (const nb::handle each : step_(state, symbol)) out.push_back(nb::cast<specs::State>(each));
          } catch (const std::exception&) {
            out.clear();
            if (!raised) raised = std::current_exception();
            stop.stop(search::StopReason::kRequest);
          }
        },
        stop);
  }

  /// The collector's: a step usually belongs to something that holds this machine, and would keep both alive for ever.
  [[nodiscard]] PyObject* held() const { return step_.ptr(); }
  void let_go() { step_.reset(); }

 private:
  nb::callable step_;
};

}  // namespace linpoint::bindings
