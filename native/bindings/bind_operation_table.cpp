// SPDX-License-Identifier: Apache-2.0
// Python bindings of tables that readers fill.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <string_view>

#include "bindings/python_buffers.hpp"
#include "linpoint/histories/interner.hpp"
#include "linpoint/histories/operation_table.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using histories::Columns;
using histories::Interner;
using histories::Lists;
using histories::OperationTable;
using histories::ValueStore;

namespace {

nb::object text_of(std::string_view text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr));
}

/// An integer or a string as itself, a JSON text as bytes; constants belong to the reader.
nb::object value_of(const Interner& interner, std::int32_t number) {
  if (number < 0 || static_cast<std::size_t>(number) >= interner.size()) throw nb::index_error();
  switch (interner.kind(number)) {
    case Interner::Kind::kInteger:
      return nb::int_(interner.integers()[static_cast<std::size_t>(number)]);
    case Interner::Kind::kString:
      return text_of(interner.text(number));
    case Interner::Kind::kJson: {
      const std::string_view text = interner.text(number);
      return nb::bytes(text.data(), text.size());
    }
    case Interner::Kind::kConstant:
      break;
  }
  return number == ValueStore::kNull ? nb::none() : nb::object(nb::bool_(number == ValueStore::kTrue));
}

/// The value whose tokens begin here; advances past them. A list is a tuple; `object` converts a dict.
nb::object item_of(const Interner& interner, const std::int32_t*& token, nb::handle object) {
  const std::int32_t header = *token++;
  if (header >= 0) return value_of(interner, header);
  if (header <= Lists::kFirstObject) {
    nb::dict entries;
    for (std::int32_t left = Lists::kFirstObject - header; left > 0; --left) {
      const nb::object name = value_of(interner, *token++);
      entries[name] = item_of(interner, token, object);
    }
    return object(entries);
  }
  const std::int32_t size = Lists::kFirst - header;
  const nb::object items = nb::steal(PyTuple_New(size));
  if (!items.is_valid()) throw nb::python_error();
  for (std::int32_t at = 0; at < size; ++at)
    PyTuple_SET_ITEM(items.ptr(), at, item_of(interner, token, object).release().ptr());
  return items;
}

nb::list values_of(const Interner& interner) {
  nb::list values;
  for (std::size_t number = 0; number < interner.size(); ++number)
    values.append(value_of(interner, static_cast<std::int32_t>(number)));
  return values;
}

/// The number of a string or a 64-bit integer that was read, else -1.
std::int32_t find(const Interner& interner, nb::handle value) {
  if (PyUnicode_CheckExact(value.ptr())) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (text == nullptr) PyErr_Clear();  // half a surrogate pair, which no file contains
    return text == nullptr ? -1 : interner.find_string({text, static_cast<std::size_t>(size)});
  }
  if (!PyLong_CheckExact(value.ptr())) return -1;
  int overflow = 0;
  const long long integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  return overflow != 0 ? -1 : interner.find_integer(integer);
}

nb::tuple row(const OperationTable& table, const Columns& columns, std::size_t position) {
  if (position >= columns.size()) throw nb::index_error();
  const histories::Row row = table.row(columns, position);
  nb::object clocks = nb::none();
  if (row.clocked) clocks = nb::make_tuple(row.call_clock, row.return_clock);
  return nb::make_tuple(row.process, row.name, row.arguments, row.result, row.call, row.ret,
                        static_cast<int>(row.outcome), row.key, row.hint, clocks, row.line);
}

}  // namespace

void bind_operation_table(nb::module_& m) {
  nb::class_<OperationTable>(m, "OperationTable", "The operations that a reader has read; see operation_table.hpp.")
      .def(
          "take_columns",
          [](OperationTable& table, const Column<std::int64_t>& crash_time, const Column<std::int32_t>& crash_process) {
            if (crash_time.shape(0) != crash_process.shape(0)) throw nb::value_error("columns do not fit together");
            Columns columns = table.take_columns();
            for (std::size_t i = 0; i < crash_time.shape(0); ++i) {
              const std::int64_t time = crash_time.data()[i];
              columns.crashes.push_back({time, time, time, crash_process.data()[i]});
            }
            return columns;
          },
          "crash_time"_a, "crash_process"_a,
          "The columns of the operations, with the crashes by time; may be called only once.")
      .def(
          "others", [](const OperationTable& table) { return table.others(); },
          "Entries that are not operations, as JSON texts with their lines.")
      .def(
          "names", [](const OperationTable& table) { return values_of(table.names()); }, "By number.")
      .def(
          "processes", [](const OperationTable& table) { return values_of(table.processes()); }, "By number.")
      .def_prop_ro("fractional", &OperationTable::fractional, "Whether any time is a float.")
      .def_prop_ro("clocked", &OperationTable::clocked,
                   "Whether any operation has clock readings in addition to its times.")
      .def("instant", &OperationTable::instant, "time"_a,
           "Any other time as the columns would represent it, if they can.")
      .def(
          "process_number",
          [](const OperationTable& table, nb::handle process) { return find(table.processes(), process); }, "process"_a,
          "The number of a process, or -1.")
      .def(
          "__len__", [](const OperationTable& table) { return table.values().size(); }, "The number of values.")
      .def(
          "values", [](const OperationTable& table) { return values_of(table.values()); },
          "The value of each number, as from `value`.")
      .def(
          "value", [](const OperationTable& table, std::int32_t number) { return value_of(table.values(), number); },
          "number"_a, "The value of a number; bytes are JSON text that is not decoded yet.")
      .def(
          "number", [](const OperationTable& table, nb::handle value) { return find(table.values(), value); },
          "value"_a, "The number of an integer or a string, or -1.")
      .def(
          "undecoded", [](const OperationTable& table) { return table.values().undecoded(); },
          "The numbers of the values that are JSON text.")
      .def(
          "integers",
          [](const OperationTable& table) {
            const auto integers = table.values().integers();
            return nb::bytes(integers.data(), integers.size_bytes());
          },
          "The values that are integers, by number, 64 bits each; -2**63 for others.")
      .def(
          "list_value",
          [](const OperationTable& table, const Columns& columns, std::size_t list, nb::handle object) {
            if (!columns.lists || list >= columns.lists->size()) throw nb::index_error();
            const std::int32_t* token = (*columns.lists)[list].data();
            return item_of(table.values(), token, object);
          },
          "columns"_a, "list"_a, "object"_a,
          "A list of the columns that were taken: a tuple, or the result of `object` for a dict.")
      .def("row", &row, "columns"_a, "position"_a,
           "Process, name, arguments, result, call, return, outcome, key, order, clocks and line of an operation.");
}

}  // namespace linpoint::bindings
