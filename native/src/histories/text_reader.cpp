// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/text_reader.hpp"

#include <algorithm>
#include <cstring>

#include "histories/json_scan.hpp"
#include "histories/utf8.hpp"

namespace linpoint::histories {

bool TextReader::feed(std::string_view block) {
  if (declined_) return false;
  if (block_.size() < held_ + block.size() + json::kLookahead) block_.resize(held_ + block.size() + json::kLookahead);
  std::memcpy(block_.data() + held_, block.data(), block.size());
  const std::size_t end = held_ + block.size();
  const std::size_t newline = std::string_view(block_).substr(held_, block.size()).rfind('\n');
  if (newline == std::string_view::npos || end < wait_for_) {
    held_ = end;
    return true;
  }
  const std::size_t complete = held_ + newline + 1;
  held_ = end;
  return read_held(complete);
}

bool TextReader::read_held(std::size_t complete) {
  char* const begin = block_.data();
  if (!reserved_) reserve(std::string_view(begin, complete));
  char* const next = is_utf8({begin, complete}) ? read(begin, begin + complete) : nullptr;
  if (next == nullptr) {
    declined_ = true;
    return false;
  }
  const auto done = static_cast<std::size_t>(next - begin);
  held_ -= done;
  std::memmove(begin, next, held_);
  wait_for_ = done == 0 ? 2 * held_ : 0;
  return true;
}

std::size_t TextReader::expected_blocks(std::size_t bytes) const {
  return 1 + (expected_bytes_ + expected_bytes_ / 16) / std::max<std::size_t>(bytes, 1);
}

void TextReader::reserve(std::string_view lines) {
  const auto counted = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  reserved_ = true;
  const std::size_t operations = expected_bytes_ / (lines.size() / counted);
  table_.reserve(operations + operations / 16 + counted);
}

bool TextReader::flush() {
  if (declined_) return false;
  wait_for_ = 0;
  if (held_ > 0) feed("\n");
  if (held_ > 0) declined_ = true;  // an item is incomplete at the end
  block_ = {};
  return !declined_;
}

bool TextReader::append(TextReader& other) {
  declined_ = !flush() || !other.flush() || !table_.append(other.table_, line_);
  line_ += other.line_;
  return !declined_;
}

bool TextReader::finish() {
  if (!flush() || !close() || !table_.finish()) declined_ = true;
  return !declined_;
}

}  // namespace linpoint::histories
