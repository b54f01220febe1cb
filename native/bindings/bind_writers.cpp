// SPDX-License-Identifier: Apache-2.0
// Python bindings of the history writers.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings/python_buffers.hpp"
#include "linpoint/histories/table_writer.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using histories::Columns;
using histories::OperationTable;
using histories::TableWriter;

namespace {

TableWriter::Field field(std::size_t number) {
  if (number >= OperationTable::kFields) throw nb::index_error();
  return static_cast<TableWriter::Field>(number);
}

/// Requires an existing range of operations.
void require_range(const Columns& columns, std::size_t begin, std::size_t end) {
  if (begin > end || end > columns.size()) throw nb::index_error();
}

template <typename T>
nb::bytes bytes_of(const T& items) {
  return nb::bytes(items.data(), items.size() * sizeof(items[0]));
}

/// A writer and the columns it reads, which Python keeps alive.
struct Writing {
  TableWriter writer;
  const Columns& columns;
};

}  // namespace

void bind_writers(nb::module_& m) {
  nb::class_<Writing>(m, "TableWriter", "Operations written as text; see table_writer.hpp.")
      .def(
          "__init__",
          [](Writing* self, const OperationTable& table, const Columns& columns,
             std::vector<TableWriter::Written> written) {
            new (self) Writing{TableWriter(table, columns, std::move(written)), columns};
          },
          "table"_a, "columns"_a, "written"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          "`written` has the JSON of each value that is not decoded yet, by number in ascending order.")
      .def("__len__", [](const Writing& self) { return self.columns.size(); })
      .def(
          "uses", [](const Writing& self, std::size_t number) { return self.writer.uses(field(number)); }, "field"_a,
          "Whether any operation has an optional field.")
      .def(
          "integral", [](const Writing& self, std::size_t number) { return self.writer.integral(field(number)); },
          "field"_a, "Whether all values of a field are 64-bit integers or missing.")
      .def(
          "lines",
          [](const Writing& self, std::size_t begin, std::size_t end) {
            require_range(self.columns, begin, end);
            std::string text;
            {
              const nb::gil_scoped_release released;
              text = self.writer.lines(begin, end);
            }
            return bytes_of(text);
          },
          "begin"_a, "end"_a, "Operation lines.")
      .def(
          "rows",
          [](const Writing& self, std::size_t begin, std::size_t end, const std::vector<std::int32_t>& columns) {
            require_range(self.columns, begin, end);
            std::string text;
            {
              const nb::gil_scoped_release released;
              text = self.writer.rows(begin, end, columns);
            }
            return bytes_of(text);
          },
          "begin"_a, "end"_a, "columns"_a, "Rows of CSV with these columns.")
      .def(
          "column",
          [](const Writing& self, std::size_t number, bool integers, std::size_t begin, std::size_t end) {
            require_range(self.columns, begin, end);
            TableWriter::Column column;
            {
              const nb::gil_scoped_release released;
              column = self.writer.column(field(number), integers, begin, end);
            }
            if (integers) return nb::make_tuple(bytes_of(column.valid), bytes_of(column.integers));
            return nb::make_tuple(bytes_of(column.valid), bytes_of(column.offsets), bytes_of(column.texts));
          },
          "field"_a, "integers"_a, "begin"_a, "end"_a,
          "The buffers of a column in Arrow's layout: validity and 64-bit integers, or validity, 32-bit offsets and "
          "text.");
}

}  // namespace linpoint::bindings
