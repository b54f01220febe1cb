// SPDX-License-Identifier: Apache-2.0
// Python bindings of histories as columns.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "bindings/operation_positions.hpp"
#include "bindings/python_buffers.hpp"
#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/list_equality.hpp"
#include "linpoint/histories/operation_grouping.hpp"
#include "linpoint/histories/time_ranking.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using histories::Classes;
using histories::Columns;

namespace {

/// Inconsistent columns must not reach the core, which trusts them.
void require(bool fits) {
  if (!fits) throw nb::value_error("columns do not fit together");
}

/// Whether every value of the columns has a number below `size`.
void require_numbers(const Columns& columns, std::size_t size) {
  const auto fit = [size](const std::vector<std::int32_t>& all) {
    return std::ranges::all_of(all, [size](std::int32_t each) { return each < static_cast<std::int64_t>(size); });
  };
  require(fit(columns.key) && fit(columns.result) && fit(columns.arguments));
  require(!columns.lists || fit(columns.lists->tokens));
}

void construct(Columns* self, const Column<std::int32_t>& process, const Column<std::int64_t>& call,
               const Column<std::int64_t>& ret, const Column<std::int64_t>& end, const Column<std::uint8_t>& outcome,
               const Column<std::int32_t>& key, const Column<std::int32_t>& name, const Column<std::int32_t>& result,
               const Column<std::int32_t>& arity, const Column<std::int32_t>& arguments,
               const Column<std::int64_t>& hint, const Column<std::int64_t>& crash_time,
               const Column<std::int64_t>& crash_begin, const Column<std::int64_t>& crash_end,
               const Column<std::int32_t>& crash_process, bool skewed) {
  new (self) Columns{.process = copy(process),
                     .call = copy(call),
                     .ret = copy(ret),
                     .end = copy(end),
                     .outcome = copy(outcome),
                     .key = copy(key),
                     .name = copy(name),
                     .result = copy(result),
                     .first_argument = {0},
                     .arguments = copy(arguments),
                     .hint = copy(hint),
                     .crashes = {},
                     .lists = nullptr,
                     .skewed = skewed};
  const std::size_t operations = self->size();
  for (const std::size_t length : {self->process.size(), self->ret.size(), self->end.size(), self->outcome.size(),
                                   self->key.size(), self->name.size(), self->result.size(), arity.shape(0)})
    require(length == operations);
  if (!skewed) self->end = {};
  require(self->hint.empty() || self->hint.size() == operations);
  for (const std::size_t length : {crash_begin.shape(0), crash_end.shape(0), crash_process.shape(0)})
    require(length == crash_time.shape(0));
  self->first_argument.reserve(operations + 1);
  for (const std::int32_t count : view(arity)) {
    require(count >= 0);
    self->first_argument.push_back(self->first_argument.back() + count);
  }
  require(static_cast<std::size_t>(self->first_argument.back()) == self->arguments.size());
  const auto numbers = [](const std::vector<std::int32_t>& all) {
    return std::ranges::all_of(all, [](std::int32_t each) { return each >= 0; });
  };
  require(numbers(self->result) && numbers(self->arguments));
  for (std::size_t i = 0; i < crash_time.shape(0); ++i)
    self->crashes.push_back(
        {crash_time.data()[i], crash_begin.data()[i], crash_end.data()[i], crash_process.data()[i]});
}

using TimedSpan = std::tuple<std::int32_t, std::int64_t, std::int64_t, histories::Phase, histories::Phase>;

std::tuple<std::vector<std::int64_t>, std::vector<std::int64_t>, std::vector<std::vector<std::int32_t>>> rank(
    const std::vector<TimedSpan>& spans) {
  std::vector<histories::Span> native;
  native.reserve(spans.size());
  for (const auto& [process, call, ret, call_phase, return_phase] : spans)
    native.push_back({process, call, ret, call_phase, return_phase});
  histories::Order order = histories::rank(native);
  return {std::move(order.calls), std::move(order.returns), std::move(order.chains)};
}

std::vector<std::int32_t> effective(const Columns& columns) {
  std::vector<std::int32_t> positions;
  positions.reserve(columns.size());
  for (std::size_t op = 0; op < columns.size(); ++op)
    if (!columns.failed(op)) positions.push_back(static_cast<std::int32_t>(op));
  return positions;
}

}  // namespace

void bind_histories(nb::module_& m) {
  nb::class_<Positions>(m, "Positions", "Positions of operations, a sequence of integers.")
      .def(nb::init_implicit<std::vector<std::int32_t>>(), "positions"_a)
      .def("__len__", [](const Positions& self) { return self.all.size(); })
      .def("__getitem__",
           [](const Positions& self, std::ptrdiff_t index) {
             const auto size = static_cast<std::ptrdiff_t>(self.all.size());
             if (index < 0) index += size;
             if (index < 0 || index >= size) throw nb::index_error();
             return self.all[static_cast<std::size_t>(index)];
           })
      .def("__iter__", [](const Positions& self) { return nb::iter(nb::cast(self.all)); })
      .def("__eq__",
           [](const Positions& self, const nb::object& other) {
             std::vector<std::int32_t> others;
             return nb::try_cast(other, others) && self.all == others;
           })
      .def("__hash__", [](const Positions& self) { return nb::hash(nb::tuple(nb::cast(self.all))); })
      .def("__repr__", [](const Positions& self) { return nb::repr(nb::cast(self.all)); })
      .def("__reduce__", [](const nb::object& self) {
        return nb::make_tuple(self.type(), nb::make_tuple(nb::cast(nb::cast<const Positions&>(self).all)));
      });

  nb::class_<Columns> columns_class(m, "Columns", "A history as integers.");

  nb::class_<Classes>(m, "Classes",
                      "Classes of equivalent operations, numbered; `first` has the first operation of each.")
      .def_ro("first", &Classes::first)
      .def("__len__", [](const Classes& classes) { return classes.first.size(); })
      .def(
          "split",
          [](const Classes& classes, const std::vector<std::int32_t>& positions) {
            return histories::split(positions, classes);
          },
          "positions"_a)
      .def(
          "split_effective",
          [](const Classes& classes, const Columns& columns) {
            std::vector<Positions> objects;
            if (classes.first.size() == 1) {  // one object, as is common in long histories
              objects.emplace_back(effective(columns));
              if (objects.front().all.empty()) objects.clear();
              return objects;
            }
            for (auto& positions : histories::split(effective(columns), classes))
              objects.emplace_back(std::move(positions));
            return objects;
          },
          "columns"_a, "The positions of the operations that did not fail, by class.")
      .def(
          "merged",
          [](const Classes& classes, const std::vector<std::int32_t>& numbers) {
            require(numbers.size() == classes.first.size());
            Classes merged{classes.of, {}};
            for (std::int32_t& each : merged.of) each = numbers[static_cast<std::size_t>(each)];
            for (std::size_t i = 0; i < numbers.size(); ++i)
              if (static_cast<std::size_t>(numbers[i]) == merged.first.size()) merged.first.push_back(classes.first[i]);
            return merged;
          },
          "numbers"_a, "Merged classes: `numbers` maps each class to its new class; numbered in order of appearance.");

  columns_class
      .def("__init__", &construct, "process"_a, "call"_a, "ret"_a, "end"_a, "outcome"_a, "key"_a, "name"_a, "result"_a,
           "arity"_a, "arguments"_a, "hint"_a, "crash_time"_a, "crash_begin"_a, "crash_end"_a, "crash_process"_a,
           "skewed"_a)
      .def("__len__", &Columns::size)
      .def("well_formed", &histories::well_formed)
      .def("overlaps", &histories::overlaps)
      .def("effective", &effective, "The positions of the operations that did not fail.")
      .def_prop_ro("keyed",
                   [](const Columns& columns) {
                     return std::any_of(columns.key.begin(), columns.key.end(),
                                        [](std::int32_t key) { return key != histories::kNone; });
                   })
      .def(
          "with_values",
          [](const Columns& columns, const Column<std::int32_t>& numbers) {
            require_numbers(columns, numbers.shape(0));
            return histories::with_values(columns, view(numbers));
          },
          "numbers"_a, "The same columns with other numbers for values, keys and the items of lists.")
      .def(
          "with_lists",
          [](const Columns& columns, const Column<std::int32_t>& slots, const Column<std::int64_t>& first,
             const Column<std::int32_t>& tokens) {
            require(!columns.lists);
            require_numbers(columns, slots.shape(0));
            histories::Lists lists{.first = copy(first), .tokens = copy(tokens)};
            require(histories::sound(lists));
            require(std::ranges::all_of(
                view(slots), [&](std::int32_t slot) { return slot < static_cast<std::int64_t>(lists.size()); }));
            return histories::with_lists(columns, view(slots), std::move(lists));
          },
          "slots"_a, "first"_a, "tokens"_a,
          "The same columns with lists for the arguments and results whose numbers have a slot: see list_equality.hpp.")
      .def(
          "equated",
          [](const Columns& columns, std::int32_t scalars) {
            histories::Equated equated;
            {
              const nb::gil_scoped_release released;
              equated = histories::equate(columns, scalars);
            }
            const nb::bytes lists(equated.lists.data(), equated.lists.size() * sizeof(std::int32_t));
            return std::pair(std::move(equated.columns), lists);
          },
          "scalars"_a,
          "The same columns with numbers from `scalars` on for lists, equal lists sharing one; and the first list with "
          "each number, 32 bits each.")
      .def_prop_ro(
          "lists", [](const Columns& columns) { return columns.lists ? columns.lists->size() : std::size_t{0}; },
          "The number of lists.")
      .def(
          "tokens",
          [](const Columns& columns, std::size_t list) {
            require(columns.lists && list < columns.lists->size());
            const auto tokens = (*columns.lists)[list];
            return std::vector<std::int32_t>(tokens.begin(), tokens.end());
          },
          "list"_a, "The tokens of a list: see integer_columns.hpp.")
      .def(
          "numbers_at",
          [](const Columns& columns, std::size_t position) {
            require(position < columns.size());
            const auto arguments = columns.arguments_of(position);
            return std::pair(std::vector<std::int32_t>(arguments.begin(), arguments.end()), columns.result[position]);
          },
          "position"_a, "The numbers of the arguments and of the result of an operation.")
      .def(
          "name_at",
          [](const Columns& columns, std::size_t position) {
            require(position < columns.size());
            return columns.name[position];
          },
          "position"_a, "The number of the name of an operation.")
      .def(
          "call_at",
          [](const Columns& columns, std::size_t position) {
            require(position < columns.size());
            const auto arguments = columns.arguments_of(position);
            return std::tuple(columns.name[position], columns.key[position], columns.result[position],
                              std::vector<std::int32_t>(arguments.begin(), arguments.end()));
          },
          "position"_a, "The numbers of the name, the key, the result and the arguments of an operation.")
      .def(
          "with_skew",
          [](Columns columns, std::int64_t skew) {
            columns.end.resize(columns.size());
            for (std::size_t op = 0; op < columns.size(); ++op)
              columns.end[op] = columns.ret[op] == histories::kNever ? histories::kNever : columns.ret[op] + skew;
            for (histories::Crash& crash : columns.crashes) {
              crash.begin = crash.time - skew;
              crash.end = crash.time + skew;
            }
            columns.skewed = skew > 0;
            return columns;
          },
          "skew"_a, "The same columns with clocks that differ by up to `skew`.")
      .def_prop_ro("hinted", [](const Columns& columns) { return !columns.hint.empty(); })
      .def(
          "classify",
          [](const Columns& columns, const std::vector<std::int32_t>& names, bool arity, bool arguments, bool result,
             bool process, bool key) {
            require(names.size() > static_cast<std::size_t>(std::max(
                                       0, columns.name.empty() ? -1 : *std::ranges::max_element(columns.name))) ||
                    columns.name.empty());
            return histories::classify(
                columns, names,
                {.arity = arity, .arguments = arguments, .result = result, .process = process, .key = key});
          },
          "names"_a, nb::kw_only(), "arity"_a = false, "arguments"_a = false, "result"_a = false, "process"_a = false,
          "key"_a = false)
      .def(
          "object_at",
          [](const Columns& columns, std::size_t position, bool key_argument) {
            require(position < columns.size());
            const std::int32_t key = columns.key[position];
            return key_argument && key == histories::kNone ? columns.arguments_of(position).front() : key;
          },
          "position"_a, "key_argument"_a, "The number of the value that names the operation's object, or -1.")
      .def(
          "only_integers",
          [](const Columns& columns, const Column<std::int64_t>& integers) {
            return std::ranges::all_of(columns.arguments, [&](std::int32_t value) {
              return integers.data()[value] != std::numeric_limits<std::int64_t>::min();
            });
          },
          "integers"_a, "Whether all arguments are integers; `integers` has a flag for each value.")
      .def("by_object", &histories::by_object, "key_argument"_a)
      .def("by_first_argument", &histories::by_first_argument);

  using histories::Phase;
  nb::enum_<Phase>(m, "Phase", nb::is_arithmetic(), "What happens at one instant, in this order.")
      .value("OBJECT_CRASH_BEGINS", Phase::kObjectCrashBegins)
      .value("EARLY_RETURN", Phase::kEarlyReturn)
      .value("CRASH", Phase::kCrash)
      .value("RECOVERY", Phase::kRecovery)
      .value("CALL", Phase::kCall)
      .value("OBJECT_SAVED", Phase::kObjectSaved)
      .value("OBJECT_CRASH", Phase::kObjectCrash)
      .value("OBJECT_RECOVERY", Phase::kObjectRecovery)
      .value("RETURN", Phase::kReturn);
  m.def("rank", &rank, "spans"_a, "Ranks of calls and returns, and chains: see time_ranking.hpp.");
}

}  // namespace linpoint::bindings
