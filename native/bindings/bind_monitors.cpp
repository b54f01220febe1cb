// SPDX-License-Identifier: Apache-2.0
// Python bindings of monitors and of the replay of orders.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings/block_cache.hpp"
#include "bindings/operation_positions.hpp"
#include "bindings/python_buffers.hpp"
#include "linpoint/certificates/certify_count.hpp"
#include "linpoint/certificates/object_replay.hpp"
#include "linpoint/certificates/refutation_scope.hpp"
#include "linpoint/monitors/monitor.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "specs/native_operation.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using histories::Columns;
using monitors::Exclusion;
using monitors::Outcome;
using monitors::Reason;
using search::Condition;
using search::StopToken;
using specs::Blueprint;
using verdicts::Finding;
using verdicts::Flaw;
using Content = std::vector<std::int64_t>;

namespace {

/// The answer for one object, and the flaw in its order, if any.
struct Monitored {
  Outcome outcome;
  Finding flaw;
  bool constrained = false;
};

Monitored monitor(const Columns& columns, const Positions& positions, const Content& content,
                  const Blueprint& blueprint, Condition condition, StopToken& stop) {
  const nb::gil_scoped_release nogil;
  const KeepingBlocks keeping;
  const search::Problem problem =
      search::build(columns, {positions.all, {}, blueprint.key_argument}, condition, {}, nullptr, 0);
  Monitored result{{}, {}, false};
  result.outcome.exclusion = Exclusion::kStopped;
  if (stop.poll()) return result;
  result.outcome = monitors::decide(columns, problem, blueprint, content, stop);
  result.constrained = !problem.before.empty() || !problem.excluded.empty();
  if (result.outcome.status == monitors::Status::kLinearizable)
    result.flaw = verdicts::check_witness(columns, positions.all, result.outcome.order, condition, blueprint, content);
  return result;
}

}  // namespace

void bind_monitors(nb::module_& m) {
  nb::enum_<monitors::Status>(m, "MonitorStatus")
      .value("LINEARIZABLE", monitors::Status::kLinearizable)
      .value("VIOLATION", monitors::Status::kViolation)
      .value("EXCLUDED", monitors::Status::kExcluded);

  nb::enum_<Reason>(m, "Reason", "Why no order exists: see monitor.hpp.")
      .value("NONE", Reason::kNone)
      .value("NEVER_ADDED", Reason::kNeverAdded)
      .value("SEEN_BEFORE_ADDED", Reason::kSeenBeforeAdded)
      .value("REMOVED_TWICE", Reason::kRemovedTwice)
      .value("SEEN_AFTER_REMOVED", Reason::kSeenAfterRemoved)
      .value("ORDER_INVERTED", Reason::kOrderInverted)
      .value("FRONTS_OVERLAP", Reason::kFrontsOverlap)
      .value("FRONT_INSIDE", Reason::kFrontInside)
      .value("EMPTY_WHILE_INSIDE", Reason::kEmptyWhileInside)
      .value("HIGHER_INSIDE", Reason::kHigherInside)
      .value("NOT_NESTED", Reason::kNotNested)
      .value("ZONES_OVERLAP", Reason::kZonesOverlap)
      .value("ZONE_INSIDE", Reason::kZoneInside)
      .value("REPLACED_TWICE", Reason::kReplacedTwice)
      .value("REPLACED_IN_CIRCLE", Reason::kReplacedInCircle)
      .value("REPLACED_TOO_EARLY", Reason::kReplacedTooEarly)
      .value("OVERWRITTEN", Reason::kOverwritten)
      .value("NOBODY_FLIPS", Reason::kNobodyFlips)
      .value("COUNT_TOO_LOW", Reason::kCountTooLow)
      .value("COUNT_TOO_HIGH", Reason::kCountTooHigh)
      .value("SAME_COUNT", Reason::kSameCount)
      .value("COUNTS_INVERTED", Reason::kCountsInverted)
      .value("SURVIVORS_DIFFER", Reason::kSurvivorsDiffer)
      .value("NO_COMMON_MOMENT", Reason::kNoCommonMoment);

  nb::enum_<Exclusion>(m, "Exclusion", "Why a monitor does not apply: see monitor.hpp.")
      .value("NONE", Exclusion::kNone)
      .value("KIND", Exclusion::kKind)
      .value("OPERATION", Exclusion::kOperation)
      .value("RESULT", Exclusion::kResult)
      .value("DUPLICATE", Exclusion::kDuplicate)
      .value("NULL", Exclusion::kNull)
      .value("CAPACITY", Exclusion::kCapacity)
      .value("AMOUNTS", Exclusion::kAmounts)
      .value("CUT_OFF", Exclusion::kCutOff)
      .value("UNKNOWN_REMOVALS", Exclusion::kUnknownRemovals)
      .value("STOPPED", Exclusion::kStopped)
      .value("FAILED_COMPARE", Exclusion::kFailedCompare)
      .value("SPANS_CRASH", Exclusion::kSpansCrash);

  nb::class_<Monitored>(m, "Monitored", "A monitor's answer for one object.")
      .def_prop_ro("status", [](const Monitored& self) { return self.outcome.status; })
      .def_prop_ro("order", [](const Monitored& self) { return Positions(self.outcome.order); })
      .def_prop_ro("reason", [](const Monitored& self) { return self.outcome.reason; })
      .def_prop_ro("evidence", [](const Monitored& self) { return self.outcome.evidence; })
      .def_prop_ro("scope", [](const Monitored& self) { return Positions(self.outcome.scope); })
      .def_prop_ro("exclusion", [](const Monitored& self) { return self.outcome.exclusion; })
      .def_prop_ro("culprit", [](const Monitored& self) { return self.outcome.culprit; })
      .def_prop_ro("relaxed", [](const Monitored& self) { return self.outcome.relaxed; })
      .def_prop_ro(
          "flaw", [](const Monitored& self) { return std::pair(self.flaw.flaw, self.flaw.position); },
          "The flaw in the order, and its operation.")
      .def_ro("constrained", &Monitored::constrained, "Constraints other than times exist, which the monitor ignores.");

  m.def("monitor", &monitor, "columns"_a, "positions"_a, "content"_a, "blueprint"_a, "condition"_a, "stop"_a,
        "Decide the operations of one object with this initial content, and certify the order.");
  m.def(
      "covers",
      [](const Columns& columns, const Blueprint& blueprint) {
        const specs::Compiler compiler(columns, blueprint);
        for (std::size_t op = 0; op < columns.size(); ++op)
          if (!compiler.compile(op, !columns.certain(op))) return false;
        return true;
      },
      "columns"_a, "blueprint"_a, "Whether the native core supports every operation; it does not support fractions.");
  m.def(
      "certify_scope",
      [](const Columns& columns, const Positions& positions, const Positions& scope, const Blueprint& blueprint,
         std::size_t items) {
        const nb::gil_scoped_release nogil;
        const Finding found = verdicts::check_scope(columns, positions.all, scope.all, blueprint, items);
        return std::pair(found.flaw, found.position);
      },
      "columns"_a, "positions"_a, "scope"_a, "blueprint"_a, "items"_a,
      "The operation that must not be left out of a violation, if any.");
  m.def(
      "certify_count",
      [](const Columns& columns, const Positions& positions, const Positions& evidence, Reason reason,
         const Blueprint& blueprint, const Content& content) {
        const nb::gil_scoped_release nogil;
        return verdicts::check_count(columns, positions.all, evidence.all, reason, blueprint, content.at(0));
      },
      "columns"_a, "positions"_a, "evidence"_a, "reason"_a, "blueprint"_a, "content"_a,
      "Whether counting proves that the evidence operations cannot be correct.");
  m.def(
      "certify_replay",
      [](const Columns& columns, const Positions& order, const Blueprint& blueprint, const Content& content) {
        const nb::gil_scoped_release nogil;
        const Finding found = verdicts::check_replay(columns, order.all, blueprint, content);
        return std::pair(found.flaw, found.position);
      },
      "columns"_a, "order"_a, "blueprint"_a, "content"_a,
      "The operation that a plain object of that kind rejects at its place, if any.");
}

}  // namespace linpoint::bindings
