// SPDX-License-Identifier: Apache-2.0
// Python bindings of precedence graphs.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <future>

#include "bindings/block_cache.hpp"
#include "bindings/operation_positions.hpp"
#include "bindings/python_buffers.hpp"
#include "linpoint/certificates/memory_evidence.hpp"
#include "linpoint/certificates/object_replay.hpp"
#include "linpoint/graphs/all_edges.hpp"
#include "linpoint/graphs/precedence.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "specs/memory_operations.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using graphs::Because;
using graphs::Link;
using graphs::Outcome;
using graphs::Question;
using histories::Columns;
using search::Condition;
using search::StopToken;
using specs::Blueprint;
using verdicts::Finding;
using verdicts::Proof;
using Content = std::vector<std::int64_t>;

namespace {

/// The answer for one object, and the flaw in its evidence, if any.
struct Graphed {
  Outcome outcome;
  Finding flaw;
  Proof proof = Proof::kHolds;
};

Graphed graph(const Columns& columns, const Positions& positions, const Content& content, const Blueprint& blueprint,
              Condition condition, StopToken& stop, bool paper, bool parallel) {
  const nb::gil_scoped_release nogil;
  const KeepingBlocks keeping;
  Graphed result;
  const auto rules = paper ? graphs::Rules::kPaper : graphs::Rules::kCorrected;
  const Question question{columns, positions.all, condition, blueprint, content};
  result.outcome = graphs::decide(question, stop, rules, parallel);
  if (result.outcome.status == graphs::Status::kLinearizable)
    result.flaw =
        verdicts::check_witness(columns, positions.all, result.outcome.order, condition, blueprint, content, parallel);
  if (result.outcome.status == graphs::Status::kViolation && result.outcome.refutation.scope.empty())
    result.proof = verdicts::check_refutation(question, result.outcome.refutation);
  return result;
}

/// The numbers of time edges and of all other edges, and whether they form no cycle.
std::pair<std::pair<std::size_t, std::size_t>, bool> measure(const Columns& columns, const Positions& positions,
                                                             const Content& content, const Blueprint& blueprint,
                                                             Condition condition, graphs::TimeEdges kind) {
  const nb::gil_scoped_release nogil;
  const auto links = graphs::edges({columns, positions.all, condition, blueprint, content}, kind);
  const auto times = static_cast<std::size_t>(
      std::count_if(links.begin(), links.end(), [](const Link& each) { return each.because == Because::kTime; }));
  return {{times, links.size() - times}, graphs::acyclic(columns.size(), links)};
}

}  // namespace

void bind_graphs(nb::module_& m) {
  nb::enum_<graphs::Status>(m, "GraphStatus")
      .value("LINEARIZABLE", graphs::Status::kLinearizable)
      .value("VIOLATION", graphs::Status::kViolation)
      .value("EXCLUDED", graphs::Status::kExcluded);

  nb::enum_<graphs::Reason>(m, "GraphReason", "Why no order exists: see precedence.hpp.")
      .value("NONE", graphs::Reason::kNone)
      .value("CYCLE", graphs::Reason::kCycle)
      .value("FORK", graphs::Reason::kFork)
      .value("DANGLING_READ", graphs::Reason::kDanglingRead)
      .value("READ_BEFORE_WRITE", graphs::Reason::kReadBeforeWrite)
      .value("DISCONNECTED_FAILURE", graphs::Reason::kDisconnectedFailure)
      .value("OVERWRITTEN", graphs::Reason::kOverwritten);

  nb::enum_<graphs::Exclusion>(m, "GraphExclusion", "Why the graph does not apply: see precedence.hpp.")
      .value("NONE", graphs::Exclusion::kNone)
      .value("KIND", graphs::Exclusion::kKind)
      .value("WRITE", graphs::Exclusion::kWrite)
      .value("COMPARE_ONLY", graphs::Exclusion::kCompareOnly)
      .value("RESULT", graphs::Exclusion::kResult)
      .value("SHAPE", graphs::Exclusion::kShape)
      .value("DUPLICATE", graphs::Exclusion::kDuplicate)
      .value("CUT_OFF_SWAP", graphs::Exclusion::kCutOffSwap)
      .value("CHOICES", graphs::Exclusion::kChoices)
      .value("ERAS", graphs::Exclusion::kEras)
      .value("STOPPED", graphs::Exclusion::kStopped);

  nb::enum_<Because>(m, "Because", "Why one operation comes before another: see precedence.hpp.")
      .value("TIME", Because::kTime)
      .value("READS_FROM", Because::kReadsFrom)
      .value("REPLACED", Because::kReplaced)
      .value("FAILED_AFTER", Because::kFailedAfter)
      .value("FAILED_BEFORE", Because::kFailedBefore);

  nb::enum_<graphs::TimeEdges>(m, "TimeEdges", "Which edges of time are included: see all_edges.hpp.")
      .value("NONE", graphs::TimeEdges::kNone)
      .value("MINIMAL", graphs::TimeEdges::kMinimal)
      .value("ALL", graphs::TimeEdges::kAll);

  nb::enum_<Proof>(m, "Proof", "The result of checking a refutation.")
      .value("HOLDS", Proof::kHolds)
      .value("BROKEN", Proof::kBroken)
      .value("TOO_LONG", Proof::kTooLong);

  nb::class_<Link>(m, "Link", "One operation must come before another.")
      .def_ro("source", &Link::from, "Its position; -1 for the initial state.")
      .def_ro("target", &Link::to)
      .def_ro("because", &Link::because)
      .def_ro("word", &Link::word, "The number of the word, or -1.")
      .def_ro("value", &Link::value, "The number of its value, or -1.");

  nb::class_<Graphed>(m, "Graphed", "The precedence graph's answer for one object.")
      .def_prop_ro("status", [](const Graphed& self) { return self.outcome.status; })
      .def_prop_ro("order", [](const Graphed& self) { return Positions(self.outcome.order); })
      .def_prop_ro("reason", [](const Graphed& self) { return self.outcome.refutation.reason; })
      .def_prop_ro("contradictions",
                   [](const Graphed& self) {
                     std::vector<std::vector<Link>> all;
                     for (const auto& each : self.outcome.refutation.contradictions) all.push_back(each.links);
                     return all;
                   })
      .def_prop_ro("failed", [](const Graphed& self) { return self.outcome.refutation.failed; })
      .def_prop_ro("kept", [](const Graphed& self) { return self.outcome.refutation.kept; })
      .def_prop_ro(
          "scope", [](const Graphed& self) { return self.outcome.refutation.scope; },
          "With blind writes: operations that are a violation by themselves, which is not certified yet.")
      .def_prop_ro("exclusion", [](const Graphed& self) { return self.outcome.exclusion; })
      .def_prop_ro("culprit", [](const Graphed& self) { return self.outcome.culprit; })
      .def_prop_ro(
          "flaw", [](const Graphed& self) { return std::pair(self.flaw.flaw, self.flaw.position); },
          "The flaw in the order, and its operation.")
      .def_ro("proof", &Graphed::proof, "Whether the refutation was certified.");

  m.def("graph", &graph, "columns"_a, "positions"_a, "content"_a, "blueprint"_a, "condition"_a, "stop"_a, "paper"_a,
        "parallel"_a, "Decide the operations on one memory with this initial content, and certify the evidence.");
  m.def(
      "graph_edges",
      [](const Columns& columns, const Positions& positions, const Content& content, const Blueprint& blueprint,
         Condition condition, graphs::TimeEdges times, const Positions& around) {
        const nb::gil_scoped_release nogil;
        auto links = graphs::edges({columns, positions.all, condition, blueprint, content}, times);
        // For a long history, a picture shows a few operations; all links as Python objects would take gigabytes.
        std::vector<char> near(columns.size());
        for (const std::int32_t each : around.all) near.at(static_cast<std::size_t>(each)) = 1;
        std::erase_if(links, [&](const Link& link) {
          return near[static_cast<std::size_t>(link.to)] == 0 &&
                 (link.from == histories::kNone || near[static_cast<std::size_t>(link.from)] == 0);
        });
        return links;
      },
      "columns"_a, "positions"_a, "content"_a, "blueprint"_a, "condition"_a, "times"_a, "around"_a,
      "The edges of the precedence graph that begin or end at one of the operations `around`.");
  m.def("measure_graph", &measure, "columns"_a, "positions"_a, "content"_a, "blueprint"_a, "condition"_a, "times"_a,
        "The numbers of time edges and of other edges, and whether a search finds no cycle.");
  m.def(
      "words_fit",
      [](const Columns& columns, const Blueprint& blueprint, bool parallel) {
        const nb::gil_scoped_release nogil;
        const specs::Words words(columns, blueprint);
        const auto fit = [&](std::size_t from, std::size_t to) {
          std::vector<specs::Cell> cells;
          for (std::size_t op = from; op < to; ++op)
            if (!words.fits(op, cells)) return false;
          return true;
        };
        const std::size_t half = parallel && columns.size() > histories::kWorthAThread ? columns.size() / 2 : 0;
        const auto launch = half > 0 ? std::launch::async : std::launch::deferred;
        std::future<bool> first = std::async(launch, fit, 0, half);
        const bool second = fit(half, columns.size());
        return first.get() && second;
      },
      "columns"_a, "blueprint"_a, "parallel"_a = false,
      "Whether the arguments of all operations are lists of cells as the spec requires.");
}

}  // namespace linpoint::bindings
