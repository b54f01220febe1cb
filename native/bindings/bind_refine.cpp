// SPDX-License-Identifier: Apache-2.0
// Python bindings of models and their searches: programs in, state numbers and the steps of a run out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/model_spec_callbacks.hpp"
#include "bindings/python_buffers.hpp"
#include "linpoint/refine/state_search.hpp"
#include "linpoint/refine/step_details.hpp"

namespace linpoint::bindings {

namespace nb = nanobind;
using namespace nb::literals;
using namespace refine;
using search::StopToken;

namespace {

using Numbers = std::vector<std::int64_t>;
using Row = const Numbers&;

std::uint32_t narrow(std::int64_t number) { return static_cast<std::uint32_t>(number); }

Instruction instruction_of(Row row) {
  Instruction made;
  made.code = static_cast<Code>(row.at(0));
  made.a = static_cast<std::uint8_t>(row.at(1));
  made.b = static_cast<std::uint8_t>(row.at(2));
  made.c = static_cast<std::uint8_t>(row.at(3));
  made.where = static_cast<std::int32_t>(row.at(4));
  made.other = static_cast<std::int32_t>(row.at(5));
  made.target = static_cast<std::int32_t>(row.at(6));
  made.value = narrow(row.at(7));
  made.first_choice = narrow(row.at(8));
  made.choices = narrow(row.at(9));
  made.live = static_cast<std::uint64_t>(row.at(10)) | static_cast<std::uint64_t>(row.at(11)) << 32U;
  made.stop = narrow(row.at(12));
  return made;
}

Place place_of(Row row) {
  Place made;
  made.kind = static_cast<PlaceKind>(row.at(0));
  made.reg = static_cast<std::uint8_t>(row.at(1));
  made.local = row.at(2) != 0;
  made.base = narrow(row.at(3));
  made.size = narrow(row.at(4));
  made.width = narrow(row.at(5));
  made.stride = narrow(row.at(6));
  made.node_class = narrow(row.at(7));
  return made;
}

std::vector<Footprint> footprints(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& pairs) {
  std::vector<Footprint> made;
  for (const auto& [reads, writes] : pairs) made.push_back({reads, writes});
  return made;
}

/// The numbers of a program by name, so that none can be mistaken for another.
void set_numbers(Program& program, const std::map<std::string, std::int64_t>& numbers) {
  const std::map<std::string, std::uint32_t*> known{
      {"processes", &program.processes},
      {"operations", &program.operations},
      {"first_node", &program.first_node},
      {"nodes", &program.nodes},
      {"first_integer", &program.first_integer},
      {"zero", &program.zero},
      {"highest", &program.highest},
      {"counted_bits", &program.counted_bits},
      {"slot_bytes", &program.slot_bytes},
      {"slots", &program.slots},
      {"cells", &program.cells},
      {"private_base", &program.private_base},
      {"owner_base", &program.owner_base},
      {"process_base", &program.process_base},
      {"process_slots", &program.process_slots},
      {"calls_slot", &program.calls_slot},
      {"link_slot", &program.link_slot},
      {"registers_slot", &program.registers_slot},
      {"registers", &program.registers},
      {"buffer_slot", &program.buffer_slot},
      {"buffer_entries", &program.buffer_entries},
      {"buffer_width", &program.buffer_width},
  };
  const std::map<std::string, bool*> flags{
      {"canonical_heap", &program.canonical_heap},
      {"fused", &program.fused},
      {"local_steps", &program.local_steps},
      {"symmetric", &program.symmetric},
      {"ample", &program.ample},
      {"store_buffers", &program.store_buffers},
      {"points", &program.points},
      {"compact", &program.compact},
  };
  for (const auto& [name, value] : numbers) {
    if (const auto found = known.find(name); found != known.end())
      *found->second = narrow(value);
    else if (const auto flag = flags.find(name); flag != flags.end())
      *flag->second = value != 0;
    else if (name == "heap")
      program.heap = static_cast<Heap>(value);
    else
      throw std::invalid_argument("a program has no " + name);
  }
}

/// A search with the Python objects it needs, which must outlive it.
class OwnedModelSearch {
 public:
  OwnedModelSearch(nb::object program, nb::object spec, nb::object stop, unsigned threads)
      : program_(std::move(program)),
        spec_(std::move(spec)),
        stop_(std::move(stop)),
        model_(nb::cast<const Program&>(program_)),
        python_(spec_.is_none() ? nullptr : &nb::cast<AskingSystem&>(spec_)) {
    auto& token = nb::cast<StopToken&>(stop_);
    if (python_ != nullptr) {
      python_->use(token);
      sets_ = std::make_unique<SpecSets>(python_->system(), model_.processes,
                                         static_cast<unsigned>(model_.invocations.size()), results(), !model_.points,
                                         token);
    }
    search_ = std::make_unique<Search>(model_, sets_.get(), threads, token);
  }

  Reached run(std::uint32_t most_depth, bool deadlocks) {
    Reached reached;
    {
      const nb::gil_scoped_release nogil;
      reached = search_->run(most_depth, deadlocks);
    }
    rethrow();
    return reached;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shortest_run() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
    {
      const nb::gil_scoped_release nogil;
      for (const Choice& each : search_->shortest_run()) out.emplace_back(each.process, each.successor);
    }
    rethrow();
    return out;
  }
  /// The infinite run found, if any: whether there is one, whether it ends waiting, the process, the number of steps
  /// before the cycle, and all steps.
  std::tuple<bool, bool, std::uint32_t, std::size_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> lasso(
      int property, int fairness) {
    Lasso found;
    {
      const nb::gil_scoped_release nogil;
      found = search_->find_lasso(static_cast<Property>(property), static_cast<Fairness>(fairness));
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> choices;
    for (const Choice& each : found.choices) choices.emplace_back(each.process, each.successor);
    return {found.found, found.waits, found.process, found.stem.size(), choices};
  }
  std::vector<Slot> first() {
    std::vector<Slot> state;
    {
      const nb::gil_scoped_release nogil;
      state = first_state(model_, sets_.get());
    }
    rethrow();
    return state;
  }
  std::vector<Step> steps(const std::vector<Slot>& state) {
    if (state.size() != model_.slots) throw std::invalid_argument("this is no state of the program");
    std::vector<Step> found;
    {
      const nb::gil_scoped_release nogil;
      found = steps_of(model_, sets_.get(), state);
    }
    rethrow();
    return found;
  }
  std::vector<Configuration> configurations(Slot set) {
    return sets_ == nullptr || set >= sets_->size() ? std::vector<Configuration>{} : sets_->configurations(set);
  }
  [[nodiscard]] std::uint64_t states() const { return search_->progress().states.load(); }
  [[nodiscard]] std::uint32_t depth() const { return search_->progress().depth.load(); }

 private:
  /// An estimate of the number of different results: a few, plus the values that operations are called with.
  [[nodiscard]] unsigned results() const {
    std::set<Slot> values;
    for (const Invocation& each : model_.invocations) values.insert(each.arguments.begin(), each.arguments.end());
    return std::min(6 + static_cast<unsigned>(values.size()), 24U);
  }
  void rethrow() {
    if (python_ != nullptr) python_->rethrow();
  }

  nb::object program_;
  nb::object spec_;
  nb::object stop_;
  const Program& model_;
  AskingSystem* python_;
  std::unique_ptr<SpecSets> sets_;
  std::unique_ptr<Search> search_;
};

void bind_step_details(nb::module_& m) {
  nb::class_<Violation>(m, "ModelViolation", "A step of a model that causes a violation.")
      .def_prop_ro("wrong", [](const Violation& v) { return static_cast<int>(v.wrong); })
      .def_prop_ro("fault", [](const Violation& v) { return static_cast<int>(v.fault); })
      .def_ro("process", &Violation::process)
      .def_ro("instruction", &Violation::instruction);
  nb::class_<Reached>(m, "ModelReached", "How far a search of a model got.")
      .def_prop_ro("ending", [](const Reached& r) { return static_cast<int>(r.ending); })
      .def_ro("states", &Reached::states)
      .def_ro("transitions", &Reached::transitions)
      .def_ro("depth", &Reached::depth)
      .def_ro("memory", &Reached::memory)
      .def_ro("sets", &Reached::sets)
      .def_prop_ro("room", [](const Reached& r) { return static_cast<int>(r.room); })
      .def_ro("instruction", &Reached::instruction)
      .def_prop_ro("violations", [](const Reached& r) { return r.violations; })
      .def_prop_ro("returns", [](const Reached& r) { return r.returns; });
  nb::class_<Event>(m, "ModelEvent", "An event within a step of a model.")
      .def_prop_ro("kind", [](const Event& e) { return static_cast<int>(e.kind); })
      .def_ro("process", &Event::process)
      .def_ro("instruction", &Event::instruction)
      .def_ro("number", &Event::number)
      .def_ro("address", &Event::address)
      .def_prop_ro("before", [](const Event& e) { return e.before; })
      .def_prop_ro("after", [](const Event& e) { return e.after; })
      .def_prop_ro("result", [](const Event& e) { return e.result; });
  nb::class_<Step>(m, "ModelStep", "A step of a model, and the state after it.")
      .def_ro("process", &Step::process)
      .def_ro("successor", &Step::successor)
      .def_ro("wrong", &Step::wrong)
      .def_prop_ro("events", [](const Step& s) { return s.events; })
      .def_prop_ro("state", [](const Step& s) { return s.state; });
}

}  // namespace

void bind_refine(nb::module_& native) {
  nb::module_ m = native.def_submodule("refine", "Models and their searches.");
  bind_step_details(m);
  nb::class_<Program>(m, "ModelProgram", "A model, assembled for a number of processes.")
      .def(
          "__init__",
          [](Program* self, const std::map<std::string, std::int64_t>& numbers, const std::vector<Numbers>& code,
             const std::vector<Numbers>& places, const std::vector<Numbers>& classes, std::vector<Slot> choices,
             const std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::vector<Slot>>>& invocations,
             const std::vector<std::pair<std::uint32_t, std::uint32_t>>& groups, std::vector<std::uint32_t> stops,
             std::vector<std::uint32_t> gives, std::vector<Slot> initial, std::vector<std::uint8_t> widths,
             std::int32_t setup, const std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>>& touched) {
            auto made = std::make_unique<Program>();
            set_numbers(*made, numbers);
            for (Row row : code) made->code.push_back(instruction_of(row));
            for (Row row : places) made->places.push_back(place_of(row));
            for (Row row : classes)
              made->classes.push_back(
                  {narrow(row.at(0)), narrow(row.at(1)), narrow(row.at(2)), narrow(row.at(3)), narrow(row.at(4))});
            made->choices = std::move(choices);
            for (const auto& [entry, group, needs, arguments] : invocations)
              made->invocations.push_back({entry, group, needs, arguments});
            for (const auto& [first, count] : groups) made->groups.push_back({first, count});
            made->stops = std::move(stops);
            made->gives = std::move(gives);
            made->initial = std::move(initial);
            made->widths = std::move(widths);
            made->setup = setup;
            made->touched_by = footprints(touched.at(0));
            made->touched_at = footprints(touched.at(1));
            made->touched_from = footprints(touched.at(2));
            if (made->processes > kMostProcesses) throw std::invalid_argument("too many processes");
            if (made->nodes > kMostNodes) throw std::invalid_argument("too many nodes");
            if (made->initial.size() != made->slots) throw std::invalid_argument("the first state has another size");
            new (self) Program(std::move(*made));
          },
          "numbers"_a, "code"_a, "places"_a, "classes"_a, "choices"_a, "invocations"_a, "groups"_a, "stops"_a,
          "gives"_a, "initial"_a, "widths"_a, "setup"_a, "touched"_a);
  nb::class_<AskingSystem>(m, "ModelSpecification", "The specification that a search compares a model with.")
      .def_prop_ro("caller", &AskingSystem::caller);
  nb::class_<AbstractModel, AskingSystem>(m, "AbstractModel", "Another model as the specification.")
      .def(nb::init<nb::object, std::vector<unsigned>, nb::callable>(), "program"_a, "invocations"_a, "same"_a)
      .def_prop_ro("fault", &AbstractModel::fault);
  nb::class_<PythonSpec, AskingSystem>(m, "ModelSpec", "A sequential spec, as a search of a model calls it.")
      .def(nb::init<unsigned, unsigned, std::uint32_t, bool, nb::callable, nb::callable>(), "processes"_a,
           "invocations"_a, "initial"_a, "by_process"_a, "apply"_a, "allows"_a)
      .def("status", &PythonSpec::status, "number"_a);
  nb::class_<OwnedModelSearch>(m, "ModelSearch",
                               "Breadth-first search of the product of a model and its specification.")
      .def(nb::init<nb::object, nb::object, nb::object, unsigned>(), "program"_a, "spec"_a.none(), "stop"_a,
           "threads"_a)
      .def("run", &OwnedModelSearch::run, "most_depth"_a, "deadlocks"_a)
      .def("shortest_run", &OwnedModelSearch::shortest_run)
      .def("lasso", &OwnedModelSearch::lasso, "property"_a, "fairness"_a)
      .def("first", &OwnedModelSearch::first)
      .def("steps", &OwnedModelSearch::steps, "state"_a)
      .def("configurations", &OwnedModelSearch::configurations, "set"_a)
      .def_prop_ro("states", &OwnedModelSearch::states)
      .def_prop_ro("depth", &OwnedModelSearch::depth);
}

}  // namespace linpoint::bindings
