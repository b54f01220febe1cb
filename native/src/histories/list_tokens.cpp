// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/list_tokens.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace linpoint::histories {

void ListTokens::begin_block(std::size_t most_tokens, std::size_t blocks) {
  most_tokens_ = most_tokens;
  blocks_ = blocks;
}

bool ListTokens::ready() {
  if (size() >= kMost || most_tokens_ > kMost) return false;
  if (most_tokens_ > room_) resize(most_tokens_);
  return true;
}

bool ListTokens::make_room(std::size_t more) {
  if (more > kMost || held_ + more > kMost) return false;
  if (held_ + more > room_) resize(std::max(held_ + more, 2 * room_));
  return true;
}

void ListTokens::resize(std::size_t room) {
  const auto grow = [room](auto& array, std::size_t used) {
    using Item = std::remove_reference_t<decltype(array[0])>;
    auto larger = std::make_unique_for_overwrite<Item[]>(room);
    std::copy_n(array.get(), used, larger.get());
    array = std::move(larger);
  };
  grow(tokens_, held_);
  grow(places_, waiting_);
  grow(integers_, waiting_);
  room_ = room;
}

void ListTokens::add(std::span<const std::int32_t> list) {
  lists_.tokens.insert(lists_.tokens.end(), list.begin(), list.end());
  lists_.first.push_back(static_cast<std::int64_t>(lists_.tokens.size()));
}

void ListTokens::drop(std::size_t held) {
  held_ = held;
  while (waiting_ > 0 && std::cmp_greater_equal(places_[waiting_ - 1], held)) --waiting_;
}

void ListTokens::end_block(Interner& values) {
  if (held_ == 0) return;
  values.integers({integers_.get(), waiting_}, [&](std::size_t at, std::int32_t number) {
    tokens_[static_cast<std::size_t>(places_[at])] = number;
  });
  std::vector<std::int32_t>& tokens = lists_.tokens;
  if (tokens.empty()) {
    tokens.reserve(held_ * blocks_);
    lists_.first.reserve(lists_.first.size() * blocks_);
  }
  tokens.insert(tokens.end(), tokens_.get(), tokens_.get() + held_);
  held_ = 0;
  waiting_ = 0;
}

void ListTokens::shrink(std::size_t size) {
  if (size == this->size()) return;
  lists_.first.resize(size + 1);
  drop(static_cast<std::size_t>(lists_.first.back()) - lists_.tokens.size());
}

void ListTokens::append(const ListTokens& other, std::span<const std::int32_t> numbers) {
  const Lists& theirs = other.lists_;
  const auto before = static_cast<std::int64_t>(lists_.tokens.size());
  lists_.first.reserve(lists_.first.size() + theirs.size());
  for (std::size_t list = 1; list < theirs.first.size(); ++list) lists_.first.push_back(before + theirs.first[list]);
  lists_.tokens.insert(lists_.tokens.end(), theirs.tokens.begin(), theirs.tokens.end());
  // Looks up a number in every case: a branch that depends on the token would often be mispredicted.
  for (std::int32_t& token : std::span(lists_.tokens).subspan(static_cast<std::size_t>(before))) {
    const std::int32_t number = numbers[static_cast<std::size_t>(std::max(token, 0))];
    token = token < 0 ? token : number;
  }
}

std::shared_ptr<const Lists> ListTokens::take() {
  if (size() == 0) return nullptr;
  auto taken = std::make_shared<const Lists>(std::move(lists_));
  *this = ListTokens();
  return taken;
}

}  // namespace linpoint::histories
