// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of operation lines: any text, cut into any blocks and parts, is read as the same or declined.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/line_reader.hpp"

namespace {

using linpoint::histories::Columns;
using linpoint::histories::LineReader;

void require(bool holds) {
  if (!holds) std::abort();
}

bool read(LineReader& reader, std::string_view text, std::size_t block) {
  for (; !text.empty(); text.remove_prefix(std::min(block, text.size())))
    if (!reader.feed(text.substr(0, block))) return false;
  return true;
}

/// Every number in the columns is one of a value, and rows can be made of them.
void require_whole(LineReader& reader, const Columns& columns) {
  const std::size_t size = columns.size();
  require(columns.process.size() == size && columns.name.size() == size && columns.result.size() == size);
  for (std::size_t position = 0; position < size; ++position) {
    const auto row = reader.table().row(columns, position);
    require(row.line > 0);
    for (const std::int32_t argument : row.arguments) require(std::cmp_less(argument, reader.table().values().size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // The first two bytes cut the others: into blocks, and into two parts.
  const std::size_t block = 1 + data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  LineReader whole;
  const bool accepted = read(whole, text, text.size()) && whole.finish();
  LineReader blocks;
  require((read(blocks, text, block) && blocks.finish()) == accepted);
  const std::size_t newline = text.find('\n', text.size() * data[1] / 256);
  const std::size_t cut = newline == std::string_view::npos ? text.size() : newline + 1;
  LineReader first;
  LineReader second;
  const bool parts = read(first, text.substr(0, cut), block) && read(second, text.substr(cut), text.size());
  require((parts && first.append(second) && first.finish()) == accepted);
  if (!accepted) return 0;
  const Columns columns = whole.table().take_columns();
  require_whole(whole, columns);
  for (LineReader* other : {&blocks, &first}) {
    const Columns again = other->table().take_columns();
    require_whole(*other, again);
    require(again.process == columns.process && again.name == columns.name && again.call == columns.call);
    require(again.ret == columns.ret && again.outcome == columns.outcome && again.hint == columns.hint);
    require(other->table().others() == whole.table().others() &&
            other->table().values().size() == whole.table().values().size());
  }
  return 0;
}
