// SPDX-License-Identifier: Apache-2.0
// Detects waiting loops: a thread that is in the same state as before, having only read since, will repeat itself until
// something that it read has changed.
//
// The state of a thread is a hash of the callee-saved registers and of its live stack, at each operation that reads. No
// annotation is needed, and a loop of any form is found after one iteration. A change outside the thread's own stack
// starts anew.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "linpoint/memory_models/store_buffers.hpp"

namespace linpoint::runtime {

/// A hash of the words [from, to).
[[nodiscard]] std::uint64_t hash_words(const std::uint64_t* from, const std::uint64_t* to, std::uint64_t seed);

class Spinning {
 public:
  struct Read {
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    std::array<std::byte, memory::kWidest> value{};

    friend bool operator==(const Read&, const Read&) = default;
  };

  /// Iterations of loops that changed nothing: what they read. They are remembered for later runs, where a thread in
  /// the same state that would read the same values need not iterate to find out.
  class Rounds {
   public:
    void learn(std::uint64_t standing, std::span<const Read> reads);
    /// The reads of an iteration from this state, if the values are current, as the thread sees them; nullptr if no
    /// such iteration is known.
    [[nodiscard]] const std::vector<Read>* futile(std::uint64_t standing, const memory::StoreBuffer& buffer) const;

   private:
    static constexpr std::size_t kMostRounds = 10'000;
    static constexpr std::size_t kMostReads = 32;
    std::unordered_map<std::uint64_t, std::list<std::vector<Read>>> rounds_;
    std::size_t count_ = 0;
  };

  void clear();
  /// The thread is about to read. True if it has been in this state before: `repeated()` has its reads since then, and
  /// `locked()` whether it has taken and released locks since then. `locks` is the number taken or released so far.
  [[nodiscard]] bool repeats(std::uint64_t standing, std::uint64_t locks);
  [[nodiscard]] bool locked() const { return locked_; }
  /// Whether `repeated()` has all its reads since then, except those of its own stack.
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::span<const Read> repeated() const { return std::span(reads_).subspan(head_); }
  /// It has read the current value at this address.
  void read(std::uint64_t address, std::size_t size);
  /// It has read something that no other thread changes in this run, but that may differ in another run.
  void miss() { ++missed_; }
  /// Whether one of these values has changed, as the thread sees them.
  [[nodiscard]] static bool changed(std::span<const Read> reads, const memory::StoreBuffer& buffer);
  /// Whether one of the repeated reads has changed, as the thread sees them.
  [[nodiscard]] bool changed(const memory::StoreBuffer& buffer) const;

 private:
  struct Stand {
    std::uint64_t standing = 0;
    std::size_t reads = 0;
    std::uint64_t locks = 0;
    std::uint64_t missed = 0;
  };
  static constexpr std::size_t kMost = 512;  ///< reads; a loop with more is not detected

  std::vector<Stand> stands_;
  std::vector<Read> reads_;
  std::size_t head_ = 0;
  std::uint64_t missed_ = 0;
  bool locked_ = false;
  bool complete_ = false;
};

}  // namespace linpoint::runtime
