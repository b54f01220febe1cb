// SPDX-License-Identifier: Apache-2.0
// What is certainly persistent at each moment of a trace, and what may be.
//
// Stores that are not certainly persistent wait in *channels*. At a crash each channel has kept a prefix of its stores,
// of any length. Channels are (ADR, where the memory controller persists and caches do not):
// - a cache line: its ordinary and locked stores of all threads, in order. A clflush settles those before it; a clwb
//   or clflushopt those before it, at the next fence of its thread.
// - an aligned word with non-temporal stores of one thread: write-combining buffers are emptied in parts of words, in
//   any order. The next fence of the thread settles them; flushes do not.
// eADR, where caches persist too: a thread's store buffer is a channel instead of the lines, and a fence of the thread
// empties it.
//
// What overlaps keeps its order also between channels: if a store has reached memory, so have earlier ones of any of
// its bytes. And what another thread has read has left the buffer that it was in; hence reads matter in traces with
// several threads under eADR or with non-temporal stores.
//
// Sources: Intel SDM volume 1, 10.4.6 and volume 3A, 12.3 (11.3 in older ones), Raad, Wickerson, Neis, Vafeiadis:
// Persistency Semantics of the Intel-x86 Architecture (POPL 2020), from which we differ in that a clflush has done its
// work when it was executed. Cost: amortised O(1) per event, without allocations once it has seen all lines; where
// channels overlap, linear in what waits in the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "linpoint/persistency/trace.hpp"

namespace linpoint::persistency {

enum class Mode : std::uint8_t { kAdr, kEadr };

/// A line's is the address of the line. Others have the thread in their highest 16 bits.
using Channel = std::uint64_t;

[[nodiscard]] constexpr Channel line_channel(std::uint64_t address) { return line_of(address); }
[[nodiscard]] constexpr Channel combining_channel(std::uint64_t address, std::uint16_t thread) {
  return (std::uint64_t{thread} + 1) << 48U | word_of(address);
}
[[nodiscard]] constexpr Channel buffer_channel(std::uint16_t thread) { return (std::uint64_t{thread} + 1) << 48U | 1U; }
[[nodiscard]] constexpr bool is_buffer(Channel channel) { return (channel & 1U) != 0; }
/// The line whose stores are in a channel; 0 for store buffers.
[[nodiscard]] constexpr std::uint64_t line_of_channel(Channel channel) {
  return is_buffer(channel) ? 0 : line_of(channel & ((std::uint64_t{1} << 48U) - 1));
}

/// That a channel has kept so many of its waiting stores.
struct Kept {
  Channel channel = 0;
  std::uint32_t prefix = 0;
  bool operator==(const Kept&) const = default;
};

/// A store that is not certainly persistent.
struct Waiting {
  std::uint64_t address = 0;
  std::uint32_t index = 0;  ///< of its event
  std::uint16_t thread = 0;
  std::uint8_t size = 0;
  bool combining = false;  ///< it is non-temporal
  bool bound = false;      ///< it overlaps an earlier one that waited in another channel
};

/// Not thread-safe; copies are snapshots.
class Persistence {
 public:
  explicit Persistence(Mode mode) : mode_(mode) {}
  void restart();

  [[nodiscard]] Mode mode() const { return mode_; }
  /// How many events there were: the position of a crash at this moment.
  [[nodiscard]] std::uint32_t position() const { return position_; }

  /// The next event of the trace, which is number `index` of it; events may be left out, indices grow.
  void advance(const Event& event, std::uint32_t index);

  /// Lets a store that waits be persistent from now on, with all that must be then; adds to `settled`. So repairs are
  /// tried out: called after each store of the code that a user would follow by a flush and a fence.
  void persist(std::uint32_t index, std::uint64_t address);

  /// The events whose stores have become certainly persistent by the last `advance` and later `persist`s. Written in
  /// this order to an image that had all earlier ones, they make the least image of this moment.
  [[nodiscard]] std::span<const std::uint32_t> settled() const { return settled_; }
  /// Whether the last event was a flush or a fence instruction without effect on what is certain, now or later.
  [[nodiscard]] bool idle() const { return idle_; }

  /// Calls `each(channel, count)` for all channels where stores wait.
  template <typename Each>
  void for_each_channel(Each&& each) const;
  /// The lines that waiting stores write to.
  template <typename Each>
  void for_each_line(Each&& each) const {
    for (const std::uint32_t number : active_) each(lines_[number].address);
  }
  /// How many stores wait in a channel, and which events they are, in order.
  [[nodiscard]] std::uint32_t count(Channel channel) const;
  void collect(Channel channel, std::vector<std::uint32_t>& into) const;
  /// How many wait in all channels.
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  /// What waits in a line, whatever the channel, in the order of the trace.
  [[nodiscard]] std::span<const Waiting> waiting_in(std::uint64_t line) const;
  /// The channel of a store and the shortest prefix with it; nothing if it is certainly persistent.
  [[nodiscard]] std::optional<Kept> place_of(std::uint32_t index, std::uint64_t address) const;
  /// Whether prefixes of channels depend on each other (see `feasible` in states.hpp).
  [[nodiscard]] bool bound() const { return bound_ > 0; }
  [[nodiscard]] Channel channel_of(const Waiting& store) const;

 private:
  struct Line {
    std::uint64_t address = 0;
    std::vector<Waiting> stores;  ///< from `head` on
    std::uint32_t head = 0;
    std::uint32_t active = 0;     ///< its place in `active_`
    std::uint32_t combining = 0;  ///< non-temporal ones among them
    std::uint32_t bound = 0;
  };
  struct Flush {
    std::uint32_t line = 0;
    std::uint32_t index = 0;  ///< of its event: stores before it are covered
  };
  struct Buffered {
    std::uint64_t address = 0;
    std::uint32_t index = 0;
  };
  struct Thread {
    std::vector<Flush> flushes;       ///< since its last fence
    std::vector<Buffered> combining;  ///< non-temporal stores since then
    std::vector<Buffered> buffer;     ///< stores since then, under eADR, from `head` on
    std::uint32_t head = 0;
    bool flushed = false;  ///< since its last fence, also by a clflush
  };

  Mode mode_;
  std::uint32_t position_ = 0;
  bool idle_ = false;
  std::size_t waiting_ = 0;
  std::size_t combining_ = 0;
  std::size_t bound_ = 0;
  std::vector<std::uint32_t> settled_;
  std::vector<Line> lines_;            ///< all that were ever stored to
  std::vector<std::uint32_t> active_;  ///< those with waiting stores
  std::vector<std::uint32_t> table_;   ///< by address, with open addressing: a number in `lines_` plus one
  std::vector<Thread> threads_;
};

}  // namespace linpoint::persistency
