// SPDX-License-Identifier: Apache-2.0
// Python bindings of controlled Python threads and of the explorers.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "linpoint/explore/schedulers.hpp"
#include "python_control/announced_accesses.hpp"
#include "python_control/controlled_locks.hpp"
#include "python_control/event_loop_program.hpp"
#include "python_control/interpreter_hook.hpp"
#include "python_control/operand_accesses.hpp"
#include "python_control/thread_controller.hpp"

namespace linpoint::bindings {

namespace nb = nanobind;
using namespace linpoint::explore;  // NOLINT: the whole file is about it
using control::control;
using control::ThreadController;

namespace {

using Pairs = std::vector<std::pair<std::uint64_t, Process>>;

Pairs pairs_of(const Explorer& explorer) {
  Pairs found;
  for (const Deviation& each : explorer.deviations()) found.emplace_back(each.step, each.process);
  return found;
}

std::unique_ptr<Explorer> replay_of(const Pairs& pairs) {
  std::vector<Deviation> deviations;
  for (const auto& [step, process] : pairs) deviations.push_back({step, process});
  return make_replay(std::move(deviations));
}

void bind_explorers(nb::module_& m) {
  nb::class_<Explorer> explorer(m, "Explorer");
  explorer.def("begin", &Explorer::begin)
      .def_prop_ro("exhaustive", &Explorer::exhaustive)
      .def_prop_ro("runs", [](const Explorer& self) { return self.progress().runs; })
      .def_prop_ro("redundant", [](const Explorer& self) { return self.progress().redundant; })
      .def_prop_ro("cut", [](const Explorer& self) { return self.progress().cut; })
      .def_prop_ro("steps", [](const Explorer& self) { return self.progress().steps; })
      .def_prop_ro("deviations", &pairs_of)
      .def_prop_ro("preemptions", &Explorer::preemptions)
      .def_prop_ro("diverged_at", [](const Explorer& self) -> nb::object {
        if (self.diverged_at() == Explorer::kNever) return nb::none();
        return nb::int_(self.diverged_at());
      });
  control::bind_asking(explorer);
  nb::class_<BoundedExplorer, Explorer>(m, "BoundedExplorer").def_prop_ro("completed", &BoundedExplorer::completed);
  m.def(
      "explore_dpor", [](bool sleep_sets) { return make_dpor({.sleep_sets = sleep_sets}); },
      nb::arg("sleep_sets") = true);
  m.def("explore_bounded", &make_bounded, nb::arg("most"));
  m.def("explore_random", &make_random, nb::arg("seed"), nb::arg("runs"));
  m.def("explore_pct", &make_pct, nb::arg("seed"), nb::arg("runs"), nb::arg("depth"));
  m.def("explore_pos", &make_pos, nb::arg("seed"), nb::arg("runs"));
  m.def("explore_again", &replay_of, nb::arg("deviations"));
}

/// The operations of each process: a list of (call, return, value, raised), with -1 for a call or return that did not
/// happen.
nb::list operations() {
  nb::list all;
  for (const auto& slot : control().slots()) {
    nb::list mine;
    for (const control::Done& done : slot->operations) {
      mine.append(
          nb::make_tuple(done.call, done.returned, done.value.is_valid() ? done.value : nb::none(), done.raised));
    }
    all.append(std::move(mine));
  }
  return all;
}

/// The processes that were blocked when the run ended: (process, place it waits for, owner or None, background).
nb::list waiting() {
  nb::list found;
  for (const control::Waiting& each : control().waiting()) {
    found.append(nb::make_tuple(each.process, each.place,
                                each.owner == kNobody ? nb::object(nb::none()) : nb::object(nb::int_(each.owner)),
                                each.background));
  }
  return found;
}

}  // namespace

void bind_control(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const control::StopRun&) {
      PyErr_SetNone(control().stop_type.ptr());
    } catch (const control::Blocked&) {
      PyErr_SetNone(control().blocked_type.ptr());
    }
  });
  bind_explorers(m);
  control::bind_locks(m);
  control::bind_hook(m);
  control::bind_announcing(m);
  m.def(
      "control_exceptions",
      [](nb::object stop, nb::object blocked) {
        control().stop_type = std::move(stop);
        control().blocked_type = std::move(blocked);
      },
      nb::arg("stop"), nb::arg("blocked"));
  m.def("control_prepare", [] { control().prepare(); });
  m.def(
      "control_add", [](nb::object body, bool background) { return control().add(std::move(body), background); },
      nb::arg("body"), nb::arg("background") = false);
  m.def(
      "control_give", [](Process process, nb::object body) { control().give(process, std::move(body)); },
      nb::arg("process"), nb::arg("body"));
  m.def(
      "control_run",
      [](Explorer& explorer, std::uint64_t most_steps, double patience) {
        return static_cast<int>(control().run(explorer, most_steps, patience));
      },
      nb::arg("explorer"), nb::arg("most_steps"), nb::arg("patience"));
  m.def("control_serve", [] { control().serve(); });
  m.def(
      "control_open", [](bool fibers, nb::object add_thread) { control().open(fibers, std::move(add_thread)); },
      nb::arg("fibers"), nb::arg("add_thread"));
  m.def("control_close", [] { control().close(); });
  m.def("control_abandon", [] { control().abandon(); });
  m.def("control_park", [] { control().park(); });
  m.def("control_parked", [] { return control().parked(); });
  m.def("control_interrupt", [] { control().interrupt(); });
  m.def("control_interrupted", [] { return control().interrupted(); });
  m.def(
      "control_limit_alone", [](std::uint64_t instructions) { return control().limit_alone(instructions); },
      nb::arg("instructions"));
  m.def("control_overlooked", [] {
    const bool weakly = control::looked_weakly();
    return control().overslept() || weakly;
  });
  m.def("control_missed", [] { return control::looked_past(); });
  m.def("control_idle", [] { return control().idle(); });
  m.def("control_serving", [] { return control().serving(); });
  m.def("control_operations", &operations);
  m.def("control_outcome", [] { return control().outcome(); });
  m.def("control_waiting", &waiting);
  m.def("control_steps", [] { return control().steps(); });
  m.def("control_goes_round", [] { return control().goes_round(); });
  m.def("control_last_turns", [] {
    nb::list turns;
    for (const auto& slot : control().slots()) turns.append(control().last_turn(*slot));
    return turns;
  });
  m.def("control_beats", [] { return control().beats(); });
  m.def("control_threads", [] {
    nb::list idents;
    for (const auto& slot : control().slots()) idents.append(slot->alive && slot->started ? slot->ident : 0UL);
    const Process running = control().running();
    return nb::make_tuple(idents, running == kNobody ? nb::object(nb::none()) : nb::object(nb::int_(running)));
  });
  m.def("control_process", []() -> nb::object {
    const control::ProcessSlot* slot = control().mine();
    if (slot == nullptr) return nb::none();
    return nb::int_(slot->id);
  });
  m.def("control_sleep", [](double seconds) { control().sleep(seconds); }, nb::arg("seconds"));
  m.def("control_now", [] { return control().now(); });
  m.def(
      "control_spawn", [](nb::object body, bool background) { return control().spawn(std::move(body), background); },
      nb::arg("body"), nb::arg("background"));
  m.def(
      "control_join", [](Process process, double timeout) { return control().join(process, timeout); },
      nb::arg("process"), nb::arg("timeout"));
  m.def("control_ended", [](Process process) { return control().ended(process); }, nb::arg("process"));
  m.def("control_stop_run", [] { control().stop_run(); });
  m.def("control_stopping", [] { return control().stopping(); });
  m.def(
      "control_aside",
      [](nb::callable function, const nb::args& args) {
        const control::Aside aside;  // its actions are not part of the run
        return nb::object(function(*args));
      },
      nb::arg("function"), nb::arg("args"));
  m.def(
      "control_on_result", [](nb::object on_result) { control().on_result = std::move(on_result); },
      nb::arg("on_result"));
  m.def(
      "control_narrate",
      [](nb::object on_turn, nb::object on_return) {
        control().on_turn = std::move(on_turn);
        control().on_return = std::move(on_return);
      },
      nb::arg("on_turn").none(), nb::arg("on_return").none());
}

}  // namespace linpoint::bindings
