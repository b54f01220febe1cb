// SPDX-License-Identifier: Apache-2.0
// Python bindings of searches over frontiers.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>

#include "bindings/operation_positions.hpp"
#include "bindings/owned_search.hpp"
#include "bindings/python_buffers.hpp"
#include "linpoint/certificates/refutation_scope.hpp"
#include "linpoint/frontiers/frontier_search.hpp"
#include "linpoint/frontiers/refuted_part.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using frontiers::Exclusion;
using frontiers::FrontierSearch;
using histories::Columns;
using search::Condition;
using search::Problem;
using search::StopToken;
using specs::Blueprint;
using Content = std::vector<std::int64_t>;

namespace {

std::unique_ptr<OwnedSearch> frontier(const Columns& columns, const nb::object& problem, const Blueprint& blueprint,
                                      const Content& content, const nb::object& stop) {
  const auto& given = nb::cast<const Problem&>(problem);
  auto& token = nb::cast<StopToken&>(stop);
  std::unique_ptr<FrontierSearch> made;
  {
    const nb::gil_scoped_release nogil;
    made = frontiers::frontier_search(columns, given, blueprint, content, token);
  }
  return std::make_unique<OwnedSearch>(OwnedSearch{problem, nb::none(), stop, &given, std::move(made)});
}

/// The refuted part that a search has found, and which of its operations may be left out. The operations of `positions`
/// that are not in the problem, because they cannot matter, may be left out; they belong to the part.
std::pair<Positions, Positions> refuted_part(const Columns& columns, const Positions& positions,
                                             const OwnedSearch& owned, const Blueprint& blueprint,
                                             const Content& content, std::uint64_t allowance, StopToken& stop) {
  const nb::gil_scoped_release nogil;
  const Problem& problem = *owned.given;
  const std::int32_t last = dynamic_cast<const FrontierSearch&>(*owned.search).last();
  const auto part = frontiers::refuted_part(columns, problem, blueprint, content, last, allowance, stop);
  std::vector<std::int32_t> all = positions_of(problem, part.operations);
  std::vector<std::int32_t> known = problem.position;
  std::sort(known.begin(), known.end());
  std::set_difference(positions.all.begin(), positions.all.end(), known.begin(), known.end(), std::back_inserter(all));
  std::vector<std::int32_t> open = positions_of(problem, part.open);
  std::sort(all.begin(), all.end());
  std::sort(open.begin(), open.end());
  return {std::move(all), std::move(open)};
}

}  // namespace

void bind_frontiers(nb::module_& native) {
  nb::module_ m = native.def_submodule("frontiers", "Searches over frontiers.");
  nb::enum_<Exclusion>(m, "FrontierExclusion", "Why searches over frontiers do not apply: see frontier_search.hpp.")
      .value("NONE", Exclusion::kNone)
      .value("KIND", Exclusion::kKind)
      .value("OPERATION", Exclusion::kOperation)
      .value("CONSTRAINED", Exclusion::kConstrained)
      .value("DEADLINE", Exclusion::kDeadline)
      .value("NULL", Exclusion::kNull)
      .value("CAPACITY", Exclusion::kCapacity)
      .value("WIDTH", Exclusion::kWidth);
  m.def(
      "frontier_exclusion",
      [](const Columns& columns, const Problem& problem, const Blueprint& blueprint, const Content& content) {
        const nb::gil_scoped_release nogil;
        return frontiers::exclusion(columns, problem, blueprint, content);
      },
      "columns"_a, "problem"_a, "blueprint"_a, "content"_a,
      "Why a search over frontiers does not apply to a problem, if so.");
  m.def("frontier", &frontier, "columns"_a, "problem"_a, "blueprint"_a, "content"_a, "stop"_a,
        "The search over frontiers for the operations of one object; it must apply to them.");
  m.def("refuted_part", &refuted_part, "columns"_a, "positions"_a, "search"_a, "blueprint"_a, "content"_a,
        "allowance"_a, "stop"_a,
        "The shortest refuted prefix that a search over frontiers has found, with few values, and which of its "
        "operations may be left out.");
  m.def(
      "last_of_refuted",
      [](const OwnedSearch& owned) {
        const std::int32_t last = dynamic_cast<const FrontierSearch&>(*owned.search).last();
        return owned.given->position[static_cast<std::size_t>(last)];
      },
      "search"_a, "The operation whose return ends the refuted prefix.");
  m.def(
      "certify_start",
      [](const Columns& columns, const Positions& positions, const Positions& scope, const Positions& open,
         Condition condition, const Blueprint& blueprint, std::size_t items) {
        const nb::gil_scoped_release nogil;
        const verdicts::Finding found =
            verdicts::check_start(columns, positions.all, scope.all, open.all, condition, blueprint, items);
        return std::pair(found.flaw, found.position);
      },
      "columns"_a, "positions"_a, "scope"_a, "open"_a, "condition"_a, "blueprint"_a, "items"_a,
      "The operation that must not be left out of a refuted prefix, if any.");
}

}  // namespace linpoint::bindings
