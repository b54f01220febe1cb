// SPDX-License-Identifier: Apache-2.0
// Python bindings of decisions about all objects of a short history in one call.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings/operation_positions.hpp"
#include "bindings/python_buffers.hpp"
#include "linpoint/decisions/object_decisions.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using decisions::Decider;
using decisions::ObjectAnswer;
using histories::Columns;

void bind_decisions(nb::module_& native) {
  nb::module_ m = native.def_submodule("decisions", "All objects of a short history in one call.");
  nb::enum_<Decider>(m, "Decider", "The algorithm that answered: see object_decisions.hpp.")
      .value("NONE", Decider::kNone)
      .value("MONITOR", Decider::kMonitor)
      .value("DEPTH_FIRST", Decider::kDepthFirst)
      .value("WING_GONG", Decider::kWingGong)
      .value("LINEAR", Decider::kLinear);

  nb::class_<ObjectAnswer>(m, "ObjectAnswer", "The answer for one object.")
      .def_prop_ro("positions", [](const ObjectAnswer& self) { return Positions(self.positions); })
      .def_ro("by", &ObjectAnswer::by)
      .def_ro("linearizable", &ObjectAnswer::linearizable)
      .def_prop_ro("order", [](const ObjectAnswer& self) { return Positions(self.order); })
      .def_ro("configurations", &ObjectAnswer::configurations)
      .def_prop_ro("reason", [](const ObjectAnswer& self) { return self.pattern.reason; })
      .def_prop_ro("evidence", [](const ObjectAnswer& self) { return self.pattern.evidence; })
      .def_prop_ro("scope", [](const ObjectAnswer& self) { return Positions(self.pattern.scope); })
      .def_ro("exclusion", &ObjectAnswer::exclusion)
      .def_ro("culprit", &ObjectAnswer::culprit)
      .def_prop_ro(
          "flaw", [](const ObjectAnswer& self) { return std::pair(self.flaw.flaw, self.flaw.position); },
          "The flaw in the order, and its operation.");

  m.def(
      "decide_objects",
      [](const Columns& columns, const specs::Blueprint& blueprint, const std::vector<std::int32_t>& names,
         const std::vector<std::pair<std::int32_t, std::int32_t>>& arities, const std::vector<std::int64_t>& content,
         std::uint64_t allowance, search::StopToken& stop, bool parallel) {
        const nb::gil_scoped_release nogil;
        std::vector<decisions::Arity> pairs;
        pairs.reserve(arities.size());
        for (const auto& [least, most] : arities) pairs.push_back({least, most});
        return decisions::decide_objects(columns, blueprint, names, pairs, content, allowance, stop, parallel)
            .value_or(std::vector<ObjectAnswer>());
      },
      "columns"_a, "blueprint"_a, "names"_a, "arities"_a, "content"_a, "allowance"_a, "stop"_a, "parallel"_a,
      "Decide and certify all objects, or none of them.");
}

}  // namespace linpoint::bindings
