// SPDX-License-Identifier: Apache-2.0
// The operations of one thread in order, each with the times of its call and its return.
//
// Guarantee: the time of a call is taken before the operation begins, and the time of its return after all its writes
// are visible to every thread; both from the system's steady clock, which all threads share and which never goes back.
// So if one operation is recorded as having returned before another was called, it did. The order in which logs are
// written has no meaning and is not needed: no locks, no shared state. Cost: two clock reads and two fences per
// operation. Memory is allocated in blocks of doubling size, never between a call and its return: the next block is
// allocated once the last entry of the current one is complete.
//
// Thread-safety: one thread, its owner, writes; any thread may read at any time, and sees the entries complete by then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace linpoint::record {

/// Nanoseconds of the steady clock.
using Moment = std::int64_t;

/// The current time, ordered with the surrounding reads and writes: none of them moves past the clock read.
[[nodiscard]] Moment now();

enum class Ending : std::uint8_t {
  kOpen,  ///< it has not ended yet, or its thread died in it
  kReturned,
  kRaised,
  kFailed,   ///< it certainly had no effect
  kUnknown,  ///< it ended, but whether it took effect is unknown
};

/// The writer of the log owns the values; the log only stores them.
using Value = void*;

struct Entry {
  Moment call = 0;
  Moment ret = 0;  ///< of an operation that has ended
  Value arguments = nullptr;
  Value result = nullptr;  ///< of an operation that has ended
  std::int32_t operation = 0;
  std::atomic<Ending> ending = Ending::kOpen;  ///< a reader that sees anything but kOpen may read the other fields
};

class Log {
 public:
  /// Makes room for `expected` operations in the first block.
  explicit Log(std::size_t expected);

  /// Begins an operation; it begins when this returns. False, without effect, if the previous one is still open.
  [[nodiscard]] bool call(std::int32_t operation, Value arguments);
  /// Ends the open operation at `ret`. False, without effect, if there is none.
  [[nodiscard]] bool end(Ending ending, Moment ret, Value result);

  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_acquire); }

  /// Passes each entry to `visit`, in the order of the calls.
  template <typename Visit>
  void visit(Visit visit) const {
    const Block* block = first_.get();
    std::size_t at = 0;
    for (std::size_t left = size(); left > 0; --left, ++at) {
      if (at == block->capacity) {  // only now: the pointer may be read once an entry beyond the block is known
        block = block->next.get();
        at = 0;
      }
      visit(std::as_const(block->entries[at]));
    }
  }

  /// Removes all entries. Only while no other thread reads or writes.
  void clear();

 private:
  struct Block {
    explicit Block(std::size_t entries_in_it);
    std::size_t capacity;
    std::unique_ptr<Entry[]> entries;
    std::unique_ptr<Block> next;  ///< readers follow it only to entries that `size_` covers
  };

  std::unique_ptr<Block> first_;
  Block* last_;
  std::size_t used_ = 0;  ///< entries in the last block
  bool open_ = false;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace linpoint::record
