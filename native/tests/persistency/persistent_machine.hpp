// SPDX-License-Identifier: Apache-2.0
// A machine with persistent memory, simulated step by step in every way it can go: what the persistency model is held
// against. It knows nothing of channels and prefixes: there are store buffers that drain, lines that the cache writes
// back whenever it likes, flushes that are under way, and write-combining buffers that empty word by word.
//
// Traces are tiny: at most 16 events and 3 lines, of which the first 16 bytes are used in units of 4. An image says for
// each unit which event has written it, so that no two stores are ever confused.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "linpoint/persistency/persistence.hpp"
#include "linpoint/persistency/pool_trace.hpp"

namespace linpoint::tests {

inline constexpr std::size_t kUnitsOfLine = 4;
inline constexpr std::size_t kUnits = 3 * kUnitsOfLine;
using Writers = std::array<std::int8_t, kUnits>;  ///< -1: nobody
using Images = std::set<Writers>;

/// The units that an access touches, one bit each.
inline unsigned units_of(std::uint64_t address, std::size_t size) {
  const std::size_t first = address / persistency::kLineSize * kUnitsOfLine + address % persistency::kLineSize / 4;
  return ((1U << (size / 4)) - 1U) << first;
}

class PersistentMachine {
 public:
  PersistentMachine(const std::vector<persistency::Event>& trace, persistency::Mode mode)
      : trace_(trace), persistent_caches_(mode == persistency::Mode::kEadr), images_(trace.size() + 1) {
    State first;
    first.cache.fill(-1);
    first.memory.fill(-1);
    visit(first);
    while (!open_.empty()) {
      const State state = open_.back();
      open_.pop_back();
      images_[state.next].insert(state.memory);
      go_on(state);
    }
  }

  /// What can be in memory after so many events.
  [[nodiscard]] const Images& images(std::size_t position) const { return images_[position]; }

 private:
  struct State {
    std::uint8_t next = 0;      ///< event to execute
    unsigned buffered = 0;      ///< stores in store buffers, one bit per event
    unsigned combining = 0;     ///< non-temporal stores in write-combining buffers
    unsigned flushing = 0;      ///< flushes under way
    Writers cache{}, memory{};  ///< what the cache would write back, what a crash leaves
  };

  void visit(const State& state) {
    std::string key(reinterpret_cast<const char*>(state.cache.data()), kUnits);
    key.append(reinterpret_cast<const char*>(state.memory.data()), kUnits);
    for (const unsigned part : {unsigned{state.next}, state.buffered, state.combining, state.flushing})
      key += {static_cast<char>(part & 0xffU), static_cast<char>(part >> 8U)};
    if (seen_.insert(key).second) open_.push_back(state);
  }

  [[nodiscard]] unsigned units(std::size_t event) const { return units_of(trace_[event].address, trace_[event].size); }
  [[nodiscard]] std::uint64_t line(std::size_t event) const { return trace_[event].address / persistency::kLineSize; }

  /// Of a set of events, those that fulfil a condition.
  template <typename Condition>
  [[nodiscard]] unsigned those(unsigned events, const Condition& condition) const {
    unsigned found = 0;
    for (std::size_t event = 0; event < trace_.size(); ++event)
      if ((events >> event & 1U) != 0 && condition(event)) found |= 1U << event;
    return found;
  }
  [[nodiscard]] unsigned of_thread(unsigned events, unsigned thread) const {
    return those(events, [&](std::size_t event) { return trace_[event].thread == thread; });
  }
  [[nodiscard]] unsigned beneath(unsigned events, std::size_t later) const {
    return those(events, [&](std::size_t event) { return event < later && (units(event) & units(later)) != 0; });
  }
  [[nodiscard]] unsigned earlier_in_line(unsigned events, std::size_t later) const {
    return those(events, [&](std::size_t event) { return event < later && line(event) == line(later); });
  }

  void write(Writers& to, std::size_t event) const {
    for (std::size_t unit = 0; unit < kUnits; ++unit)
      if ((units(event) >> unit & 1U) != 0) to[unit] = std::max(to[unit], static_cast<std::int8_t>(event));
  }

  void go_on(const State& state) {
    if (state.next < trace_.size()) execute(state);
    for (std::size_t event = 0; event < state.next; ++event) {
      if ((state.buffered >> event & 1U) != 0) drain(state, event);
      if ((state.combining >> event & 1U) != 0) empty(state, event);
      if ((state.flushing >> event & 1U) != 0) finish_flush(state, event);
    }
    for (std::uint64_t each = 0; each < 3 && !persistent_caches_; ++each) {
      State after = state;
      if (write_back(after, each)) visit(after);
    }
  }

  /// The head of a store buffer becomes visible. Without persistent caches, what happens to a line is what the trace
  /// says.
  void drain(State state, std::size_t event) {
    if (of_thread(state.buffered, trace_[event].thread) % (1U << event) != 0) return;
    if (beneath(state.buffered, event) != 0) return;
    if (persistent_caches_ && beneath(state.combining, event) != 0) return;
    if (!persistent_caches_ && earlier_in_line(state.buffered, event) != 0) return;
    state.buffered &= ~(1U << event);
    write(persistent_caches_ ? state.memory : state.cache, event);
    visit(state);
  }

  /// A word leaves a write-combining buffer; what it overlaps must have come before it.
  void empty(State state, std::size_t event) {
    const unsigned same_word = those(state.combining, [&](std::size_t other) {
      return other < event && trace_[other].thread == trace_[event].thread &&
             trace_[other].address / 8 == trace_[event].address / 8;
    });
    if (same_word != 0 || beneath(state.combining | state.buffered, event) != 0) return;
    for (std::size_t unit = 0; unit < kUnits && !persistent_caches_; ++unit)
      if ((units(event) >> unit & 1U) != 0 && state.cache[unit] != state.memory[unit]) return;
    state.combining &= ~(1U << event);
    write(state.memory, event);
    write(state.cache, event);
    visit(state);
  }

  void finish_flush(State state, std::size_t event) {
    if (earlier_in_line(state.buffered, event) != 0 || !write_back(state, line(event))) return;
    state.flushing &= ~(1U << event);
    visit(state);
  }

  /// A line goes to memory, unless it has what a non-temporal store that was before it would then overwrite.
  bool write_back(State& state, std::uint64_t which) const {
    for (std::size_t event = 0; event < state.next; ++event) {
      const bool cached = trace_[event].kind == persistency::Kind::kStore || is_update(trace_[event].kind);
      if (!cached || line(event) != which || (state.buffered >> event & 1U) != 0) continue;
      if (beneath(state.combining, event) != 0) return false;
    }
    for (std::size_t unit = which * kUnitsOfLine; unit < (which + 1) * kUnitsOfLine; ++unit)
      state.memory[unit] = state.cache[unit];
    return true;
  }

  /// Whether what the next event reads has left the buffers of other threads.
  [[nodiscard]] bool readable(const State& state) const {
    const unsigned thread = trace_[state.next].thread;
    const unsigned hidden =
        those(state.buffered | state.combining, [&](std::size_t event) { return trace_[event].thread != thread; });
    for (std::size_t unit = 0; unit < kUnits; ++unit) {
      if ((units(state.next) >> unit & 1U) == 0) continue;
      std::size_t last = trace_.size();
      for (std::size_t event = 0; event < state.next; ++event)
        if (is_store(trace_[event].kind) && (units(event) >> unit & 1U) != 0) last = event;
      if (last < trace_.size() && (hidden >> last & 1U) != 0) return false;
    }
    return true;
  }

  void execute(State state) {
    using persistency::Kind;
    const persistency::Event& event = trace_[state.next];
    const unsigned bit = 1U << state.next;
    const bool orders = event.kind == Kind::kFence || is_update(event.kind);
    if (orders && of_thread(state.buffered | state.combining | state.flushing, event.thread) != 0) return;
    if ((orders || event.kind == Kind::kRead) && event.size > 0 && !readable(state)) return;
    if (event.kind == Kind::kStore) state.buffered |= bit;
    if (event.kind == Kind::kNonTemporal) state.combining |= bit;
    if (event.kind == Kind::kFlushLater && !persistent_caches_) state.flushing |= bit;
    if (event.kind == Kind::kFlush && !persistent_caches_ &&
        (earlier_in_line(state.buffered, state.next) != 0 || !write_back(state, line(state.next))))
      return;
    if (is_update(event.kind)) {
      if (beneath(state.buffered, state.next) != 0) return;
      if (persistent_caches_ ? beneath(state.combining, state.next) != 0
                             : earlier_in_line(state.buffered, state.next) != 0)
        return;
      write(persistent_caches_ ? state.memory : state.cache, state.next);
    }
    ++state.next;
    visit(state);
  }

  const std::vector<persistency::Event>& trace_;
  bool persistent_caches_;
  std::vector<Images> images_;
  std::vector<State> open_;
  std::unordered_set<std::string> seen_;
};

}  // namespace linpoint::tests
