// SPDX-License-Identifier: Apache-2.0
// The only file that knows Python: columns of integers in, one result out, the GIL released in between and taken
// back only to ask a spec for a missing cell.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <string>

#include "linpoint/search/search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using linpoint::search::Pair;
using linpoint::search::Problem;
using linpoint::search::Result;
using linpoint::search::State;
using linpoint::search::StopReason;
using linpoint::search::StopToken;
using linpoint::search::Symbol;
using linpoint::search::TransitionTable;

namespace {

template <typename T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> view(const Column<T>& column) {
  return {column.data(), column.shape(0)};
}

std::span<const Pair> pairs(const Column<std::int32_t>& flat) {
  static_assert(sizeof(Pair) == 2 * sizeof(std::int32_t));
  return {reinterpret_cast<const Pair*>(flat.data()), flat.shape(0) / 2};
}

/// Asks the spec for a cell. What it raises (Ctrl-C among it) ends the search and is kept for the caller.
void fill(const nb::callable& step, StopToken& stop, std::exception_ptr& error, State state, Symbol symbol,
          std::vector<State>& out) {
  const nb::gil_scoped_acquire gil;
  try {
    for (const nb::handle each : step(state, symbol)) out.push_back(nb::cast<State>(each));
  } catch (const std::exception&) {
    out.clear();
    if (!error) error = std::current_exception();
    stop.stop(StopReason::kRequest);
  }
}

using Search = Result (*)(const Problem&, TransitionTable&, StopToken&);

template <Search search>
Result run(const Column<std::int32_t>& symbol, const Column<std::int64_t>& call, const Column<std::int64_t>& ret,
           const Column<std::uint8_t>& optional, const Column<std::uint8_t>& reads, const Column<std::int32_t>& before,
           const Column<std::int32_t>& excluded, State initial, const nb::callable& step, StopToken& stop) {
  const Problem problem{view(symbol), view(call),    view(ret),       view(optional),
                        view(reads),  pairs(before), pairs(excluded), initial};
  std::exception_ptr error;  // outlives the block below: it may hold Python objects
  Result result;
  {
    const nb::gil_scoped_release nogil;
    TransitionTable table(
        [&](State state, Symbol each, std::vector<State>& out) { fill(step, stop, error, state, each, out); });
    result = search(problem, table, stop);
  }
  if (error) std::rethrow_exception(error);
  return result;
}

template <Search search>
void bind_search(nb::module_& m, const char* name, const char* doc) {
  m.def(name, &run<search>, "symbol"_a, "call"_a, "ret"_a, "optional"_a, "reads"_a, "before"_a, "excluded"_a,
        "initial"_a, "step"_a, "stop"_a, doc,
        nb::sig((std::string("def ") + name +
                 "(symbol: Buffer, call: Buffer, ret: Buffer, optional: Buffer, reads: Buffer, before: Buffer, "
                 "excluded: Buffer, "
                 "initial: int, step: Callable[[int, int], list[int]], stop: StopToken) -> Result")
                    .c_str()));
}

}  // namespace

NB_MODULE(_native, m) {
  // A search inside an endless call of a user's spec is left behind when the budget ends: no bug worth a warning.
  nb::set_leak_warnings(false);
  m.doc() = "Native core of linpoint. Private: import from the public modules instead.";

  nb::enum_<StopReason>(m, "StopReason")
      .value("NONE", StopReason::kNone)
      .value("TIME", StopReason::kTime)
      .value("MEMORY", StopReason::kMemory)
      .value("REQUEST", StopReason::kRequest);

  nb::enum_<linpoint::search::Status>(m, "SearchStatus")
      .value("LINEARIZABLE", linpoint::search::Status::kLinearizable)
      .value("VIOLATION", linpoint::search::Status::kViolation)
      .value("STOPPED", linpoint::search::Status::kStopped);

  nb::class_<StopToken>(m, "StopToken", "When to stop; shared by the searches of one check.")
      .def(nb::init<>())
      .def("set_time_limit", &StopToken::set_time_limit, "seconds"_a)
      .def("set_memory_limit", &StopToken::set_memory_limit, "bytes"_a)
      .def("stop", &StopToken::stop, "reason"_a)
      .def("poll", &StopToken::poll)
      .def_prop_ro("stopped", &StopToken::stopped)
      .def_prop_ro("reason", &StopToken::reason)
      .def_prop_ro("memory", &StopToken::memory)
      .def_prop_ro("configurations", [](const StopToken& t) { return t.configurations.load(); })
      .def_prop_ro("linearized", [](const StopToken& t) { return t.linearized.load(); });

  nb::class_<Result>(m, "Result", "The answer of a search.")
      .def_ro("status", &Result::status)
      .def_ro("order", &Result::order)
      .def_ro("configurations", &Result::configurations);

  bind_search<linpoint::search::wing_gong>(m, "wing_gong", "Wing and Gong's search.");
  bind_search<linpoint::search::depth_first>(m, "depth_first", "Lowe's depth-first search with a table.");
}
