// SPDX-License-Identifier: Apache-2.0
// What one thread did and when: its operations in their order, each with the moments of its call and its return.
//
// Guarantee: the moment of a call is taken before the operation begins, and the moment of its return after everything
// that it wrote can be seen by all; both from the system's steady clock, which is one for all threads and never goes
// back. So if one operation is recorded as having returned before another was called, it had. Order in which logs are
// written says nothing and is not needed: no locks, nothing shared.
// Cost: two readings of the clock and two fences an operation. Memory is taken in blocks that double, and never between
// a call and its return: the next block is got once the last entry of this one is complete.
//
// Thread-safety: one thread, its owner, writes; anybody may read at any time, and sees what was complete by then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace linpoint::record {

/// Nanoseconds of the steady clock.
using Moment = std::int64_t;

/// The present, ordered with the reads and writes around it: none of them passes the reading of the clock.
[[nodiscard]] Moment now();

enum class Ending : std::uint8_t {
  kOpen,  ///< it has not ended yet, or its thread died in it
  kReturned,
  kRaised,
  kFailed,   ///< it certainly had no effect
  kUnknown,  ///< it ended, but nobody knows whether it had its effect
};

/// Values belong to whoever writes the log; here they are only kept.
using Value = void*;

struct Entry {
  Moment call = 0;
  Moment ret = 0;  ///< of an operation that has ended
  Value arguments = nullptr;
  Value result = nullptr;  ///< of an operation that has ended
  std::int32_t operation = 0;
  std::atomic<Ending> ending = Ending::kOpen;  ///< who reads anything but kOpen may read the rest
};

class Log {
 public:
  /// With room for so many operations before the first block is full.
  explicit Log(std::size_t expected);

  /// An operation begins when this returns. False, and nothing happens, if the one before is still open.
  [[nodiscard]] bool call(std::int32_t operation, Value arguments);
  /// The open operation ended at `ret`. False, and nothing happens, if there is none.
  [[nodiscard]] bool end(Ending ending, Moment ret, Value result);

  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_acquire); }

  /// Shows each entry to `visit`, in the order of the calls.
  template <typename Visit>
  void visit(Visit visit) const {
    const Block* block = first_.get();
    std::size_t at = 0;
    for (std::size_t left = size(); left > 0; --left, ++at) {
      if (at == block->capacity) {  // only now: the pointer may be read once an entry beyond it is known of
        block = block->next.get();
        at = 0;
      }
      visit(std::as_const(block->entries[at]));
    }
  }

  /// Forgets everything. Only while nobody else reads or writes.
  void clear();

 private:
  struct Block {
    explicit Block(std::size_t entries_in_it);
    std::size_t capacity;
    std::unique_ptr<Entry[]> entries;
    std::unique_ptr<Block> next;  ///< readers follow it only to entries that `size_` has told them of
  };

  std::unique_ptr<Block> first_;
  Block* last_;
  std::size_t used_ = 0;  ///< entries of the last block
  bool open_ = false;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace linpoint::record
