// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/list_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "histories/json_integer.hpp"
#include "histories/json_scan.hpp"

namespace linpoint::histories {

namespace {

constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() / 2 - 2;  // lists, and items of a list
constexpr std::size_t kFew = 8;

}  // namespace

void ListReader::begin(std::size_t bytes, std::size_t expected_bytes) {
  bytes_ = bytes;
  expected_bytes_ = expected_bytes;
}

/// Where lists are few, memory for them is only taken once one comes.
void ListReader::allocate() {
  // No two tokens touch but brackets that open, and each of those is closed again, however long the block is.
  const std::size_t room = bytes_ / 2 + static_cast<std::size_t>(json::kDeepest) + 1;
  if (room <= room_ || room > kMost) return;
  tokens_ = std::make_unique_for_overwrite<std::int32_t[]>(room);
  places_ = std::make_unique_for_overwrite<std::int32_t[]>(room);
  integers_ = std::make_unique_for_overwrite<std::int64_t[]>(room);
  room_ = room;
}

const char* ListReader::read(const char* at, Interner& values) {
  if (held_ == 0) allocate();
  if (bytes_ / 2 >= room_ || size() >= kMost) return nullptr;
  const std::size_t held = held_;
  const char* const end = read_list(at, 0, values);
  if (end == nullptr) {
    held_ = held;
    while (waiting_ > 0 && std::cmp_greater_equal(places_[waiting_ - 1], held)) --waiting_;
    names_.clear();
    return nullptr;
  }
  lists_.first.push_back(static_cast<std::int64_t>(lists_.tokens.size() + held_));
  return end;
}

const char* ListReader::read_list(const char* at, int depth, Interner& values) {
  if (depth == json::kDeepest) return nullptr;
  const bool object = *at == '{';
  const char close = object ? '}' : ']';
  const std::size_t header = held_++;
  const std::size_t names = names_.size();
  std::size_t items = 0;
  at = json::skip_space(at + 1);
  while (*at != close) {
    if (items > 0) {
      if (*at != ',') return nullptr;
      at = json::skip_space(at + 1);
    }
    if (object) at = read_name(at, values);
    if (at != nullptr) at = read_item(at, depth, values);
    if (at == nullptr) return nullptr;
    at = json::skip_space(at);
    ++items;
  }
  if (items > kMost || (object && !differ(names))) return nullptr;
  const auto count = static_cast<std::int32_t>(items);
  tokens_[header] = object ? Lists::object_of(count) : Lists::list_of(count);
  return at + 1;
}

const char* ListReader::read_item(const char* at, int depth, Interner& values) {
  switch (*at) {
    case '[':
    case '{':
      return read_list(at, depth + 1, values);
    case '"': {
      const char* const end = json::plain_string_end(at + 1);
      if (end == nullptr) return nullptr;
      tokens_[held_++] = values.string({at + 1, static_cast<std::size_t>(end - at - 1)});
      return end + 1;
    }
    case 'n':
      tokens_[held_++] = kNull;
      return json::skip_value(at, 0);
    case 't':
      tokens_[held_++] = kTrue;
      return json::skip_value(at, 0);
    case 'f':
      tokens_[held_++] = kFalse;
      return json::skip_value(at, 0);
    default:
      places_[waiting_] = static_cast<std::int32_t>(held_++);
      return json::read_integer(at, integers_[waiting_++]);
  }
}

/// From the name of an entry to its value.
const char* ListReader::read_name(const char* at, Interner& values) {
  const char* const end = *at == '"' ? json::plain_string_end(at + 1) : nullptr;
  if (end == nullptr) return nullptr;
  names_.push_back(values.string({at + 1, static_cast<std::size_t>(end - at - 1)}));
  tokens_[held_++] = names_.back();
  at = json::skip_space(end + 1);
  return *at == ':' ? json::skip_space(at + 1) : nullptr;
}

/// Whether the names of the innermost open object differ, which ends here.
bool ListReader::differ(std::size_t from) {
  const std::span names = std::span(names_).subspan(from);
  bool all = true;
  if (names.size() <= kFew) {
    for (std::size_t i = 1; i < names.size(); ++i)
      all = all && std::ranges::find(names.first(i), names[i]) == names.begin() + static_cast<std::ptrdiff_t>(i);
  } else {
    std::ranges::sort(names);
    all = std::ranges::adjacent_find(names) == names.end();
  }
  names_.resize(from);
  return all;
}

void ListReader::settle(Interner& values) {
  if (held_ == 0) return;
  values.integers({integers_.get(), waiting_}, [&](std::size_t at, std::int32_t number) {
    tokens_[static_cast<std::size_t>(places_[at])] = number;
  });
  std::vector<std::int32_t>& tokens = lists_.tokens;
  if (tokens.empty() && bytes_ > 0) {
    const std::size_t blocks = 1 + (expected_bytes_ + expected_bytes_ / 16) / bytes_;
    tokens.reserve(held_ * blocks);
    lists_.first.reserve(lists_.first.size() * blocks);
  }
  tokens.insert(tokens.end(), tokens_.get(), tokens_.get() + held_);
  held_ = 0;
  waiting_ = 0;
}

void ListReader::shrink(std::size_t size) {
  if (size == this->size()) return;
  lists_.first.resize(size + 1);
  held_ = static_cast<std::size_t>(lists_.first.back()) - lists_.tokens.size();
  while (waiting_ > 0 && std::cmp_greater_equal(places_[waiting_ - 1], held_)) --waiting_;
}

void ListReader::append(const ListReader& other, std::span<const std::int32_t> numbers) {
  const Lists& theirs = other.lists_;
  const auto before = static_cast<std::int64_t>(lists_.tokens.size());
  lists_.first.reserve(lists_.first.size() + theirs.size());
  for (std::size_t list = 1; list < theirs.first.size(); ++list) lists_.first.push_back(before + theirs.first[list]);
  lists_.tokens.insert(lists_.tokens.end(), theirs.tokens.begin(), theirs.tokens.end());
  // Looks a number up in any case: a branch that depends on the token would often be taken by mistake.
  for (std::int32_t& token : std::span(lists_.tokens).subspan(static_cast<std::size_t>(before))) {
    const std::int32_t number = numbers[static_cast<std::size_t>(std::max(token, 0))];
    token = token < 0 ? token : number;
  }
}

std::shared_ptr<const Lists> ListReader::take() {
  if (size() == 0) return nullptr;
  auto taken = std::make_shared<const Lists>(std::move(lists_));
  *this = ListReader();
  return taken;
}

}  // namespace linpoint::histories
