// SPDX-License-Identifier: Apache-2.0
// A lock-free multi-word compare-and-swap with dirty bits, after Wang, Levandoski and Larson (PMwCAS, ICDE 2018).
//
// zoo: spec=mwcas kind=BUG_DIRTY:DL3 BUG_DESCRIPTOR:DL1 BUG_INSTALLED:DL1,C2 BUG_STATUS:C2,DL1
// scenario: BUG_DIRTY mwcas([[0, 0, 1]]) | read([0])
// scenario: BUG_DESCRIPTOR mwcas([[0, 0, 1], [1, 0, 1]]); mwcas([[0, 1, 0], [1, 1, 0]])
// scenario: BUG_INSTALLED mwcas([[0, 0, 1], [1, 0, 1]])
// scenario: BUG_STATUS mwcas([[0, 0, 1], [1, 0, 1]])
//
// A word is stored with a dirty bit. Whoever finds it set flushes the word and clears it before it goes by the value,
// so nothing is built on what may be lost. One word is changed by one swap. Several are changed by a descriptor: it is
// durable before any word points to it, all words point to it durably before it is decided, and that is durable before
// any word has its new value. From there on recovery can finish it, so the new values may stay dirty. Until then it
// undoes it. Words have versions, so an old value never comes back and late helpers do no harm.
// No fence is written out: between a flush and what must come after it there is always a locked instruction.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <linpoint/crash.hpp>
#include <stdexcept>
#include <vector>

namespace {

using Word = std::uint64_t;
constexpr Word kDirty = 1ULL << 63;
constexpr Word kPointer = 1ULL << 62;  // to a descriptor; else 30 bits of version and 32 of value
constexpr Word kVersion = 1ULL << 32;
constexpr std::size_t kWords = 16;

enum Status : int { kUndecided, kSucceeded, kFailed };

struct Entry {
  int word;
  Word old;
  Word made;
};
struct Descriptor {
  std::atomic<int> status;
  int count;
  Entry entry[kWords];  // in the order of words, so that helpers do not go in circles
};
struct alignas(64) Cell {  // a line each: words that share a line are never torn apart
  std::atomic<Word> word;
};

__attribute__((target("clwb"))) void flush(void* line) { _mm_clwb(line); }
int value_of(Word word) { return static_cast<int>(static_cast<std::uint32_t>(word)); }
Descriptor* descriptor_of(Word word) { return reinterpret_cast<Descriptor*>(word & ~(kDirty | kPointer)); }

class DirtyMwcas {
 public:
  explicit DirtyMwcas(linpoint::Pool& pool) : pool_(&pool), cell_(static_cast<Cell*>(pool.root())) {}

  static DirtyMwcas* create(linpoint::Pool& pool) {
    pool.set_root(pool.allocate(kWords * sizeof(Cell)));
    return new DirtyMwcas(pool);
  }

  static DirtyMwcas* recover(linpoint::Pool& pool) {
    auto* all = new DirtyMwcas(pool);
    for (int at = 0; at < static_cast<int>(kWords); ++at) {
      std::atomic<Word>& word = all->cell_[at].word;
      Word found = word.load() & ~kDirty;
      if ((found & kPointer) != 0) {
        const Descriptor* descriptor = descriptor_of(found);
        found = 0;
        for (const Entry& entry : descriptor->entry)
          if (&entry < descriptor->entry + descriptor->count && entry.word == at)
            found = descriptor->status.load() == kSucceeded ? entry.made : entry.old;
      }
      word.store(found, std::memory_order_relaxed);
      flush(&word);
    }
    _mm_sfence();
    return all;
  }

  bool mwcas(const std::vector<std::array<int, 3>>& changes) {
    for (;;) {
      std::vector<Entry> entries;
      for (const auto& [at, old, made] : changes) {
        const Word found = settled(at);
        if (value_of(found) != old) return false;
        const Word version = (found & ~Word{0xFFFFFFFF}) + kVersion;
        entries.push_back({at, found, (version & (kPointer - 1)) | static_cast<std::uint32_t>(made)});
      }
      if (swap(entries)) return true;
    }
  }

  std::vector<int> read(const std::vector<int>& words) {  // all at one time: swaps each for itself
    for (;;) {
      std::vector<Entry> entries;
      std::vector<int> values;
      for (const int at : words) {
        entries.push_back({at, settled(at), 0});
        entries.back().made = ((entries.back().old + kVersion) & (kPointer - 1));
        values.push_back(value_of(entries.back().old));
      }
      if (entries.size() == 1 || swap(entries)) return values;
    }
  }

 private:
  // The value of a word that is durable, and no pointer.
  Word settled(int at) {
    if (at < 0 || at >= static_cast<int>(kWords)) throw std::out_of_range("no such word");
    std::atomic<Word>& word = cell_[at].word;
    for (;;) {
      Word found = word.load();
      if ((found & kDirty) != 0) {
#ifndef BUG_DIRTY
        flush(&word);
#endif
        word.compare_exchange_strong(found, found & ~kDirty);  // after the flush, as it is locked
      } else if ((found & kPointer) != 0) {
        help(descriptor_of(found));
      } else {
        return found;
      }
    }
  }

  bool swap(std::vector<Entry>& entries) {
    if (entries.empty()) return true;
    if (entries.size() > kWords) throw std::length_error("too many words");
    if (entries.size() == 1) {
      Word old = entries[0].old;
      Word dirty = entries[0].made | kDirty;
      std::atomic<Word>& word = cell_[entries[0].word].word;
      if (!word.compare_exchange_strong(old, dirty)) return false;  // blame: BUG_DIRTY DL3
      flush(&word);
      word.compare_exchange_strong(dirty, entries[0].made);
      return true;
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& one, const Entry& other) { return one.word < other.word; });
    auto* descriptor = static_cast<Descriptor*>(pool_->allocate(sizeof(Descriptor)));
    descriptor->count = static_cast<int>(entries.size());  // blame: BUG_DESCRIPTOR DL1
    for (std::size_t at = 0; at < entries.size(); ++at)
      descriptor->entry[at] = entries[at];  // blame: BUG_DESCRIPTOR DL1
#ifndef BUG_DESCRIPTOR
    for (std::size_t at = 0; at < sizeof(Descriptor); at += 64) flush(reinterpret_cast<char*>(descriptor) + at);
#endif
    return help(descriptor);
  }

  // Does what is left to do of a swap, whoever began it.
  bool help(Descriptor* descriptor) {
    const Word pointer = reinterpret_cast<Word>(descriptor) | kPointer;
    int decided = kSucceeded;
    for (int at = 0; at < descriptor->count && decided == kSucceeded; ++at)
      if (!install(descriptor->entry[at], pointer)) decided = kFailed;
#ifndef BUG_INSTALLED
    for (int at = 0; at < descriptor->count; ++at) flush(&cell_[descriptor->entry[at].word]);
#endif
    int undecided = kUndecided;
    descriptor->status.compare_exchange_strong(undecided, decided);  // blame: BUG_STATUS C2
#ifndef BUG_STATUS
    flush(&descriptor->status);
#endif
    const bool succeeded = descriptor->status.load() == kSucceeded;
    for (int at = 0; at < descriptor->count; ++at) {
      const Entry& entry = descriptor->entry[at];
      Word found = pointer | kDirty;
      const Word last = (succeeded ? entry.made : entry.old) | kDirty;
      if (!cell_[entry.word].word.compare_exchange_strong(found, last) && found == pointer)
        cell_[entry.word].word.compare_exchange_strong(found, last);
    }
    return succeeded;
  }

  // Lets a word point to a descriptor; false if it has changed.
  bool install(const Entry& entry, Word pointer) {
    std::atomic<Word>& word = cell_[entry.word].word;
    for (;;) {
      Word found = word.load();
      if ((found & ~kDirty) == pointer) return true;
      if ((found & kDirty) != 0) {
        flush(&word);
        word.compare_exchange_strong(found, found & ~kDirty);
      } else if ((found & kPointer) != 0) {
        help(descriptor_of(found));
      } else if (found != entry.old) {
        return false;
      } else if (word.compare_exchange_strong(found, pointer | kDirty)) {  // blame: BUG_INSTALLED DL1
        return true;
      }
    }
  }

  linpoint::Pool* pool_;
  Cell* cell_;
};

}  // namespace

LINPOINT_CRASH_TEST(DirtyMwcas, mwcas, read)
LINPOINT_VALUES(DirtyMwcas, "mwcas",
                "[[[0, 0, 1]], [[0, 1, 0]], [[0, 0, 1], [1, 0, 1]], [[0, 1, 0], [1, 1, 0]], [[1, 1, 2], [2, 0, 2]],"
                " [[2, 2, 0], [1, 2, 0]], [[0, 1, 2], [1, 1, 2], [2, 0, 1]]]")
LINPOINT_VALUES(DirtyMwcas, "read", "[[0], [1], [2], [0, 1, 2]]")
