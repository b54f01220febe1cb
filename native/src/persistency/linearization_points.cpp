// SPDX-License-Identifier: Apache-2.0
#include "linpoint/persistency/linearization_points.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace linpoint::persistency {

namespace {

/// Whether a comparison may have had this value as an operand, possibly widened or narrowed.
bool may_be(std::uint64_t operand, std::uint64_t value, std::size_t size) {
  if (operand == value) return true;
  if (size >= kWordSize) return operand == (value & 0xffffffffU);
  const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
  const std::uint64_t widened = (value ^ sign) - sign;
  return operand == widened || operand == (widened & 0xffffffffU);
}

/// The last reads of a thread.
class Reads {
 public:
  void add(const Event& event) {
    if (event.size > 0) reads_[count_++ % reads_.size()] = {event.address, number_of(event), event.size};
  }

  /// Calls `each(address, size)` for the reads that a comparison depends on: the last one that matches, and the read of
  /// the other operand if it is one of the last two. An operand such as 0 matches many reads, most of them by chance.
  template <typename Each>
  void find(std::uint64_t left, std::uint64_t right, Each&& each) const {
    const std::size_t known = std::min(count_, reads_.size());
    for (std::size_t back = 0; back < known; ++back) {
      const bool as_left = fits(back, left);
      if (!as_left && !fits(back, right)) continue;
      each(at(back).address, at(back).size);
      for (std::size_t other = back + 1; other < 2 && other < known; ++other)
        if (fits(other, as_left ? right : left)) each(at(other).address, at(other).size);
      return;
    }
  }

 private:
  struct Read {
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    std::uint8_t size = 0;
  };
  [[nodiscard]] const Read& at(std::size_t back) const { return reads_[(count_ - 1 - back) % reads_.size()]; }
  [[nodiscard]] bool fits(std::size_t back, std::uint64_t operand) const {
    return may_be(operand, at(back).value, at(back).size);
  }

  std::array<Read, 8> reads_{};
  std::size_t count_ = 0;
};

/// Bytes of memory.
class Bytes {
 public:
  void add(std::uint64_t address, std::uint64_t size) {
    for_each_part(address, size, [&](std::uint64_t at, std::uint64_t part) { words_[word_of(at)] |= mask(at, part); });
  }
  [[nodiscard]] bool meets(const Event& event) const {
    bool found = false;
    for_each_part(event.address, event.size, [&](std::uint64_t at, std::uint64_t part) {
      const auto word = words_.find(word_of(at));
      found |= word != words_.end() && (word->second & mask(at, part)) != 0;
    });
    return found;
  }

 private:
  static std::uint32_t mask(std::uint64_t at, std::uint64_t size) { return ((1U << size) - 1U) << (at % kWordSize); }

  std::unordered_map<std::uint64_t, std::uint32_t> words_;
};

Bytes find_guardians(std::span<const Event> trace) {
  Bytes guardians;
  std::unordered_map<std::uint16_t, Reads> reads;
  for (const Event& event : trace) {
    if (event.kind == Kind::kRead) reads[event.thread].add(event);
    if (event.kind != Kind::kCompare) continue;
    reads[event.thread].find(number_of(event.value.data()), number_of(event.value.data() + kWordSize),
                             [&](std::uint64_t address, std::uint64_t size) { guardians.add(address, size); });
  }
  return guardians;
}

/// The blocks that each operation has allocated, not freed, and not yet published: other threads cannot reach them.
class Allocations {
 public:
  void observe(const Event& event) {
    if (event.kind == Kind::kFree) blocks_.erase(event.address);
    if (event.kind == Kind::kAllocate)
      blocks_[event.address] = {
          event.address + number_of(event.value.data()), event.operation, event.thread, false, {},
      };
  }
  [[nodiscard]] bool fresh(const Event& store) {
    const Block* block = find(store.address);
    return block != nullptr && !block->published && block->operation == store.operation &&
           block->thread == store.thread;
  }
  /// Whether a store makes a fresh block reachable, which is no longer fresh from then on. A table that grows during an
  /// insertion takes over in the middle of it, and stores into it afterwards count.
  bool publish_by(const Event& store) {
    const Block* block = store.size == kWordSize ? find(number_of(store)) : nullptr;
    if (block == nullptr || block->published) return false;
    if (fresh(store)) {
      find(store.address)->pointers.push_back(number_of(store));
      return false;
    }
    const bool own = block->operation == store.operation && block->thread == store.thread;
    publish(number_of(store));
    return own;
  }

 private:
  struct Block {
    std::uint64_t end = 0;
    std::uint32_t operation = kNoOperation;
    std::uint16_t thread = 0;
    bool published = false;
    std::vector<std::uint64_t> pointers;  ///< to other blocks, stored here while it was fresh
  };

  Block* find(std::uint64_t address) {
    const auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return nullptr;
    Block& block = std::prev(after)->second;
    return address < block.end ? &block : nullptr;
  }
  /// Publishes a block and all that are reachable from it.
  void publish(std::uint64_t pointer) {
    std::vector<std::uint64_t> reached{pointer};
    while (!reached.empty()) {
      Block* block = find(reached.back());
      reached.pop_back();
      if (block == nullptr) continue;
      block->published = true;
      reached.insert(reached.end(), block->pointers.begin(), block->pointers.end());
      block->pointers.clear();
    }
  }

  std::map<std::uint64_t, Block> blocks_;
};

bool before(const Advice& a, const Advice& b) { return a.code != b.code ? a.code < b.code : !a.fence && b.fence; }

/// The rule of a store that is not to a lock word; counts it.
Rule classify(bool atomic, bool guarded, bool publishes, bool fresh, Points& points) {
  const bool suspected = atomic || guarded || publishes;
  ++points.stores;
  if (publishes) ++points.publishing;
  if (atomic) ++points.atomic;
  if (guarded) ++points.guarded;
  if (suspected) ++points.suspected;
  if (fresh) ++points.fresh;
  if (fresh) return Rule::kFresh;
  if (!suspected) return Rule::kNone;
  ++points.points;
  if (atomic) return Rule::kAtomic;
  return guarded ? Rule::kGuarded : Rule::kPublishing;
}

}  // namespace

Points find_points(std::span<const Event> trace, const LockWords& locks) {
  const Bytes guardians = find_guardians(trace);
  // The same code stores to other guardians as well, which may never be compared in this run.
  std::unordered_set<std::uint64_t> guarding;
  for (const Event& event : trace)
    if (is_store(event.kind) && event.code != 0 && guardians.meets(event)) guarding.insert(event.code);
  Points points;
  points.rules.assign(trace.size(), Rule::kNone);
  Allocations allocations;
  for (std::size_t at = 0; at < trace.size(); ++at) {
    const Event& event = trace[at];
    allocations.observe(event);
    if (!is_store(event.kind)) continue;
    if (locks.covers(event)) {
      points.rules[at] = Rule::kLock;
      ++points.locks;
    } else {
      const bool guarded = guarding.contains(event.code) || guardians.meets(event);
      const bool fresh = allocations.fresh(event);
      const bool publishes = allocations.publish_by(event);
      points.rules[at] = classify(is_update(event.kind), guarded, publishes, fresh, points);
    }
  }
  return points;
}

void Adviser::observe(const Event& event, const Persistence& now) {
  // A locked instruction serves a purpose of its own, and so may a fence that orders loads.
  const bool fence = event.kind == Kind::kFence && event.address == 0 && event.value[0] == std::byte{0};
  if (!fence && !is_flush(event.kind)) return;
  const Advice wanted{event.code, fence, 0, 0};
  auto place = std::lower_bound(places_.begin(), places_.end(), wanted, before);
  if (place == places_.end() || before(wanted, *place)) place = places_.insert(place, wanted);
  ++place->all;
  if (now.idle()) ++place->redundant;
}

std::vector<Advice> Adviser::advice() const {
  std::vector<Advice> found;
  std::copy_if(places_.begin(), places_.end(), std::back_inserter(found),
               [](const Advice& each) { return each.redundant > 0; });
  return found;
}

}  // namespace linpoint::persistency
