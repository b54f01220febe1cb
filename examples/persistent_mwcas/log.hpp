// SPDX-License-Identifier: Apache-2.0
// The recorder: the operations of each thread, in a buffer of its own, written as operation lines when the run is over.
//
// While threads run, recording an operation takes one clock read and one copy into memory that has been touched before:
// no formatting, no allocation, no sharing.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock.hpp"
#include "memory.hpp"

enum class Kind : std::uint8_t { kRead, kMwcas, kMwswap };
enum class Outcome : std::uint8_t { kDone, kFailed, kUnknown };

inline constexpr std::size_t kWordsAtMost = 16;

// One operation of a thread. The new values are `first_new` and its successors, in the order of the addresses.
struct Operation {
  Kind kind = Kind::kRead;
  Outcome outcome = Outcome::kUnknown;
  std::uint32_t blamed = 0;
  std::size_t words = 0;
  Bits first_new = 0;
  std::array<std::size_t, kWordsAtMost> addresses{};
  std::array<Bits, kWordsAtMost> values{};  // read, replaced by a swap, or expected by an mwcas
  std::array<Bits, kWordsAtMost> seen{};    // by an mwcas that failed and returns the values of all words
};

inline constexpr std::uint32_t kEveryone = UINT32_MAX;

struct CrashLine {
  std::int64_t time;
  std::uint32_t process;  // or kEveryone
};

class Recorder {
 public:
  Recorder(bool enabled, std::size_t capacity, std::size_t words, bool with_seen)
      : enabled_(enabled),
        words_(words),
        with_seen_(with_seen),
        stride_(kHead + words * (with_seen ? 3 : 2)),
        entries_(enabled ? capacity * stride_ : 0) {}

  // The fence keeps the operation's own accesses on their side of the clock read, whatever the processor reorders.
  [[nodiscard]] std::int64_t now() const {
    if (!enabled_) return 0;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const std::int64_t time = nanoseconds();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return time;
  }

  void record(const Operation& op, std::int64_t call, std::int64_t returned) {
    if (!enabled_) return;
    Bits* entry = &entries_[used_++ * stride_];
    entry[0] = static_cast<Bits>(call);
    entry[1] = static_cast<Bits>(returned);
    entry[2] = op.first_new;
    entry[3] = Bits{op.blamed} << 32U | static_cast<Bits>(op.outcome) << 8U | static_cast<Bits>(op.kind);
    entry += kHead;
    for (std::size_t i = 0; i < words_; ++i) {
      entry[i] = op.addresses[i];
      entry[words_ + i] = op.values[i];
    }
    if (with_seen_) std::copy_n(op.seen.begin(), words_, entry + 2 * words_);
  }

  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::int64_t call_of(std::size_t i) const { return static_cast<std::int64_t>(entries_[i * stride_]); }
  [[nodiscard]] std::int64_t return_of(std::size_t i) const {
    return static_cast<std::int64_t>(entries_[i * stride_ + 1]);
  }
  [[nodiscard]] Operation operation(std::size_t i) const {
    const Bits* entry = &entries_[i * stride_];
    Operation op;
    op.kind = static_cast<Kind>(entry[3] & 0xFFU);
    op.outcome = static_cast<Outcome>(entry[3] >> 8U & 0xFFU);
    op.blamed = static_cast<std::uint32_t>(entry[3] >> 32U);
    op.words = words_;
    op.first_new = entry[2];
    entry += kHead;
    std::copy_n(entry, words_, op.addresses.begin());
    std::copy_n(entry + words_, words_, op.values.begin());
    if (with_seen_) std::copy_n(entry + 2 * words_, words_, op.seen.begin());
    return op;
  }

 private:
  static constexpr std::size_t kHead = 4;

  bool enabled_;
  std::size_t words_;
  bool with_seen_;
  std::size_t stride_;
  std::size_t used_ = 0;
  std::vector<Bits> entries_;
};
