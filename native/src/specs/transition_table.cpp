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

std::uint64_t TransitionTable::key_of(State state, Symbol symbol) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(state)) << 32U) | static_cast<std::uint32_t>(symbol);
}

std::span<const State> TransitionTable::content(std::size_t slot) const {
  const State value = values_[slot];
  if (value >= 0) return {&values_[slot], 1};
  if (value == kRejected) return {};
  return lists_[static_cast<std::size_t>(-2 - value)];
}

std::optional<std::span<const State>> TransitionTable::known(State state, Symbol symbol) {
  const std::size_t slot = slot_of(key_of(state, symbol));
  if (keys_[slot] == kEmpty) return std::nullopt;
  return content(slot);
}

bool TransitionTable::remember(State state, Symbol symbol, std::span<const State> after) {
  if ((used_ + 1) * 3 > keys_.size() * 2 && !grow()) return false;
  const std::uint64_t key = key_of(state, symbol);
  const std::size_t slot = slot_of(key);
  ++used_;
  keys_[slot] = key;
  if (after.empty()) {
    values_[slot] = kRejected;
  } else if (after.size() == 1) {
    values_[slot] = after.front();
  } else {
    values_[slot] = -2 - static_cast<State>(lists_.size());
    lists_.emplace_back(after.begin(), after.end());
  }
  return true;
}

std::span<const State> TransitionTable::step(State state, Symbol symbol) {
  const std::size_t slot = slot_of(key_of(state, symbol));
  if (keys_[slot] != kEmpty) return content(slot);
  scratch_.clear();
  source_(state, symbol, scratch_);
  remember(state, symbol, scratch_);
  return scratch_;
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
