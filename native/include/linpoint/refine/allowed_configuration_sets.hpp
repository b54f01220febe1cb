// SPDX-License-Identifier: Apache-2.0
// What a specification allows after a run, as one number: a set of configurations, interned.
//
// A configuration is one way in which the specification may have gone along with the run; which steps it takes unseen
// is a `System`'s to say: for a sequential spec, that a called operation takes effect; for another model, whatever
// nobody else sees. Sets are closed under them when they are made (the normal form of Liu et al., FM 2009,
// section 4.1), so a search only looks up a cell: (set, event) -> set. Cost: O(1) without a lock for an event that was
// seen before in that set; else the configurations that come of it, under one lock. Thread-safe.
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
  /// What may come of a call; nothing where it cannot be made.
  virtual void call(const std::uint32_t* from, unsigned process, unsigned invocation, Configurations& out) = 0;
  /// What may happen unseen.
  virtual void unseen(const std::uint32_t* from, Configurations& out) = 0;
  /// The operation of the process takes effect; for runs that say when.
  virtual void linearize(const std::uint32_t* from, unsigned process, Configurations& out) = 0;
  /// Whether its operation may return with this result, a number that `results` has; and what comes of it.
  virtual void give_back(const std::uint32_t* from, unsigned process, unsigned result, const std::vector<Slot>& values,
                         Configurations& out) = 0;
  /// Whether the operation of the process has taken effect.
  virtual bool is_done(const std::uint32_t* from, unsigned process) = 0;
  /// Processes `first` and `first + 1` take each other's place.
  virtual void swap(const std::uint32_t* from, unsigned first, Configurations& out) = 0;
  /// Whether nothing more can happen unseen when operations have returned, or processes taken each other's place, than
  /// could before: a set stays closed then.
  [[nodiscard]] virtual bool stays_closed() const { return false; }
};

class SpecSets {
 public:
  /// `closed`: operations take effect unseen; else only where the run says so.
  /// For so many different `results` a cell is found without a lock.
  SpecSets(System& system, unsigned processes, unsigned invocations, unsigned results, bool closed,
           search::StopToken& stop);
  SpecSets(const SpecSets&) = delete;
  SpecSets& operator=(const SpecSets&) = delete;
  ~SpecSets();

  /// The first set; refused only if there was no memory for it.
  Slot initial();
  // What is allowed after an event, or kRefused.
  Slot called(Slot set, unsigned process, unsigned invocation) {
    return next(set, process * per_process_ + invocation);
  }
  Slot linearized(Slot set, unsigned process) { return next(set, process * per_process_ + invocations_); }
  Slot returned(Slot set, unsigned process, const Slot* values, unsigned count);
  Slot swapped(Slot set, unsigned first) { return next(set, processes_ * per_process_ + first); }

  /// Whether the operation of the process may have taken effect. Slow.
  bool may_be_done(Slot set, unsigned process);
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_acquire); }
  /// For whoever tells: what is in a set.
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
  std::vector<Slot> index_;  // sets by their hashes, plus 1; 0 where there is none
  // What is being made: used again and again.
  DistinctConfigurations made_;
  Configurations found_;
  std::unordered_map<std::uint64_t, std::int32_t> rare_;  // cells of results beyond the first few
  std::vector<std::vector<Slot>> results_;
  std::array<std::atomic<std::int16_t>, kSingles> single_{};
  std::size_t memory_ = 0;
};

}  // namespace linpoint::refine
