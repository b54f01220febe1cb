// SPDX-License-Identifier: Apache-2.0
// The configurations that a specification allows after a run, as one number: an interned set.
//
// A configuration is one way in which the specification may have followed the run. A `System` defines its unobservable
// steps: for a sequential spec, a called operation takes effect; for another model, any step that no other process
// observes. Sets are closed under these steps when they are made (the normal form of Liu et al., FM 2009, section 4.1),
// so a search only looks up a cell: (set, event) -> set. Cost: O(1) without a lock for an event seen before in that
// set; else the computation of its successor configurations, under one lock. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "linpoint/refine/model_program.hpp"
#include "linpoint/refine/spec_configurations.hpp"
#include "linpoint/search/stop_token.hpp"

namespace linpoint::refine {

/// A specification as a transition system. Called under a lock.
class System {
 public:
  System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  virtual ~System() = default;

  virtual Configuration initial() = 0;
  /// The successors by a call; none if the call is not possible.
  virtual void call(const std::uint32_t* from, unsigned process, unsigned invocation, Configurations& out) = 0;
  /// The successors by unobservable steps.
  virtual void unseen(const std::uint32_t* from, Configurations& out) = 0;
  /// The operation of the process takes effect; for runs that state when it does.
  virtual void linearize(const std::uint32_t* from, unsigned process, Configurations& out) = 0;
  /// The successors if the process's operation returns this result (a number from `results`); none if it may not.
  virtual void give_back(const std::uint32_t* from, unsigned process, unsigned result, const std::vector<Slot>& values,
                         Configurations& out) = 0;
  /// Whether the operation of the process has taken effect.
  virtual bool is_done(const std::uint32_t* from, unsigned process) = 0;
  /// Swaps the processes `first` and `first + 1`.
  virtual void swap(const std::uint32_t* from, unsigned first, Configurations& out) = 0;
  /// Whether returns and swaps of processes enable no additional unobservable steps: a closed set then stays closed.
  [[nodiscard]] virtual bool stays_closed() const { return false; }
};

class SpecSets {
 public:
  /// `closed`: operations take effect unobservably; else only where the run states it. Cells of up to `results`
  /// different results are found without a lock.
  SpecSets(System& system, unsigned processes, unsigned invocations, unsigned results, bool closed,
           search::StopToken& stop);
  SpecSets(const SpecSets&) = delete;
  SpecSets& operator=(const SpecSets&) = delete;
  ~SpecSets();

  /// The initial set; refused only if there was no memory for it.
  Slot initial();
  // The set allowed after an event, or kRefused.
  Slot called(Slot set, unsigned process, unsigned invocation) {
    return next(set, process * per_process_ + invocation);
  }
  Slot linearized(Slot set, unsigned process) { return next(set, process * per_process_ + invocations_); }
  Slot returned(Slot set, unsigned process, const Slot* values, unsigned count);
  Slot swapped(Slot set, unsigned first) { return next(set, processes_ * per_process_ + first); }

  /// Whether the operation of the process may have taken effect. Slow.
  bool may_be_done(Slot set, unsigned process);
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_acquire); }
  /// The members of a set, for explanations.
  [[nodiscard]] std::vector<Configuration> configurations(Slot set);

 private:
  static constexpr std::int32_t kUnknown = -1;
  static constexpr std::int32_t kNever = -2;
  static constexpr unsigned kRows = 1U << 10U;
  static constexpr unsigned kChunks = 1U << 18U;
  static constexpr unsigned kSingles = 1U << 12U;
  using Cell = std::atomic<std::int32_t>;

  Slot next(Slot set, unsigned event);
  Slot fill(Slot set, unsigned event, unsigned result);
  Slot intern();
  bool close();
  [[nodiscard]] bool is_made(Slot set) const;
  unsigned result_number(const Slot* values, unsigned count);
  void step(const std::uint32_t* from, unsigned event, unsigned result);
  void take_found();
  void widen_index();

  System& system_;
  search::StopToken& stop_;
  unsigned processes_;
  unsigned invocations_;
  unsigned few_results_;
  unsigned per_process_;
  unsigned events_;
  bool closed_;
  std::mutex lock_;
  std::atomic<std::size_t> size_{0};
  std::unique_ptr<std::atomic<Cell*>[]> chunks_;
  std::vector<std::vector<std::uint32_t>> members_;  // configurations one after the other
  std::vector<std::uint32_t> lengths_;               // of one configuration of a set
  std::vector<std::uint64_t> hashes_;
  std::vector<Slot> index_;  // sets by hash, plus 1; 0 for an empty slot
  // Scratch memory for the set under construction.
  DistinctConfigurations made_;
  Configurations found_;
  std::unordered_map<std::uint64_t, std::int32_t> rare_;  // cells of results beyond the first few
  std::vector<std::vector<Slot>> results_;
  std::array<std::atomic<std::int16_t>, kSingles> single_{};
  std::size_t memory_ = 0;
};

}  // namespace linpoint::refine
