// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "linpoint/persistency/points.hpp"

namespace linpoint::persistency {

namespace {

/// What a word that locked instructions or mutexes work on has been through.
struct History {
  std::uint32_t size = 0;
  std::uint64_t value = 0;
  std::uint32_t holder = kNoOperation;  ///< the operation that has taken it, while it has
  bool released = false;                ///< by the operation that had taken it, once at least
  bool data = false;                    ///< it has had a value that no lock gets
};

bool zero(const Event& store) {
  return std::all_of(store.value.begin(), store.value.begin() + store.size,
                     [](std::byte each) { return each == std::byte{0}; });
}

}  // namespace

LockWords::LockWords(std::span<const Event> trace) {
  std::unordered_map<std::uint64_t, History> histories;
  for (const Event& event : trace)
    if (event.kind == Kind::kUpdate || event.kind == Kind::kLock)
      histories[event.address].size = std::max<std::uint32_t>(histories[event.address].size, event.size);
  for (const Event& event : trace) {
    if (!is_store(event.kind) && event.kind != Kind::kLock && event.kind != Kind::kUnlock) continue;
    const auto found = histories.find(event.address);
    if (found == histories.end()) continue;
    History& word = found->second;
    const bool gives_back = event.kind == Kind::kUnlock || (is_store(event.kind) && zero(event));
    if (gives_back) {
      // Decreased to 0 is not stored 0: who counts how many are inside has no lock.
      const bool own = word.holder != kNoOperation && word.holder == event.operation;
      word.released |= own && event.kind != Kind::kUpdate && (event.size >= word.size || !is_store(event.kind));
      word.holder = kNoOperation;
      word.value = 0;
    } else if (event.kind == Kind::kLock || event.kind == Kind::kUpdate) {
      const std::uint64_t value = event.kind == Kind::kLock ? 1 : number_of(event);
      if (value == word.value) continue;  // somebody tries to take it
      word.holder = word.value == 0 ? event.operation : kNoOperation;
      word.value = value;
    } else {
      word.data = true;  // nobody takes a lock without looking: such is the flag that says that an undo log counts
    }
  }
  for (const auto& [address, word] : histories)
    if (word.released && !word.data) words_.push_back({address, std::max(word.size, 1U)});
  std::sort(words_.begin(), words_.end(), [](const LockWord& a, const LockWord& b) { return a.address < b.address; });
}

bool LockWords::covers(const Event& store) const {
  const auto after =
      std::upper_bound(words_.begin(), words_.end(), store.address,
                       [](std::uint64_t address, const LockWord& word) { return address < word.address; });
  if (after == words_.begin()) return false;
  const LockWord& word = *(after - 1);
  return store.address + store.size <= word.address + word.size;
}

}  // namespace linpoint::persistency
