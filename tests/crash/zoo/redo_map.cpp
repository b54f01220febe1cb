// SPDX-License-Identifier: Apache-2.0
// A hash map with open addressing whose updates go through a redo log.
//
// zoo: spec=map kind=BUG_COMMIT:DL1 BUG_APPLIED:C2,DL1
// scenario: BUG_COMMIT put(1, 1); put(1, 2); put(2, 2)
// scenario: BUG_APPLIED put(1, 1)
//
// An update changes several words: a key and a value, or, when a key is removed, those that it makes room for. All of
// them are first written to a log; the log counts once its length is durable, and until that is zero again recovery
// writes the words once more, which does no harm. Three fences are the order of things: entries, then the length; the
// length, then the words; the words, then no length. What an older update has left in the log would else be taken for
// the new one. The fence is a locked instruction that changes nothing.
#include <immintrin.h>

#include <cstdint>
#include <cstdlib>
#include <linpoint/crash.hpp>
#include <mutex>
#include <optional>

namespace {

constexpr std::uint64_t kSlots = 4096;

struct Entry {
  std::uint64_t index;
  std::uint64_t word;
};
struct Memory {
  alignas(64) std::uint64_t words[2 * kSlots];  // of each slot the key and the value; a key of 0 is none
  alignas(64) std::uint64_t length;
  alignas(64) Entry entry[2 * kSlots];
};

__attribute__((target("clwb"))) void flush(void* line) { _mm_clwb(line); }
void fence() { __asm__ volatile("lock; addl $0, (%%rsp)" ::: "memory", "cc"); }
std::uint64_t word_of(int number) { return static_cast<std::uint32_t>(number) | std::uint64_t{1} << 32; }
std::uint64_t home(std::uint64_t key) { return (key * 0x9E3779B97F4A7C15ULL) >> 52; }
static_assert(kSlots == 1ULL << (64 - 52));

class RedoMap {
 public:
  explicit RedoMap(linpoint::Pool& pool) : memory_(static_cast<Memory*>(pool.root())) {}

  static RedoMap* create(linpoint::Pool& pool) {
    pool.set_root(pool.allocate(sizeof(Memory)));
    return new RedoMap(pool);
  }
  static RedoMap* recover(linpoint::Pool& pool) {
    auto* map = new RedoMap(pool);
    if (map->memory_->length != 0) map->apply();
    return map;
  }

  std::optional<int> get(int key) {
    const std::lock_guard guard(lock_);
    const std::uint64_t slot = find(word_of(key));
    if (memory_->words[2 * slot] == 0) return std::nullopt;
    return static_cast<int>(static_cast<std::uint32_t>(memory_->words[2 * slot + 1]));
  }

  void put(int key, int value) {
    const std::lock_guard guard(lock_);
    const std::uint64_t slot = find(word_of(key));
    if (memory_->words[2 * slot] == 0) write(2 * slot, word_of(key));
    write(2 * slot + 1, word_of(value));
    commit();
  }

  bool remove(int key) {
    const std::lock_guard guard(lock_);
    std::uint64_t hole = find(word_of(key));
    if (memory_->words[2 * hole] == 0) return false;
    // Whoever was pushed past the hole by the one that goes is moved into it, and leaves the next hole.
    for (std::uint64_t at = (hole + 1) % kSlots; memory_->words[2 * at] != 0; at = (at + 1) % kSlots) {
      const std::uint64_t away = (at - home(memory_->words[2 * at])) % kSlots;
      if (away < (at - hole) % kSlots) continue;  // its own place is behind the hole
      write(2 * hole, memory_->words[2 * at]);
      write(2 * hole + 1, memory_->words[2 * at + 1]);
      hole = at;
    }
    write(2 * hole, 0);
    write(2 * hole + 1, 0);
    commit();
    return true;
  }

 private:
  // The slot of a key, or the one where it would be.
  std::uint64_t find(std::uint64_t key) const {
    std::uint64_t slot = home(key);
    for (std::uint64_t step = 0; memory_->words[2 * slot] != 0 && memory_->words[2 * slot] != key; ++step) {
      if (step == kSlots) std::abort();  // full
      slot = (slot + 1) % kSlots;
    }
    return slot;
  }

  void write(std::uint64_t index, std::uint64_t word) {
    Entry& entry = memory_->entry[written_++];
    entry.index = index;  // blame: BUG_COMMIT DL1
    entry.word = word;    // blame: BUG_COMMIT DL1
    flush(&entry);
  }

  void commit() {
#ifndef BUG_COMMIT
    fence();  // else the length may be durable before the entries are
#endif
    memory_->length = written_;
    flush(&memory_->length);
    fence();
    apply();
    written_ = 0;
  }

  void apply() {
    for (std::uint64_t at = 0; at < memory_->length; ++at) {
      const Entry& entry = memory_->entry[at];
      memory_->words[entry.index] = entry.word;  // blame: BUG_APPLIED C2
#ifndef BUG_APPLIED
      flush(&memory_->words[entry.index]);
#endif
    }
    fence();
    memory_->length = 0;
    flush(&memory_->length);
    fence();
  }

  Memory* memory_;
  std::uint64_t written_ = 0;
  std::mutex lock_;
};

}  // namespace

LINPOINT_CRASH_TEST(RedoMap, get, put, remove)
