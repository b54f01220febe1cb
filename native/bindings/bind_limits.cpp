// SPDX-License-Identifier: Apache-2.0
// Python bindings of the guard of a command's limits.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>

#include "bindings/python_buffers.hpp"
#include "linpoint/limits/process_guard.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using limits::Limit;
using limits::Limits;
using limits::ProcessGuard;

namespace {

std::string text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

}  // namespace

void bind_limits(nb::module_& native) {
  nb::module_ m = native.def_submodule("limits", "The guard of a command's limits.");
  nb::enum_<Limit>(m, "Limit")
      .value("NONE", Limit::kNone)
      .value("TIME", Limit::kTime)
      .value("MEMORY", Limit::kMemory)
      .value("INTERRUPT", Limit::kInterrupt);

  nb::class_<ProcessGuard>(m, "ProcessGuard", "Enforces the limits of a command: see process_guard.hpp.")
      .def(
          "__init__",
          [](ProcessGuard* self, std::optional<double> seconds, double time_grace, double interrupt_grace,
             std::optional<std::size_t> memory, std::optional<std::size_t> memory_ceiling, int alert) {
            Limits given;
            given.deadline = seconds.value_or(given.deadline);
            given.time_grace = time_grace;
            given.interrupt_grace = interrupt_grace;
            given.memory = memory.value_or(given.memory);
            given.memory_ceiling = memory_ceiling.value_or(given.memory_ceiling);
            new (self) ProcessGuard(given, alert);
          },
          "seconds"_a.none(), "time_grace"_a, "interrupt_grace"_a, "memory"_a.none(), "memory_ceiling"_a.none(),
          "alert"_a)
      .def_prop_ro("signal_descriptor", &ProcessGuard::signal_descriptor)
      .def(
          "frame",
          [](ProcessGuard& self, const nb::bytes& before, const nb::bytes& between, const nb::bytes& after,
             const nb::bytes& errors, int out,
             int err) { self.frame(text_of(before), text_of(between), text_of(after), text_of(errors), out, err); },
          "before"_a, "between"_a, "after"_a, "errors"_a, "out"_a, "err"_a)
      .def(
          "part",
          [](ProcessGuard& self, std::size_t index, const nb::bytes& text, int code) {
            self.part(index, text_of(text), code);
          },
          "index"_a, "text"_a, "code"_a)
      .def(
          "progress", [](ProcessGuard& self, const nb::bytes& words) { self.progress(text_of(words)); }, "words"_a)
      .def_prop_ro("announced", &ProcessGuard::announced)
      .def("resume", &ProcessGuard::resume)
      .def("release", &ProcessGuard::release, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "answer_marks", [] { return std::tuple(limits::kLimitMark, limits::kProgressMark, limits::kPeakMark); },
      "The placeholders in a prepared answer for the limit, the progress and the peak of memory.");
}

}  // namespace linpoint::bindings
