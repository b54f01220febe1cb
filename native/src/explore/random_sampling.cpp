// SPDX-License-Identifier: Apache-2.0
// Random schedules: by step, by priorities of processes (PCT), or by priorities of steps (POS).
//
// Each run has its own stream of random numbers, derived from the seed and the number of the run. It is the same on
// every machine.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "explore/runnable_choice.hpp"
#include "hashing.hpp"
#include "linpoint/explore/schedulers.hpp"

namespace linpoint::explore {

namespace {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), with the finaliser of hashing.hpp.
class Numbers {
 public:
  void restart(std::uint64_t seed, std::uint64_t run) { state_ = mix(mix(seed + 1) ^ (run + 1) * kStep); }
  std::uint64_t draw() { return mix(state_ += kStep); }
  /// A number below `bound`, which is so small compared with 2^64 that the bias is negligible.
  std::uint64_t below(std::uint64_t bound) { return draw() % bound; }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  std::uint64_t state_ = 0;
};

class Sampling : public Explorer {
 public:
  Sampling(std::uint64_t seed, std::uint64_t runs) : seed_(seed), runs_(runs) {}

 protected:
  Numbers& numbers() { return numbers_; }

 private:
  bool begin_run() final {
    if (run_ == runs_) return false;
    numbers_.restart(seed_, run_++);
    begin_sample();
    return true;
  }
  virtual void begin_sample() {}
  void end_run(const View& /*view*/, Ending /*ending*/) override {}

  std::uint64_t seed_;
  std::uint64_t runs_;
  std::uint64_t run_ = 0;
  Numbers numbers_;
};

class Random final : public Sampling {
 public:
  using Sampling::Sampling;

 private:
  Process choose_next(const View& view) override {
    enabled_.clear();
    for (Process process = 0; process < view.processes.size(); ++process)
      if (can_go(view, process)) enabled_.push_back(process);
    return enabled_.empty() ? kNobody : enabled_[numbers().below(enabled_.size())];
  }

  std::vector<Process> enabled_;
};

/// The enabled process with the highest priority; kNobody if none is enabled.
template <typename Priority>
Process highest(const View& view, const std::vector<Priority>& priorities) {
  Process best = kNobody;
  for (Process process = 0; process < view.processes.size(); ++process)
    if (can_go(view, process) && (best == kNobody || priorities[process] > priorities[best])) best = process;
  return best;
}

class Pct final : public Sampling {
 public:
  Pct(std::uint64_t seed, std::uint64_t runs, unsigned depth)
      : Sampling(seed, runs), changes_(depth < 1 ? 0 : depth - 1) {}

 private:
  void begin_sample() override {
    priorities_.clear();
    step_ = 0;
    lowest_ = 0;
    for (std::uint64_t& change : changes_) change = numbers().below(length_);
    std::sort(changes_.begin(), changes_.end());
    next_change_ = 0;
  }

  Process choose_next(const View& view) override {
    while (priorities_.size() < view.processes.size())
      priorities_.push_back(static_cast<std::int64_t>(numbers().draw() >> 2U) + 1);
    // A process that yields waits for others, which cannot make progress as long as it goes first.
    if (can_go(view, view.running) && view.processes[view.running].yields) lower(view.running);
    for (; next_change_ < changes_.size() && changes_[next_change_] <= step_; ++next_change_)
      if (const Process process = highest(view, priorities_); process != kNobody) lower(process);
    ++step_;
    return highest(view, priorities_);
  }

  void lower(Process process) { priorities_[process] = --lowest_; }

  /// Changes are spread over the longest run so far, since too large a length lowers the probability of finding a bug.
  void end_run(const View& /*view*/, Ending /*ending*/) override {
    length_ = std::max(std::exchange(measured_, true) ? length_ : 1, step_);
  }

  std::vector<std::uint64_t> changes_;  ///< the steps they precede
  std::size_t next_change_ = 0;
  std::vector<std::int64_t> priorities_;  ///< positive until they are lowered
  std::int64_t lowest_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t length_ = 32;  ///< an estimate until a run was observed
  bool measured_ = false;
};

class Pos final : public Sampling {
 public:
  using Sampling::Sampling;

 private:
  void begin_sample() override { priorities_.clear(); }

  Process choose_next(const View& view) override {
    for (Process process = 0; process < view.processes.size(); ++process) {
      if (process >= priorities_.size())
        priorities_.push_back(numbers().draw());
      else if (process == view.running || dependent(view.processes[process].accesses, view.event))
        priorities_[process] = numbers().draw();
    }
    return highest(view, priorities_);
  }

  std::vector<std::uint64_t> priorities_;
};

}  // namespace

std::unique_ptr<Explorer> make_random(std::uint64_t seed, std::uint64_t runs) {
  return std::make_unique<Random>(seed, runs);
}

std::unique_ptr<Explorer> make_pct(std::uint64_t seed, std::uint64_t runs, unsigned depth) {
  return std::make_unique<Pct>(seed, runs, depth);
}

std::unique_ptr<Explorer> make_pos(std::uint64_t seed, std::uint64_t runs) { return std::make_unique<Pos>(seed, runs); }

}  // namespace linpoint::explore
