// SPDX-License-Identifier: Apache-2.0
// The places where a thread can be delayed or stopped: before each access to the emulated memory.
//
// A crash is an exception, thrown at the next step: the thread abandons its operation in the middle, like a process
// that is killed there. It holds no lock at a step, and only what is in memory outlives its stack.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "random.hpp"

enum class Crash { kSystem, kProcess };

struct Interrupted : std::exception {
  explicit Interrupted(Crash which) : crash(which) {}
  Crash crash;
};

// A crash that one thread triggers at a given progress: in operations, or in nanoseconds of the run.
struct PlannedCrash {
  std::int64_t progress;
  Crash crash;
};

class Steps {
 public:
  Steps(std::uint64_t seed, double delays, std::vector<PlannedCrash> plan, std::atomic<bool>& system_crashes)
      : random_(seed), delays_(delays), plan_(std::move(plan)), system_crashes_(&system_crashes) {}

  // Threads of a run without delays and crashes pay one predictable branch per step.
  void watch() { watched_ = true; }

  void step() {
    if (watched_) [[unlikely]] {
      stop_if_crashed();
      if (delays_ > 0 && random_.chance(delays_)) delay();
    }
  }

  // Called before each operation. The crash happens some steps later, so that it hits every part of an operation.
  void advance(std::int64_t progress) {
    if (next_ < plan_.size() && !armed_ && plan_[next_].progress <= progress) {
      armed_ = true;
      steps_left_ = 1 + random_.below(kStepsAtMost);
    }
  }

 private:
  static constexpr std::uint64_t kStepsAtMost = 48;
  static constexpr std::uint64_t kDelayAtMost = 3000;

  void stop_if_crashed() {
    if (system_crashes_->load()) throw Interrupted(Crash::kSystem);
    if (!armed_ || --steps_left_ > 0) return;
    armed_ = false;
    const Crash crash = plan_[next_++].crash;
    if (crash == Crash::kSystem) system_crashes_->store(true);
    throw Interrupted(crash);
  }

  // If there are more threads than processors, another thread gets its turn; otherwise the others run meanwhile.
  void delay() {
    if (random_.below(2) == 0) {
      std::this_thread::yield();
    } else {
      wait_busily(static_cast<std::int64_t>(random_.below(kDelayAtMost)));
    }
  }

  Random random_;
  double delays_;
  std::vector<PlannedCrash> plan_;
  std::atomic<bool>* system_crashes_;
  std::size_t next_ = 0;
  std::uint64_t steps_left_ = 0;
  bool armed_ = false;
  bool watched_ = false;
};
