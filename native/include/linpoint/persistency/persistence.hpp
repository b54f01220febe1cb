// SPDX-License-Identifier: Apache-2.0
// Which stores are certainly persistent at each moment of a trace, and which may be.
//
// Stores that are not certainly persistent wait in *channels*. At a crash, each channel has kept a prefix of its
// stores, of any length. Channels are (ADR, where the memory controller persists and caches do not):
// - a cache line: its ordinary and locked stores of all threads, in order. A clflush makes earlier stores persistent; a
//   clwb or clflushopt does so at the next fence of its thread.
// - an aligned word with non-temporal stores of one thread: write-combining buffers are written back in parts of words,
//   in any order. The next fence of the thread makes them persistent; flushes do not.
// eADR, where caches persist too: a thread's store buffer is a channel instead of the lines, and a fence of the thread
// empties it.
//
// Overlapping stores keep their order also between channels: if a store has reached memory, so have earlier stores to
// any of its bytes. A store that another thread has read has left its buffer; hence reads matter in traces with several
// threads under eADR or with non-temporal stores.
//
// Sources: Intel SDM volume 1, 10.4.6 and volume 3A, 12.3 (11.3 in older versions), Raad, Wickerson, Neis, Vafeiadis:
// Persistency Semantics of the Intel-x86 Architecture (POPL 2020); unlike them, we let a clflush complete when it is
// executed. Cost: amortised O(1) per event, without allocations once all lines have occurred; where channels overlap,
// linear in the waiting stores of the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "linpoint/persistency/pool_trace.hpp"

namespace linpoint::persistency {

enum class Mode : std::uint8_t { kAdr, kEadr };

/// The channel of a line is the address of the line. Others have the thread in their highest 16 bits.
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

/// The number of waiting stores that a channel has kept.
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
  bool bound = false;      ///< it overlaps an earlier store that waited in another channel
};

[[nodiscard]] constexpr bool overlap(const Waiting& a, const Waiting& b) {
  return overlap(a.address, a.size, b.address, b.size);
}

/// Not thread-safe; copies are snapshots.
class Persistence {
 public:
  explicit Persistence(Mode mode) : mode_(mode) {}
  void restart();

  [[nodiscard]] Mode mode() const { return mode_; }
  /// The number of events so far: the position of a crash at this moment.
  [[nodiscard]] std::uint32_t position() const { return position_; }

  /// Processes the next event; `index` is its index in the trace. Events may be left out; indices increase.
  void advance(const Event& event, std::uint32_t index);

  /// Makes a waiting store persistent from now on, with all stores that this implies; adds to `settled`. Used to try
  /// out fixes: called after each store that a user would follow by a flush and a fence.
  void persist(std::uint32_t index, std::uint64_t address);

  /// The events whose stores became certainly persistent by the last `advance` and later `persist`s. Written in this
  /// order to an image with all earlier ones, they make the least image of this moment.
  [[nodiscard]] std::span<const std::uint32_t> settled() const { return settled_; }
  /// Whether the last event was a flush or fence instruction without effect on what is certain, now or later.
  [[nodiscard]] bool idle() const { return idle_; }

  /// Calls `each(channel, count)` for all channels with waiting stores.
  template <typename Each>
  void for_each_channel(Each&& each) const;
  /// Calls `each` for the lines that waiting stores write to.
  template <typename Each>
  void for_each_line(Each&& each) const {
    for (const std::uint32_t number : active_) each(lines_[number].address);
  }
  /// The number of waiting stores in a channel, and which events they are, in order.
  [[nodiscard]] std::uint32_t count(Channel channel) const;
  void collect(Channel channel, std::vector<std::uint32_t>& into) const;
  /// The lines that the stores of a store buffer write to.
  void collect_lines(Channel buffer, std::vector<std::uint64_t>& into) const;
  /// The number of waiting stores in all channels.
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  /// The waiting stores of a line, in any channel, in trace order.
  [[nodiscard]] std::span<const Waiting> waiting_in(std::uint64_t line) const;
  /// The channel of a store and the shortest prefix that contains it; nothing if the store is certainly persistent.
  [[nodiscard]] std::optional<Kept> place_of(std::uint32_t index, std::uint64_t address) const;
  /// Whether prefixes of channels depend on each other (see `feasible` in crash_states.hpp).
  [[nodiscard]] bool bound() const { return bound_ > 0; }
  [[nodiscard]] Channel channel_of(const Waiting& store) const;

 private:
  struct Line {
    std::uint64_t address = 0;
    std::vector<Waiting> stores;  ///< from `head` on
    std::uint32_t head = 0;
    std::uint32_t active = 0;     ///< its index in `active_`, if any store waits
    std::uint32_t combining = 0;  ///< number of its non-temporal stores
    std::uint32_t bound = 0;
    std::uint32_t flushed = 0;  ///< of the last relevant clwb, by `flusher`
    std::uint16_t flusher = 0;
    [[nodiscard]] std::span<const Waiting> waiting() const { return std::span(stores).subspan(head); }
    [[nodiscard]] std::uint32_t cached() const { return static_cast<std::uint32_t>(stores.size()) - head - combining; }
  };
  struct Flush {
    std::uint32_t line = 0;
    std::uint32_t index = 0;  ///< of its event: it covers earlier stores
  };
  struct Buffered {
    std::uint32_t line = 0;
    std::uint32_t index = 0;
  };
  struct Thread {
    std::vector<Flush> flushes;       ///< since its last fence
    std::vector<Buffered> combining;  ///< non-temporal stores since then
    std::vector<Buffered> buffer;     ///< stores since then, under eADR, from `head` on
    std::uint32_t head = 0;
    std::uint32_t fenced = 0;  ///< number of events at its last fence
    bool flushed = false;      ///< since then, also by a clflush
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t find(std::uint64_t line) const;
  [[nodiscard]] std::uint32_t slot_of(std::uint64_t line) const;
  std::uint32_t enter(std::uint64_t line);
  void grow();
  [[nodiscard]] Thread& thread(std::uint16_t number);
  [[nodiscard]] const Waiting* waiting_store(std::uint32_t line, std::uint32_t index) const;
  [[nodiscard]] std::uint32_t buffered_elsewhere(std::uint16_t number) const;

  void add(const Event& event, std::uint32_t index);
  void see(const Event& event);
  void flush(const Event& event, std::uint32_t index);
  void fence(const Event& event);
  void settle_cached(std::uint32_t number, std::uint32_t before);
  void settle(std::uint32_t number, std::uint32_t index);
  [[nodiscard]] Buffered oldest_of_channel(std::uint32_t number, const Waiting& store) const;
  [[nodiscard]] const Waiting* oldest_beneath(const Buffered& upper) const;
  void remove(std::uint32_t number, std::uint32_t index);
  void count_combining(const Line& line, std::vector<Kept>& into) const;

  Mode mode_;
  bool idle_ = false;
  std::uint32_t position_ = 0;
  std::uint32_t buffering_ = 0;  ///< number of threads whose store buffer is not empty
  std::size_t waiting_ = 0;
  std::size_t combining_ = 0;
  std::size_t bound_ = 0;
  std::vector<std::uint32_t> settled_;
  std::vector<Line> lines_;            ///< all that were ever stored to
  std::vector<std::uint32_t> active_;  ///< those with waiting stores
  std::vector<std::uint32_t> table_;   ///< by address, with open addressing: an index into `lines_` plus one
  std::vector<Thread> threads_;
};

template <typename Each>
void Persistence::for_each_channel(Each&& each) const {
  if (mode_ == Mode::kEadr) {
    for (std::size_t number = 0; number < threads_.size(); ++number) {
      const Thread& owner = threads_[number];
      const auto count = static_cast<std::uint32_t>(owner.buffer.size()) - owner.head;
      if (count > 0) each(buffer_channel(static_cast<std::uint16_t>(number)), count);
    }
  }
  std::vector<Kept> channels;
  for (const std::uint32_t number : active_) {
    const Line& line = lines_[number];
    if (mode_ == Mode::kAdr && line.cached() > 0) each(line_channel(line.address), line.cached());
    if (line.combining > 0) count_combining(line, channels);
  }
  for (const Kept& channel : channels) each(channel.channel, channel.prefix);
}

}  // namespace linpoint::persistency
