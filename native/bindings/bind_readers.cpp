// SPDX-License-Identifier: Apache-2.0
// Python bindings of the history readers.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bindings/python_buffers.hpp"
#include "linpoint/histories/arrow_reader.hpp"
#include "linpoint/histories/csv_reader.hpp"
#include "linpoint/histories/edn_reader.hpp"
#include "linpoint/histories/json_event_reader.hpp"
#include "linpoint/histories/line_reader.hpp"
#include "linpoint/histories/text_reader.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using histories::ArrowReader;
using histories::CsvReader;
using histories::EdnReader;
using histories::JsonEventReader;
using histories::LineReader;
using histories::TextReader;

namespace {

/// Requires that the columns of a table are numbers that readers know.
void require_columns(const std::vector<std::int32_t>& columns) {
  for (const std::int32_t column : columns)
    if (column < CsvReader::kIgnored || column >= histories::TableRow::kColumns) throw nb::index_error();
}

/// The content of a capsule of Arrow's C data interface, which keeps ownership.
template <typename T>
const T& held(nb::handle capsule, const char* name) {
  const void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  return *static_cast<const T*>(pointer);
}

}  // namespace

void bind_readers(nb::module_& m) {
  nb::class_<TextReader>(m, "TextReader", "A text read into a table; see text_reader.hpp.")
      .def(
          "feed",
          [](TextReader& reader, const Column<std::uint8_t>& block) {
            const auto bytes = view(block);
            const nb::gil_scoped_release released;
            return reader.feed({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
          },
          "block"_a, "Read the next block. False if anything was declined.")
      .def("decline", &TextReader::decline, "Decline the text because of an error elsewhere.")
      .def("append", &TextReader::append, "other"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Append what another reader has read of the lines that follow; that reader is empty afterwards.")
      .def("finish", &TextReader::finish, nb::call_guard<nb::gil_scoped_release>(),
           "End the text. False if it was declined.")
      .def("take_table", &TextReader::take_table, "The operations that were read; may be called only once.");

  nb::class_<LineReader, TextReader>(m, "LineReader", "Operation lines; see line_reader.hpp.")
      .def(nb::init<std::size_t>(), "expected_bytes"_a);

  nb::class_<CsvReader, TextReader>(m, "CsvReader", "A table in CSV; see csv_reader.hpp.")
      .def(
          "__init__",
          [](CsvReader* self, std::size_t expected_bytes, char delimiter, std::vector<std::int32_t> columns,
             bool with_header) {
            require_columns(columns);
            new (self) CsvReader(expected_bytes, delimiter, std::move(columns), with_header);
          },
          "expected_bytes"_a, "delimiter"_a, "columns"_a, "with_header"_a);

  nb::class_<EdnReader, TextReader>(m, "EdnReader", "Events in EDN; see edn_reader.hpp.")
      .def(nb::init<std::size_t, std::optional<bool>, bool>(), "expected_bytes"_a, "keyed"_a.none(), "porcupine"_a);

  nb::class_<JsonEventReader, TextReader>(m, "JsonEventReader", "Events in JSON; see json_event_reader.hpp.")
      .def(nb::init<std::size_t, std::optional<bool>>(), "expected_bytes"_a, "keyed"_a.none());

  nb::class_<ArrowReader>(m, "ArrowReader", "Batches of an Arrow table; see arrow_reader.hpp.")
      .def(nb::init<std::size_t>(), "expected_rows"_a)
      .def(
          "add",
          [](ArrowReader& reader, nb::handle schema, nb::handle batch, const std::vector<std::int32_t>& columns) {
            require_columns(columns);
            if (std::ranges::any_of(columns, [](std::int32_t column) { return column < 0; })) throw nb::index_error();
            const auto& type = held<ArrowSchema>(schema, "arrow_schema");
            const auto& rows = held<ArrowArray>(batch, "arrow_array");
            const nb::gil_scoped_release released;
            return reader.add(type, rows, columns);
          },
          "schema"_a, "batch"_a, "columns"_a,
          "Read a batch, given as the capsules of an array of structs whose members are these columns. False if "
          "anything was declined.")
      .def("finish", &ArrowReader::finish, nb::call_guard<nb::gil_scoped_release>(),
           "End the table. False if it has no entries.")
      .def("take_table", &ArrowReader::take_table, "The operations that were read; may be called only once.");
}

}  // namespace linpoint::bindings
