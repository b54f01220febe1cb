// SPDX-License-Identifier: Apache-2.0
#include "linpoint/specs/transition_table.hpp"

#include "hashing.hpp"

namespace linpoint::specs {

namespace {
constexpr std::size_t kFirstCapacity = 256;
constexpr std::size_t kCell = sizeof(std::uint64_t) + sizeof(State);
}  // namespace

TransitionTable::TransitionTable(Source source, search::StopToken& stop)
    : source_(std::move(source)), stop_(stop), keys_(kFirstCapacity, kEmpty), values_(kFirstCapacity) {}

TransitionTable::~TransitionTable() { stop_.release(reserved_); }

std::size_t TransitionTable::slot_of(std::uint64_t key) const {
  const std::size_t mask = keys_.size() - 1;
  std::size_t slot = mix(key) & mask;
  while (keys_[slot] != key && keys_[slot] != kEmpty) slot = (slot + 1) & mask;
  return slot;
}

std::span<const State> TransitionTable::step(State state, Symbol symbol) {
  const std::uint64_t key =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(state)) << 32U) | static_cast<std::uint32_t>(symbol);
  std::size_t slot = slot_of(key);
  if (keys_[slot] == kEmpty) {
    scratch_.clear();
    source_(state, symbol, scratch_);
    if ((used_ + 1) * 3 > keys_.size() * 2) {
      if (!grow()) return scratch_;  // there is no memory to remember it, and the search has been told to stop
      slot = slot_of(key);
    }
    ++used_;
    keys_[slot] = key;
    if (scratch_.empty()) {
      values_[slot] = kRejected;
    } else if (scratch_.size() == 1) {
      values_[slot] = scratch_.front();
    } else {
      values_[slot] = -2 - static_cast<State>(lists_.size());
      lists_.push_back(scratch_);
    }
  }
  const State value = values_[slot];
  if (value >= 0) return {&values_[slot], 1};
  if (value == kRejected) return {};
  return lists_[static_cast<std::size_t>(-2 - value)];
}

bool TransitionTable::grow() {
  const std::size_t capacity = keys_.size() * 2;
  if (!stop_.reserve(capacity * kCell)) return false;
  std::vector<std::uint64_t> keys(capacity, kEmpty);
  std::vector<State> values(capacity);
  keys.swap(keys_);
  values.swap(values_);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == kEmpty) continue;
    const std::size_t slot = slot_of(keys[i]);
    keys_[slot] = keys[i];
    values_[slot] = values[i];
  }
  stop_.release(reserved_);
  reserved_ = capacity * kCell;
  return true;
}

}  // namespace linpoint::specs
