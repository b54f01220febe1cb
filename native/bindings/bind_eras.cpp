// SPDX-License-Identifier: Apache-2.0
// Python bindings of buffered durability, decided era by era.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "bindings/block_cache.hpp"
#include "bindings/operation_positions.hpp"
#include "bindings/python_buffers.hpp"
#include "bindings/python_spec_machine.hpp"
#include "linpoint/certificates/era_replay.hpp"
#include "linpoint/eras/era_search.hpp"
#include "linpoint/monitors/buffered_registers.hpp"
#include "linpoint/search/condition_problems.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using histories::Columns;
using search::Condition;
using search::Problem;
using search::StopToken;
using verdicts::Finding;
using verdicts::Flaw;
using Content = std::vector<std::int64_t>;

namespace {

constexpr Condition kCondition = Condition::kBufferedDurable;

/// The monitor's answer for several keys, and the flaw in its order, if any.
struct MonitoredEras {
  monitors::BufferedOutcome outcome;
  Finding flaw;
  bool constrained = false;
};

/// The object number of each position.
std::vector<std::int32_t> object_of(const Columns& columns, const std::vector<Positions>& objects) {
  std::vector<std::int32_t> numbers(columns.size(), histories::kNone);
  for (std::size_t object = 0; object < objects.size(); ++object)
    for (const std::int32_t position : objects[object].all)
      numbers[static_cast<std::size_t>(position)] = static_cast<std::int32_t>(object);
  return numbers;
}

/// Whether constraints other than times order two operations.
bool constrained(const Problem& problem) {
  const auto real = [&](const search::Pair& pair) {
    return problem.position[static_cast<std::size_t>(pair.first)] >= 0 &&
           problem.position[static_cast<std::size_t>(pair.second)] >= 0;
  };
  return std::any_of(problem.before.begin(), problem.before.end(), real) ||
         std::any_of(problem.excluded.begin(), problem.excluded.end(), real);
}

MonitoredEras monitor_eras(const Columns& columns, const Positions& positions, const std::vector<Positions>& objects,
                           const std::vector<Content>& contents, const specs::Blueprint& blueprint, StopToken& stop) {
  const nb::gil_scoped_release nogil;
  const KeepingBlocks keeping;
  const Problem problem =
      search::build(columns, {positions.all, {}, blueprint.key_argument}, kCondition, {}, nullptr, 0);
  MonitoredEras result;
  result.outcome.exclusion = monitors::Exclusion::kStopped;
  if (stop.poll()) return result;
  const std::vector<std::int32_t> numbers = object_of(columns, objects);
  result.outcome = monitors::decide_buffered(columns, problem, blueprint, numbers, contents, stop);
  result.constrained = constrained(problem);
  if (result.outcome.status != monitors::Status::kLinearizable) return result;
  const std::vector<std::int32_t>& order = result.outcome.order;
  result.flaw = verdicts::check_members(columns, positions.all, order, true);
  if (result.flaw.flaw == Flaw::kNone)
    result.flaw = verdicts::check_times(columns, order, kCondition, blueprint.key_argument);
  if (result.flaw.flaw == Flaw::kNone)
    result.flaw = verdicts::check_eras(columns, {order, result.outcome.eras, result.outcome.survivors}, blueprint,
                                       numbers, contents);
  return result;
}

/// The search's answer for several objects of any spec.
struct SearchedEras {
  eras::EraAnswer answer;
  bool constrained = false;
};

SearchedEras search_eras(const Columns& columns, const Positions& positions, const std::vector<Positions>& objects,
                         const std::vector<specs::State>& initials, const search::Alphabet& alphabet,
                         const specs::Machine& machine, bool key_argument, StopToken& stop) {
  SearchedEras result;
  {
    const nb::gil_scoped_release nogil;
    const KeepingBlocks keeping;
    const Problem problem = search::build(columns, {positions.all, {}, key_argument}, kCondition, alphabet, nullptr, 0);
    result.constrained = constrained(problem);
    if (!result.constrained) {
      const std::vector<std::int32_t> numbers = object_of(columns, objects);
      std::vector<eras::Object> given(objects.size());
      for (std::size_t object = 0; object < objects.size(); ++object) given[object].initial = initials.at(object);
      for (std::size_t op = 0; op < problem.size(); ++op)
        if (const std::int32_t position = problem.position[op]; position >= 0)
          given[static_cast<std::size_t>(numbers[static_cast<std::size_t>(position)])].operations.push_back(
              static_cast<std::int32_t>(op));
      result.answer = eras::search_eras(problem, given, machine, stop);
      for (std::int32_t& each : result.answer.order) each = problem.position[static_cast<std::size_t>(each)];
    }
  }
  if (raised) std::rethrow_exception(std::exchange(raised, nullptr));
  return result;
}

}  // namespace

void bind_eras(nb::module_& native) {
  nb::module_ m = native.def_submodule("eras", "Buffered durability, decided era by era.");
  nb::class_<MonitoredEras>(m, "MonitoredEras", "The monitor's answer for several keys under buffered durability.")
      .def_prop_ro("status", [](const MonitoredEras& self) { return self.outcome.status; })
      .def_prop_ro("order", [](const MonitoredEras& self) { return Positions(self.outcome.order); })
      .def_prop_ro("eras", [](const MonitoredEras& self) { return self.outcome.eras; })
      .def_prop_ro("survivors", [](const MonitoredEras& self) { return self.outcome.survivors; })
      .def_prop_ro("reason", [](const MonitoredEras& self) { return self.outcome.reason; })
      .def_prop_ro("scope", [](const MonitoredEras& self) { return Positions(self.outcome.scope); })
      .def_prop_ro("exclusion", [](const MonitoredEras& self) { return self.outcome.exclusion; })
      .def_prop_ro("culprit", [](const MonitoredEras& self) { return self.outcome.culprit; })
      .def_prop_ro("flaw", [](const MonitoredEras& self) { return std::pair(self.flaw.flaw, self.flaw.position); })
      .def_ro("constrained", &MonitoredEras::constrained);
  m.def("monitor_eras", &monitor_eras, "columns"_a, "positions"_a, "objects"_a, "contents"_a, "blueprint"_a, "stop"_a,
        "Decide the operations of several registers under buffered durability, and certify the order.");

  nb::enum_<eras::Answer>(m, "EraAnswer")
      .value("FOUND", eras::Answer::kFound)
      .value("REFUTED", eras::Answer::kRefuted)
      .value("STOPPED", eras::Answer::kStopped)
      .value("EXCLUDED", eras::Answer::kExcluded);
  nb::class_<SearchedEras>(m, "SearchedEras", "The search's answer for several objects under buffered durability.")
      .def_prop_ro("answer", [](const SearchedEras& self) { return self.answer.answer; })
      .def_prop_ro("order", [](const SearchedEras& self) { return Positions(self.answer.order); })
      .def_prop_ro("eras", [](const SearchedEras& self) { return self.answer.eras; })
      .def_prop_ro("survivors", [](const SearchedEras& self) { return self.answer.survivors; })
      .def_prop_ro("configurations", [](const SearchedEras& self) { return self.answer.configurations; })
      .def_ro("constrained", &SearchedEras::constrained);
  m.def("search_eras", &search_eras, "columns"_a, "positions"_a, "objects"_a, "initials"_a, "alphabet"_a, "machine"_a,
        "key_argument"_a, "stop"_a, "Decide the operations of several objects under buffered durability, era by era.");
}

}  // namespace linpoint::bindings
