// SPDX-License-Identifier: Apache-2.0
// Litmus programs, and an oracle that knows the states of a memory model and nothing of schedules.
//
// The oracle is written by the definitions: a thread's stores wait in a list, with barriers among them, and any of them
// that the model allows may go next. It shares no code with what it checks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "linpoint/memory_models/store_buffers.hpp"

namespace linpoint::tests {

enum class Do : std::uint8_t { kStore, kReleaseStore, kLoad, kFence, kReleaseFence, kExchange, kCompareExchange };

/// Of one or two bytes.
struct Operation {
  Do what = Do::kLoad;
  unsigned at = 0;
  unsigned size = 1;
  unsigned value = 0;
  unsigned expected = 0;
};

using Litmus = std::vector<std::vector<Operation>>;  ///< by thread
using Outcome = std::vector<unsigned>;               ///< what each thread read, in its order; then memory
using Outcomes = std::set<Outcome>;

inline constexpr unsigned kBytes = 4;

inline Operation store(unsigned at, unsigned value) { return {Do::kStore, at, 1, value, 0}; }
inline Operation release(unsigned at, unsigned value) { return {Do::kReleaseStore, at, 1, value, 0}; }
inline Operation load(unsigned at) { return {Do::kLoad, at, 1, 0, 0}; }
inline Operation fence() { return {Do::kFence, 0, 1, 0, 0}; }
inline Operation release_fence() { return {Do::kReleaseFence, 0, 1, 0, 0}; }
inline Operation exchange(unsigned at, unsigned value) { return {Do::kExchange, at, 1, value, 0}; }

inline bool reads(const Operation& operation) {
  return operation.what == Do::kLoad || operation.what == Do::kExchange || operation.what == Do::kCompareExchange;
}

class LitmusOracle {
 public:
  LitmusOracle(const Litmus& litmus, memory::Model model) : litmus_(litmus), model_(model) {
    State start;
    start.threads.resize(litmus.size());
    visit(start);
  }
  [[nodiscard]] const Outcomes& outcomes() const { return outcomes_; }

 private:
  struct Waiting {
    bool barrier = false;
    unsigned at = 0;
    unsigned size = 0;
    unsigned value = 0;
    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  struct One {
    std::size_t next = 0;
    std::vector<unsigned> seen;
    std::vector<Waiting> waiting;
    friend auto operator<=>(const One&, const One&) = default;
  };
  struct State {
    std::array<unsigned, kBytes> memory{};
    std::vector<One> threads;
    friend auto operator<=>(const State&, const State&) = default;
  };

  static void put(std::array<unsigned, kBytes>& memory, const Waiting& store) {
    memory[store.at] = store.value & 0xFFU;
    if (store.size == 2) memory[store.at + 1] = store.value >> 8;
  }

  static unsigned get(const std::array<unsigned, kBytes>& memory, const Operation& operation) {
    return memory[operation.at] + (operation.size == 2 ? memory[operation.at + 1] << 8 : 0);
  }

  /// Under PSO whatever shares a byte with an earlier one, or comes after a barrier, waits for that; where addresses
  /// differ, also for all before.
  [[nodiscard]] bool may_flush(const std::vector<Waiting>& waiting, std::size_t at) const {
    if (waiting[at].barrier) return false;
    if (model_ == memory::Model::kTso) return at == 0;
    const Waiting& mine = waiting[at];
    for (std::size_t other = 0; other < at; ++other) {
      const Waiting& earlier = waiting[other];
      if (earlier.barrier || (earlier.at < mine.at + mine.size && mine.at < earlier.at + earlier.size)) return false;
    }
    return true;
  }

  void visit(const State& state) {
    if (!visited_.insert(state).second) return;
    bool over = true;
    for (std::size_t thread = 0; thread < litmus_.size(); ++thread) {
      const One& one = state.threads[thread];
      for (std::size_t at = 0; at < one.waiting.size(); ++at)
        if (may_flush(one.waiting, at)) flush(state, thread, at);
      over = over && one.waiting.empty() && one.next == litmus_[thread].size();
      if (one.next < litmus_[thread].size()) execute(state, thread);
    }
    if (!over) return;
    Outcome outcome;
    for (const One& one : state.threads) outcome.insert(outcome.end(), one.seen.begin(), one.seen.end());
    outcome.insert(outcome.end(), state.memory.begin(), state.memory.end());
    outcomes_.insert(outcome);
  }

  void flush(State state, std::size_t thread, std::size_t at) {
    std::vector<Waiting>& waiting = state.threads[thread].waiting;
    put(state.memory, waiting[at]);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
    while (!waiting.empty() && waiting.front().barrier) waiting.erase(waiting.begin());
    visit(state);
  }

  void execute(State state, std::size_t thread) {
    One& one = state.threads[thread];
    const Operation& operation = litmus_[thread][one.next++];
    const Waiting store{false, operation.at, operation.size, operation.value};
    const bool plain = operation.what == Do::kStore || operation.what == Do::kReleaseStore;
    if (operation.what == Do::kReleaseStore || operation.what == Do::kReleaseFence) {
      if (model_ == memory::Model::kPso && !one.waiting.empty()) one.waiting.push_back({.barrier = true});
    }
    if (plain && model_ != memory::Model::kSc) {
      one.waiting.push_back(store);
    } else if (plain) {
      put(state.memory, store);
    } else if (operation.what == Do::kLoad) {
      std::array<unsigned, kBytes> view = state.memory;
      for (const Waiting& own : one.waiting)
        if (!own.barrier) put(view, own);
      one.seen.push_back(get(view, operation));
    } else if (operation.what != Do::kReleaseFence) {
      if (!one.waiting.empty()) return;
      const unsigned old = get(state.memory, operation);
      if (operation.what != Do::kFence) one.seen.push_back(old);
      if (operation.what == Do::kExchange || (operation.what == Do::kCompareExchange && old == operation.expected))
        put(state.memory, store);
    }
    visit(state);
  }

  const Litmus& litmus_;
  memory::Model model_;
  std::set<State> visited_;
  Outcomes outcomes_;
};

}  // namespace linpoint::tests
