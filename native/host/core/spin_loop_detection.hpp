// SPDX-License-Identifier: Apache-2.0
// Loops that wait: a thread that stands where it stood, having only read since, will do the same again until something
// that it read has changed.
//
// Where a thread stands is a number made of the registers that a call keeps and of its live stack, at each operation
// that reads. No annotation is needed, and a loop of any shape is found once it has gone round. What the thread changes
// outside of its own stack makes a new beginning.
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

/// Of words [from, to).
[[nodiscard]] std::uint64_t hash_words(const std::uint64_t* from, const std::uint64_t* to, std::uint64_t seed);

class Spinning {
 public:
  struct Read {
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    std::array<std::byte, memory::kWidest> value{};

    friend bool operator==(const Read&, const Read&) = default;
  };

  /// Rounds of loops that changed nothing: what they read. Known for the runs to come, where a thread that stands there
  /// again and would read the same need not go round to find out.
  class Rounds {
   public:
    void learn(std::uint64_t standing, std::span<const Read> reads);
    /// What a round from there reads, if that is what there is now, as the thread sees it; nullptr if no such round is
    /// known.
    [[nodiscard]] const std::vector<Read>* futile(std::uint64_t standing, const memory::StoreBuffer& buffer) const;

   private:
    static constexpr std::size_t kMostRounds = 10'000;
    static constexpr std::size_t kMostReads = 32;
    std::unordered_map<std::uint64_t, std::list<std::vector<Read>>> rounds_;
    std::size_t count_ = 0;
  };

  void clear();
  /// The thread is about to read. True if it has stood here before: `repeated()` is what it has read since then, and
  /// `locked()` whether it has taken locks since then and given them back. So many it has taken or given back so far.
  [[nodiscard]] bool repeats(std::uint64_t standing, std::uint64_t locks);
  [[nodiscard]] bool locked() const { return locked_; }
  /// Whether `repeated()` is all that it has read since then, but for its own stack.
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::span<const Read> repeated() const { return std::span(reads_).subspan(head_); }
  /// It has read what is at this address now.
  void read(std::uint64_t address, std::size_t size);
  /// It has read something that no other thread changes in this run, but that may be otherwise in another run.
  void miss() { ++missed_; }
  /// Whether something of this is otherwise now, as the thread sees it.
  [[nodiscard]] static bool changed(std::span<const Read> reads, const memory::StoreBuffer& buffer);
  /// Whether something that was repeated has changed, as the thread sees it.
  [[nodiscard]] bool changed(const memory::StoreBuffer& buffer) const;

 private:
  struct Stand {
    std::uint64_t standing = 0;
    std::size_t reads = 0;
    std::uint64_t locks = 0;
    std::uint64_t missed = 0;
  };
  static constexpr std::size_t kMost = 512;  ///< reads; a loop with more is not found

  std::vector<Stand> stands_;
  std::vector<Read> reads_;
  std::size_t head_ = 0;
  std::uint64_t missed_ = 0;
  bool locked_ = false;
  bool complete_ = false;
};

}  // namespace linpoint::runtime
