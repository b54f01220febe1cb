// SPDX-License-Identifier: Apache-2.0
// Python bindings of specs, problems, searches and certificates.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/operation_positions.hpp"
#include "bindings/owned_search.hpp"
#include "bindings/python_buffers.hpp"
#include "bindings/python_spec_machine.hpp"
#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/histories/operation_grouping.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/search/search.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using histories::Classes;
using histories::Columns;
using search::Alphabet;
using search::Condition;
using search::Pair;
using search::Problem;
using search::SeenTable;
using search::Status;
using search::StopReason;
using search::StopToken;
using specs::Machine;
using verdicts::Finding;
using Names = std::vector<std::int32_t>;

namespace {

std::vector<std::pair<std::int32_t, std::int32_t>> as_tuples(const std::vector<Pair>& pairs) {
  std::vector<std::pair<std::int32_t, std::int32_t>> tuples;
  for (const Pair& pair : pairs) tuples.emplace_back(pair.first, pair.second);
  return tuples;
}

/// A table with the token that accounts for its memory.
struct SharedTable {
  nb::object stop;
  std::shared_ptr<SeenTable> table;
};

/// Calls `make` with a problem, fresh steps and a token, and keeps alive what the search refers to.
template <typename Make>
std::unique_ptr<OwnedSearch> own(const nb::object& problem, const nb::object& machine, const nb::object& stop,
                                 Make make) {
  const auto& given = nb::cast<const Problem&>(problem);
  auto& token = nb::cast<StopToken&>(stop);
  auto steps = nb::cast<const Machine&>(machine).steps(token);
  return std::make_unique<OwnedSearch>(
      OwnedSearch{problem, machine, stop, &given, make(given, std::move(steps), token)});
}

std::pair<verdicts::Flaw, std::int32_t> as_pair(const Finding& finding) { return {finding.flaw, finding.position}; }

std::pair<verdicts::Flaw, std::int32_t> certify_order(const Columns& columns, const Positions& positions,
                                                      const Positions& order, Condition condition, bool key_argument,
                                                      bool whole) {
  const nb::gil_scoped_release nogil;
  const Finding finding = verdicts::check_members(columns, positions.all, order.all, whole);
  if (finding.flaw != verdicts::Flaw::kNone) return as_pair(finding);
  return as_pair(verdicts::check_times(columns, order.all, condition, key_argument));
}

std::pair<verdicts::Flaw, std::int32_t> certify_run(const Columns& columns, const Names& names, const Positions& order,
                                                    const Alphabet& alphabet, const Machine& machine,
                                                    specs::State initial) {
  Finding finding;
  {
    const nb::gil_scoped_release nogil;
    finding = verdicts::check_alphabet(columns, names, order.all, alphabet);
    if (finding.flaw == verdicts::Flaw::kNone) {
      StopToken unlimited;
      finding = verdicts::check_run(columns, order.all, alphabet, *machine.steps(unlimited), initial);
    }
  }
  if (raised) std::rethrow_exception(std::exchange(raised, nullptr));
  return as_pair(finding);
}

int visit_machine(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<PythonMachine>(self)->held());
  return 0;
}

int clear_machine(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<PythonMachine>(self)->let_go();
  return 0;
}

PyType_Slot collected_machine[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_machine)},
                                   {Py_tp_clear, reinterpret_cast<void*>(clear_machine)},
                                   {0, nullptr}};

}  // namespace

void bind_searches(nb::module_& m) {
  nb::enum_<StopReason>(m, "StopReason")
      .value("NONE", StopReason::kNone)
      .value("TIME", StopReason::kTime)
      .value("MEMORY", StopReason::kMemory)
      .value("REQUEST", StopReason::kRequest);

  nb::enum_<Status>(m, "SearchStatus")
      .value("LINEARIZABLE", Status::kLinearizable)
      .value("VIOLATION", Status::kViolation)
      .value("STOPPED", Status::kStopped)
      .value("PAUSED", Status::kPaused);

  nb::class_<StopToken>(m, "StopToken", "A stop token, shared by the searches of one check.")
      .def("__init__", [](StopToken* self) { new (self) StopToken(nullptr, /*heeds_process=*/true); })
      .def(
          "child", [](StopToken& parent) { return std::make_unique<StopToken>(&parent); }, nb::keep_alive<0, 1>(),
          "A token for one part: it stops with this one, and can be stopped separately.")
      .def("set_time_limit", &StopToken::set_time_limit, "seconds"_a)
      .def("set_memory_limit", &StopToken::set_memory_limit, "bytes"_a)
      .def("stop", &StopToken::stop, "reason"_a)
      .def("poll", &StopToken::poll)
      .def_prop_ro("stopped", &StopToken::stopped)
      .def_prop_ro("reason", &StopToken::reason)
      .def_prop_ro("memory", &StopToken::memory)
      .def_prop_ro("configurations", &StopToken::configurations)
      .def_prop_ro("linearized", &StopToken::linearized);

  nb::class_<Alphabet>(m, "Alphabet", "The symbols of a history's operations.")
      .def(
          "__init__",
          [](Alphabet* self, const Classes& exact, const Classes& loose) {
            new (self) Alphabet(search::alphabet(exact, loose));
          },
          "exact"_a, "loose"_a);

  nb::class_<Machine>(m, "Machine", "A spec as integers.");
  nb::class_<PythonMachine, Machine>(m, "PythonMachine", nb::type_slots(collected_machine))
      .def(
          "__init__",
          [](PythonMachine* self, nb::callable step, const nb::bytes& reads) {
            std::vector<specs::Trait> traits(reads.size());
            for (std::size_t i = 0; i < reads.size(); ++i) traits[i].reads = reads.c_str()[i] != 0;
            new (self) PythonMachine(std::move(step), std::move(traits));
          },
          "step"_a, "reads"_a);
  nb::class_<specs::NativeMachine, Machine>(m, "NativeMachine")
      .def(
          "state",
          [](const specs::NativeMachine& machine, const std::vector<std::int64_t>& content) {
            return machine.state(content);
          },
          "content"_a);
  nb::class_<specs::Blueprint>(m, "Blueprint",
                               "What the native core needs to know about a built-in spec and a history.")
      .def(
          "__init__",
          [](specs::Blueprint* self, const std::string& kind, const std::vector<std::string>& names,
             const std::vector<std::int32_t>& constants, bool key_argument, std::optional<std::int64_t> capacity,
             const Column<std::int64_t>& integers, const std::vector<std::optional<std::string>>& strings,
             std::int32_t at, std::int32_t values) {
            new (self) specs::Blueprint{.kind = kind,
                                        .names = names,
                                        .constants = {constants.at(0), constants.at(1), constants.at(2)},
                                        .key_argument = key_argument,
                                        .capacity = capacity,
                                        .integers = copy(integers),
                                        .strings = strings,
                                        .at = at,
                                        .values = values};
          },
          "kind"_a, "names"_a, "constants"_a, "key_argument"_a, "capacity"_a.none(), "integers"_a, "strings"_a,
          "at"_a = histories::kNone, "values"_a = 0);
  m.def(
      "native_machine",
      [](const Columns& columns, const specs::Blueprint& blueprint, const Classes& exact, const Classes& loose) {
        return specs::native_machine(columns, blueprint, exact.first, loose.first);
      },
      "columns"_a, "blueprint"_a, "exact"_a, "loose"_a,
      "The native steps of a built-in spec, or None if they do not cover the history.");

  nb::enum_<Condition>(m, "Condition")
      .value("LINEARIZABLE", Condition::kLinearizable)
      .value("STRICT", Condition::kStrict)
      .value("RECOVERABLE", Condition::kRecoverable)
      .value("DURABLE", Condition::kDurable)
      .value("BUFFERED_DURABLE", Condition::kBufferedDurable)
      .value("SEQUENTIAL", Condition::kSequential);

  nb::class_<Problem>(m, "Problem", "The input of a search: see problem.hpp.")
      .def(
          "__init__",
          [](Problem* self, const Columns& columns, const Positions& positions, const Positions& relaxed,
             Condition condition, bool key_argument, const Alphabet* letters, const Machine* machine,
             specs::State initial, const Positions& open) {
            const nb::gil_scoped_release nogil;
            new (self) Problem(search::build(columns, {positions.all, relaxed.all, key_argument, open.all}, condition,
                                             letters == nullptr ? Alphabet{} : *letters, machine, initial));
          },
          "columns"_a, "positions"_a, "relaxed"_a, "condition"_a, "key_argument"_a, "alphabet"_a.none(),
          "machine"_a.none(), "initial"_a, "open"_a = Positions())
      .def("__len__", &Problem::size)
      .def_ro("positions", &Problem::position)
      .def_ro("calls", &Problem::call)
      .def_ro("returns", &Problem::ret)
      .def_prop_ro("optional",
                   [](const Problem& problem) {
                     return nb::bytes(reinterpret_cast<const char*>(problem.optional.data()), problem.optional.size());
                   })
      .def_prop_ro("before", [](const Problem& problem) { return as_tuples(problem.before); })
      .def_prop_ro("constrained",
                   [](const Problem& problem) { return !problem.before.empty() || !problem.excluded.empty(); })
      .def_prop_ro(
          "shareable",
          [](const Problem& problem) {
            for (std::size_t op = 0; op < problem.size(); ++op)
              if (problem.settles[op] != 0 || problem.optional[op] != 0) return false;
            return true;
          },
          "Whether depth-first searches gain by sharing refuted configurations: no operation settles the state or may "
          "be left out.")
      .def_prop_ro("one_at_a_time", &search::one_at_a_time);

  nb::class_<SharedTable>(m, "SeenTable", "Configurations that several depth-first searches of one problem share.")
      .def(
          "__init__",
          [](SharedTable* self, const Problem& problem, const nb::object& stop) {
            new (self) SharedTable{stop, search::seen_table(problem, nb::cast<StopToken&>(stop))};
          },
          "problem"_a, "stop"_a);

  nb::class_<OwnedSearch>(m, "Search", "A search for a linearization, which can be paused.")
      .def("run", &OwnedSearch::run, "allowance"_a,
           "Continue until there is an answer, the token is stopped or `allowance` more configurations were visited.")
      .def_prop_ro("order", [](const OwnedSearch& owned) { return positions_of(*owned.given, owned.search->order()); })
      .def_prop_ro("configurations", [](const OwnedSearch& owned) { return owned.search->configurations(); });
  m.def(
      "wing_gong",
      [](const nb::object& problem, const nb::object& machine, const nb::object& stop) {
        return own(problem, machine, stop, search::wing_gong);
      },
      "problem"_a, "machine"_a, "stop"_a, "Wing and Gong's search.");
  m.def(
      "depth_first",
      [](const nb::object& problem, const nb::object& machine, const nb::object& stop, const SharedTable* seen,
         bool reversed) {
        return own(problem, machine, stop, [&](const Problem& given, auto steps, StopToken& token) {
          auto table = seen == nullptr ? search::seen_table(given, token) : seen->table;
          const search::Order order = reversed ? search::Order::kLastCalled : search::Order::kFirstCalled;
          return search::depth_first(given, std::move(steps), token, std::move(table), order);
        });
      },
      "problem"_a, "machine"_a, "stop"_a, "seen"_a.none() = nb::none(), "reversed"_a = false,
      "Lowe's depth-first search with a table.");
  m.def(
      "linear_depth_first",
      [](const nb::object& problem, const nb::object& machine, const nb::object& stop) {
        return own(problem, machine, stop, [](const Problem& given, auto steps, StopToken& token) {
          return search::depth_first(given, std::move(steps), token, search::seen_table(given, token),
                                     search::Order::kFirstReturned);
        });
      },
      "problem"_a, "machine"_a, "stop"_a, "Just-in-time linearization, depth-first.");
  m.def(
      "linear",
      [](const nb::object& problem, const nb::object& machine, const nb::object& stop) {
        return own(problem, machine, stop, search::linear);
      },
      "problem"_a, "machine"_a, "stop"_a, "Lowe's just-in-time linearization.");

  nb::enum_<verdicts::Flaw>(m, "Flaw")
      .value("NONE", verdicts::Flaw::kNone)
      .value("NOT_THERE", verdicts::Flaw::kNotThere)
      .value("LEFT_OUT", verdicts::Flaw::kLeftOut)
      .value("FAILED", verdicts::Flaw::kFailed)
      .value("RETURNED_EARLIER", verdicts::Flaw::kReturnedEarlier)
      .value("ENDED_AT_CRASH", verdicts::Flaw::kEndedAtCrash)
      .value("EARLIER_ERA", verdicts::Flaw::kEarlierEra)
      .value("PROCESS_ORDER", verdicts::Flaw::kProcessOrder)
      .value("HINT", verdicts::Flaw::kHint)
      .value("REJECTED", verdicts::Flaw::kRejected)
      .value("UNLIKE", verdicts::Flaw::kUnlike)
      .value("NEEDED", verdicts::Flaw::kNeeded)
      .value("SURVIVORS", verdicts::Flaw::kSurvivors);
  m.def("certify_order", &certify_order, "columns"_a, "positions"_a, "order"_a, "condition"_a, "key_argument"_a,
        "whole"_a, "The flaw in the members and times of an order, and its operation.");
  m.def("certify_run", &certify_run, "columns"_a, "names"_a, "order"_a, "alphabet"_a, "machine"_a, "initial"_a,
        "The operation that the spec rejects at its place, if any.");
}

}  // namespace linpoint::bindings
