// SPDX-License-Identifier: Apache-2.0
// The internals of a search: its workers, which expand states, and the data of each level.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "linpoint/refine/state_search.hpp"
#include "refine/canonical_state.hpp"
#include "refine/packed_heap.hpp"
#include "refine/recent_state_cache.hpp"
#include "refine/spec_query.hpp"
#include "refine/state_store.hpp"
#include "refine/step_runner.hpp"
#include "refine/table_growth.hpp"

namespace linpoint::refine {

/// The first row of each level of the search, for each level and thread.
using Levels = std::vector<std::vector<std::uint64_t>>;

class Worker;

class Search::Engine {
 public:
  Engine(const Program& program, SpecSets* sets, unsigned threads, search::StopToken& stop);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  Reached run(std::uint32_t most_depth, bool deadlocks);
  std::vector<Choice> shortest_run();
  Lasso find_lasso(Property property, Fairness fairness);

  // Frequently written members have cache lines of their own, apart from data that all threads read.
  alignas(64) Progress progress;

 private:
  friend class Worker;

  bool begin();
  void search_levels(std::uint32_t most_depth, Reached& reached);
  void expand_level();
  void note(const Violation& violation);
  void need(Fault fault, std::uint32_t instruction);

  struct alignas(64) Cursor {
    std::atomic<std::uint64_t> next{0};
  };

  alignas(64) const Program& program_;
  SpecSets* sets_;
  search::StopToken& stop_;
  Packing packing_;
  StateStore store_;
  Growth growth_;
  Levels levels_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Cursor> cursors_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::atomic<std::uint8_t>> finished_;  // returns that some run has reached
  std::atomic<bool> pause_{false};
  std::atomic<std::uint64_t> transitions_{0};
  std::atomic<std::uint8_t> room_{0};
  std::uint32_t room_at_ = 0;
  bool deadlocks_ = false;
  std::mutex lock_;
  std::vector<Violation> violations_;
};

/// Expands states on one thread.
class Worker : public Asking {
 public:
  static constexpr bool kRecordsEvents = false;

  Worker(Search::Engine& engine, unsigned thread);

  /// Expands states of the level until none are left.
  void work();

  // The sink of its runner.
  void refused(unsigned process, unsigned instruction);
  void faulted(Fault fault, unsigned process, unsigned instruction);
  void reached(Slot* state, unsigned process);
  void finished(unsigned instruction) {
    // Written only once: a write takes the cache line away from all other threads.
    std::atomic<std::uint8_t>& flag = engine_finished_[instruction];
    if (flag.load(std::memory_order_relaxed) == 0) flag.store(1, std::memory_order_relaxed);
  }

  /// The initial state, as left by `setup`.
  void begin(const Slot* initial);

 private:
  void expand(StateStore::Number number);
  bool expand_ample();
  void step(unsigned process);
  void look_for_deadlock();
  void flush();
  bool look();
  [[nodiscard]] bool is_ample(unsigned process) const;
  [[nodiscard]] bool may_meet(const Footprint& access, unsigned process, unsigned group) const;

  static constexpr unsigned kQueue = 128;
  static constexpr unsigned kApart = 16;

  Search::Engine& engine_;
  std::atomic<std::uint8_t>* engine_finished_;
  const Program& program_;
  unsigned thread_;
  Canonical canonical_;
  Runner<Worker> runner_;
  std::vector<Slot> state_;
  PackedHeap packed_heap_;
  std::size_t row_stride_;
  std::vector<std::uint8_t> rows_;
  std::uint64_t hashes_[kQueue] = {};
  const std::uint8_t* kept_[kQueue] = {};
  RecentRows recent_;
  unsigned queued_ = 0;
  std::uint64_t since_look_ = StateStore::kLook;
  StateStore::Number current_ = 0;
  std::uint64_t transitions_ = 0;
  std::uint64_t successors_ = 0;
  bool failed_ = false;
  unsigned stuck_ = 0;
  std::array<int, kMostProcesses> blocked_call_{};
};

}  // namespace linpoint::refine
