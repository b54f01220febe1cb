// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of operation lines: any text, cut into any blocks and parts, is read as the same or declined.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "linpoint/histories/line_reader.hpp"
#include "reader_inputs.hpp"

using linpoint::histories::Columns;
using linpoint::histories::LineReader;
using namespace linpoint::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // The first two bytes cut the others: into blocks, and into two parts.
  const std::size_t block = 1 + data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  LineReader whole;
  const bool accepted = feed(whole, text, text.size()) && whole.finish();
  LineReader blocks;
  require((feed(blocks, text, block) && blocks.finish()) == accepted);
  const std::size_t newline = text.find('\n', text.size() * data[1] / 256);
  const std::size_t cut = newline == std::string_view::npos ? text.size() : newline + 1;
  LineReader first;
  LineReader second;
  const bool parts = feed(first, text.substr(0, cut), block) && feed(second, text.substr(cut), text.size());
  require((parts && first.append(second) && first.finish()) == accepted);
  if (!accepted) return 0;
  const Columns columns = whole.table().take_columns();
  require_whole(whole.table(), columns);
  for (LineReader* other : {&blocks, &first}) require_same(whole, columns, *other);
  return 0;
}
