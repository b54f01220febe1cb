// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of CSV: any text under any header, cut into any blocks, is read as the same or declined.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "linpoint/histories/csv_reader.hpp"
#include "linpoint/histories/table_row.hpp"
#include "reader_inputs.hpp"

using linpoint::histories::CsvReader;
using linpoint::histories::TableRow;
using namespace linpoint::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The block size, the options, the number of columns, and the columns; the text follows.
  constexpr std::size_t kFixed = 3;
  if (size < kFixed) return 0;
  const std::size_t count = data[2] % (2 * std::size_t{TableRow::kColumns});
  if (size < kFixed + count) return 0;
  std::vector<std::int32_t> columns;
  for (std::size_t at = 0; at < count; ++at)
    columns.push_back(static_cast<std::int32_t>(data[kFixed + at] % (TableRow::kColumns + 1)) - 1);
  constexpr std::array kDelimiters = {',', ';', '\t', '|'};
  const char delimiter = kDelimiters[data[1] / 2 % kDelimiters.size()];
  const bool with_header = data[1] % 2 == 1;
  const std::string_view text(reinterpret_cast<const char*>(data) + kFixed + count, size - kFixed - count);
  CsvReader whole(text.size(), delimiter, columns, with_header);
  CsvReader blocks(0, delimiter, columns, with_header);
  require_blocks_do_not_matter(whole, blocks, text, 1 + std::size_t{data[0]});
  return 0;
}
