// SPDX-License-Identifier: Apache-2.0
// What fuzzers of readers share: feeding a text in blocks, and the properties of every table that was read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/operation_table.hpp"
#include "linpoint/histories/text_reader.hpp"

namespace linpoint::fuzzing {

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Feed a text in blocks of a size. False if the reader declined it.
inline bool feed(histories::TextReader& reader, std::string_view text, std::size_t block) {
  for (; !text.empty(); text.remove_prefix(std::min(block, text.size())))
    if (!reader.feed(text.substr(0, block))) return false;
  return true;
}

/// Every number in the columns is the number of a value, and rows can be made of them.
inline void require_whole(const histories::OperationTable& table, const histories::Columns& columns) {
  const std::size_t size = columns.size();
  require(columns.process.size() == size && columns.name.size() == size && columns.result.size() == size);
  for (std::size_t position = 0; position < size; ++position) {
    const auto row = table.row(columns, position);
    require(row.line > 0);
    for (const std::int32_t argument : row.arguments) require(std::cmp_less(argument, table.values().size()));
  }
}

/// Two readers read the same operations.
inline void require_same(histories::TextReader& one, const histories::Columns& columns, histories::TextReader& other) {
  const histories::Columns again = other.table().take_columns();
  require_whole(other.table(), again);
  require(again.process == columns.process && again.name == columns.name && again.call == columns.call);
  require(again.ret == columns.ret && again.outcome == columns.outcome && again.hint == columns.hint);
  require(other.table().others() == one.table().others() &&
          other.table().values().size() == one.table().values().size());
}

/// A text is read as the same, or declined, however it is cut into blocks.
inline void require_blocks_do_not_matter(histories::TextReader& whole, histories::TextReader& blocks,
                                         std::string_view text, std::size_t block) {
  const bool accepted = feed(whole, text, std::max<std::size_t>(text.size(), 1)) && whole.finish();
  require((feed(blocks, text, block) && blocks.finish()) == accepted);
  if (!accepted) return;
  const histories::Columns columns = whole.table().take_columns();
  require_whole(whole.table(), columns);
  require_same(whole, columns, blocks);
}

}  // namespace linpoint::fuzzing
