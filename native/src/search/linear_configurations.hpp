// SPDX-License-Identifier: Apache-2.0
// The configurations of Linear: sets of fixed-size records, and the shared past that each record points to.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "hashing.hpp"
#include "linpoint/search/problem.hpp"
#include "search/accounted_vector.hpp"

namespace linpoint::search {

/// The operations that led to each configuration, as a tree with the newest operations at the leaves. A path that no
/// configuration needs any more is freed, so memory grows with the history and the live configurations only.
class Past {
 public:
  static constexpr std::uint32_t kRoot = 0;

  explicit Past(StopToken& stop) : nodes_(stop) { ready_ = nodes_.push({kRoot, -1, 1, 0}); }

  /// The past that `op` continues; the caller owns one reference. kRoot if there is no memory.
  std::uint32_t extend(std::uint32_t parent, std::int32_t op, bool counts) {
    const Node node{parent, op, 1, nodes_[parent].depth + (counts ? 1U : 0U)};
    ++nodes_[parent].references;
    if (free_ != kRoot) {
      const std::uint32_t index = free_;
      free_ = nodes_[index].parent;
      nodes_[index] = node;
      return index;
    }
    if (!nodes_.push(node)) return kRoot;
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  void keep(std::uint32_t node) { ++nodes_[node].references; }

  void drop(std::uint32_t node) {
    while (node != kRoot && --nodes_[node].references == 0) {
      const std::uint32_t parent = nodes_[node].parent;
      nodes_[node].parent = free_;
      free_ = node;
      node = parent;
    }
  }

  /// The number of operations that had to take effect on the path to `node`.
  [[nodiscard]] std::uint32_t depth(std::uint32_t node) const { return nodes_[node].depth; }
  [[nodiscard]] bool ready() const { return ready_; }

  [[nodiscard]] std::vector<std::int32_t> order(std::uint32_t node) const {
    std::vector<std::int32_t> order;
    for (; node != kRoot; node = nodes_[node].parent) order.push_back(nodes_[node].op);
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  struct Node {
    std::uint32_t parent;
    std::int32_t op;
    std::uint32_t references;
    std::uint32_t depth;
  };
  AccountedVector<Node> nodes_;
  std::uint32_t free_ = kRoot;
  bool ready_ = false;
};

/// The number of words for each part of a record.
struct Layout {
  std::size_t open;     // bits of open operations that have taken effect
  std::size_t lasting;  // bits of those that may be left out forever
  [[nodiscard]] std::size_t size() const { return 1 + open + lasting; }
};

/// One configuration: state and past in the first word, then the bits of the layout.
using Record = std::uint64_t*;
inline State state_of(const std::uint64_t* record) { return static_cast<State>(record[0] & 0xffffffffU); }
inline std::uint32_t past_of(const std::uint64_t* record) { return static_cast<std::uint32_t>(record[0] >> 32U); }
inline void set(Record record, State state, std::uint32_t past) {
  record[0] = (static_cast<std::uint64_t>(past) << 32U) | static_cast<std::uint32_t>(state);
}

/// A set of records without dominated ones: a record is dominated by one with the same state and the same open bits
/// that has used fewer of the operations that may be left out. The set owns the pasts of its records.
class Configurations {
 public:
  enum class Insertion { kNew, kSeen, kNoMemory };

  Configurations(const Layout& layout, Past& past, StopToken& stop)
      : layout_(layout), past_(past), records_(stop), next_(stop), slots_(stop) {}

  [[nodiscard]] std::size_t size() const { return next_.size(); }
  Record operator[](std::size_t at) { return records_.data() + at * layout_.size(); }
  const std::uint64_t* operator[](std::size_t at) const { return records_.data() + at * layout_.size(); }

  void swap(Configurations& other) noexcept {
    records_.swap(other.records_);
    next_.swap(other.next_);
    slots_.swap(other.slots_);
  }

  void clear() {
    for (std::size_t i = 0; i < size(); ++i) past_.drop(past_of((*this)[i]));
    forget();
  }

  /// Empties the set without releasing pasts: they were passed to others.
  void forget() {
    records_.clear();
    next_.clear();
    if (slots_.size() > kFirstSlots * 16)
      slots_.clear();  // it is refilled at its initial size when needed
    else
      std::fill(slots_.data(), slots_.data() + slots_.size(), kNoRecord);
  }

  /// Adds a copy of `record` and takes over its past; the past of a rejected record is released. With `replace`, the
  /// new record replaces one that it dominates.
  Insertion insert(const std::uint64_t* record, bool replace) {
    if ((size() + 1) * 2 > slots_.size() && !grow()) return Insertion::kNoMemory;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash_of(record) & mask;
    for (; slots_[at] != kNoRecord; at = (at + 1) & mask)
      if (alike((*this)[slots_[at]], record)) break;
    for (std::uint32_t other = slots_[at]; other != kNoRecord; other = next_[other]) {
      Record old = (*this)[other];
      if (within(old, record)) {
        past_.drop(past_of(record));
        return Insertion::kSeen;
      }
      if (replace && within(record, old)) {
        past_.drop(past_of(old));
        std::memcpy(old, record, layout_.size() * sizeof(std::uint64_t));
        return Insertion::kNew;
      }
    }
    const auto index = static_cast<std::uint32_t>(size());
    if (!records_.append({record, layout_.size()}) || !next_.push(slots_[at])) return Insertion::kNoMemory;
    slots_[at] = index;
    return Insertion::kNew;
  }

 private:
  static constexpr std::uint32_t kNoRecord = UINT32_MAX;
  static constexpr std::size_t kFirstSlots = 64;

  [[nodiscard]] std::uint64_t hash_of(const std::uint64_t* record) const {
    std::uint64_t hash = mix(static_cast<std::uint32_t>(state_of(record)));
    for (std::size_t i = 0; i < layout_.open; ++i) hash = mix(hash ^ record[1 + i]) + 0x9e3779b97f4a7c15ULL;
    return hash;
  }

  [[nodiscard]] bool alike(const std::uint64_t* a, const std::uint64_t* b) const {
    return state_of(a) == state_of(b) && std::equal(a + 1, a + 1 + layout_.open, b + 1);
  }

  [[nodiscard]] bool within(const std::uint64_t* few, const std::uint64_t* many) const {
    for (std::size_t i = 1 + layout_.open; i < layout_.size(); ++i)
      if ((few[i] & ~many[i]) != 0) return false;
    return true;
  }

  bool grow() {
    const std::size_t wanted = std::max(kFirstSlots, slots_.size() * 2);
    if (!slots_.refill(wanted, kNoRecord)) return false;
    const std::size_t mask = wanted - 1;
    for (std::size_t i = 0; i < size(); ++i) next_[i] = kNoRecord;
    for (std::size_t i = 0; i < size(); ++i) {
      std::size_t at = hash_of((*this)[i]) & mask;
      while (slots_[at] != kNoRecord && !alike((*this)[slots_[at]], (*this)[i])) at = (at + 1) & mask;
      next_[i] = slots_[at];
      slots_[at] = static_cast<std::uint32_t>(i);
    }
    return true;
  }

  Layout layout_;
  Past& past_;
  AccountedVector<std::uint64_t> records_;
  AccountedVector<std::uint32_t> next_;   // of each record: another one with the same state and open bits
  AccountedVector<std::uint32_t> slots_;  // the first of these
};

}  // namespace linpoint::search
