// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "linpoint/persistency/linearization_points.hpp"

namespace linpoint::persistency {

namespace {

bool zero(const Event& store) {
  return std::all_of(store.value.begin(), store.value.begin() + store.size,
                     [](std::byte each) { return each == std::byte{0}; });
}

/// The sequence of values of a word that locked instructions or mutexes access.
class History {
 public:
  void widen(std::uint32_t size) { size_ = std::max(size_, size); }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] bool is_lock() const { return size_ > 0 && released_ && !data_; }

  void observe(const Event& event) {
    if (event.kind == Kind::kUnlock || (is_store(event.kind) && zero(event))) {
      release(event);
    } else if (event.kind == Kind::kLock || event.kind == Kind::kUpdate) {
      take(event.operation, event.kind == Kind::kLock ? 1 : number_of(event));
    } else if (is_store(event.kind)) {
      data_ = true;  // taking a lock requires reading it first: this is, for example, the valid flag of an undo log
    }
  }

 private:
  void take(std::uint32_t operation, std::uint64_t value) {
    if (value == value_) return;  // a failed attempt
    holder_ = value_ == 0 ? operation : kNoOperation;
    value_ = value;
  }

  void release(const Event& event) {
    // A decrement to 0 is not a store of 0: a counter of threads inside is not a lock.
    const bool whole = event.kind == Kind::kUnlock || (event.kind != Kind::kUpdate && event.size >= size_);
    released_ |= whole && holder_ != kNoOperation && holder_ == event.operation;
    holder_ = kNoOperation;
    value_ = 0;
  }

  std::uint32_t size_ = 0;
  std::uint64_t value_ = 0;
  std::uint32_t holder_ = kNoOperation;  ///< the operation that holds it, if any
  bool released_ = false;                ///< at least once, by the operation that had taken it
  bool data_ = false;                    ///< it has had a value that a lock never has
};

}  // namespace

LockWords::LockWords(std::span<const Event> trace) {
  std::unordered_map<std::uint64_t, History> histories;
  for (const Event& event : trace)
    if (event.kind == Kind::kUpdate || event.kind == Kind::kLock) histories[event.address].widen(event.size);
  for (const Event& event : trace) {
    const bool concerns = is_store(event.kind) || event.kind == Kind::kLock || event.kind == Kind::kUnlock;
    const auto found = concerns ? histories.find(event.address) : histories.end();
    if (found != histories.end()) found->second.observe(event);
  }
  for (const auto& [address, word] : histories)
    if (word.is_lock()) words_.push_back({address, word.size()});
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
