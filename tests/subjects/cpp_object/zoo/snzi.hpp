// SPDX-License-Identifier: Apache-2.0
// SNZI, a scalable non-zero indicator (Ellen, Lev, Luchangco, Moir, PODC 2007): have more arrived than departed? Here a
// root and one node beneath it, through which all come.
//
// The node passes on only its first arrival and its last departure. While the first one is on its way to the root, the
// node counts one half, and whoever comes then goes to the root as well. The root keeps a bit that can be read without
// touching its count; who clears it looks whether the root has been empty ever since. LL and SC of the paper are an
// exchange of the bit with a number that counts its changes.
//
// Broken twins: (1) the node counts one at once: who comes second returns when the first has not yet told the root,
// and the indicator is still off. (2) Who departs last from the root clears the bit without looking: somebody may have
// arrived since, and the bit is off with somebody there.
#pragma once

#include <atomic>
#include <cstdint>

namespace zoo {

enum class SnziFlaw { kNone, kNoHalf, kClearedUnseen };

template <SnziFlaw kFlaw = SnziFlaw::kNone>
class SnziRoot {
 public:
  void arrive() {
    State seen = state_.load(std::memory_order_acquire);
    State next{};
    do {
      next = seen.count == 0 ? State{1, 1, seen.version + 1} : with(seen, seen.count + 1);
    } while (!state_.compare_exchange_weak(seen, next));
    if (next.announce == 0) return;
    Bit bit = bit_.load();
    while (!bit_.compare_exchange_weak(bit, {1, bit.changes + 1})) {
    }
    state_.compare_exchange_strong(next, announced(next));
  }

  void depart() {
    State seen = state_.load(std::memory_order_acquire);
    while (!state_.compare_exchange_weak(seen, announced(with(seen, seen.count - 1)))) {
    }
    if (seen.count >= 2) return;
    Bit bit = bit_.load();
    do {
      if (kFlaw != SnziFlaw::kClearedUnseen && state_.load().version != seen.version) return;
    } while (!bit_.compare_exchange_weak(bit, {0, bit.changes + 1}));
  }

  bool query() const { return bit_.load().set != 0; }

 private:
  struct State {
    std::uint16_t count;
    std::uint16_t announce;  ///< the bit has not been set since the count left zero
    std::uint32_t version;   ///< how often the count left zero
  };
  static State with(State state, int count) {
    return {static_cast<std::uint16_t>(count), state.announce, state.version};
  }
  static State announced(State state) { return {state.count, 0, state.version}; }
  struct Bit {
    std::uint32_t set;
    std::uint32_t changes;
  };

  std::atomic<State> state_{};
  std::atomic<Bit> bit_{};
};

template <SnziFlaw kFlaw = SnziFlaw::kNone>
class Snzi {
 public:
  void arrive() {
    unsigned too_many = 0;
    for (bool arrived = false; !arrived;) {
      State seen = state_.load(std::memory_order_acquire);
      if (seen.halves >= kOne) {
        arrived = state_.compare_exchange_strong(seen, {seen.halves + kOne, seen.version});
        continue;
      }
      if (seen.halves == 0) {
        const State first{kFlaw == SnziFlaw::kNoHalf ? kOne : kHalf, seen.version + 1};
        if (!state_.compare_exchange_strong(seen, first)) continue;
        seen = first;
        arrived = true;
      }
      root_.arrive();
      if constexpr (kFlaw != SnziFlaw::kNoHalf)
        if (!state_.compare_exchange_strong(seen, {kOne, seen.version})) ++too_many;
    }
    for (; too_many != 0; --too_many) root_.depart();
  }

  /// By who has arrived.
  void depart() {
    State seen = state_.load(std::memory_order_acquire);
    while (!state_.compare_exchange_weak(seen, {seen.halves - kOne, seen.version})) {
    }
    if (seen.halves == kOne) root_.depart();
  }

  bool query() const { return root_.query(); }

 private:
  struct State {
    std::uint32_t halves;
    std::uint32_t version;
  };
  static constexpr std::uint32_t kHalf = 1;
  static constexpr std::uint32_t kOne = 2;

  SnziRoot<kFlaw> root_;
  std::atomic<State> state_{};
};

}  // namespace zoo
