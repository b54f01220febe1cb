// SPDX-License-Identifier: Apache-2.0
// Crashes of the whole system: every thread stops in the middle of its operation, memory loses unflushed data, recovery
// runs, and the threads continue.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "log.hpp"
#include "random.hpp"
#include "steps.hpp"

class SystemCrashes {
 public:
  SystemCrashes(std::size_t threads, std::function<void()> lose_and_recover)
      : running_(threads), lose_and_recover_(std::move(lose_and_recover)) {}

  // Set by the thread that triggers a crash; all others stop at their next step.
  std::atomic<bool>& flag() { return crashing_; }

  // A thread that has stopped waits here until the system has recovered.
  void wait_for_recovery() {
    std::unique_lock lock(mutex_);
    ++stopped_;
    if (stopped_ == running_) {
      recover();
    } else {
      const std::size_t crash = times_.size();
      recovered_.wait(lock, [&] { return times_.size() > crash; });
    }
  }

  // A thread that has finished need not stop.
  void leave() {
    const std::scoped_lock lock(mutex_);
    --running_;
    if (running_ > 0 && stopped_ == running_) recover();
  }

  // Only once no thread runs.
  [[nodiscard]] const std::vector<std::int64_t>& times() const { return times_; }

 private:
  void recover() {
    // All threads have stopped: earlier returns precede this time, and later calls follow it.
    const std::int64_t time = nanoseconds();
    lose_and_recover_();
    stopped_ = 0;
    crashing_.store(false);
    times_.push_back(time);
    recovered_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable recovered_;
  std::atomic<bool> crashing_{false};
  std::size_t running_;
  std::size_t stopped_ = 0;
  std::vector<std::int64_t> times_;
  std::function<void()> lose_and_recover_;
};

// Chooses the time and the thread of each crash at random within the first 19/20 of the run, so that steps remain for
// the last ones. `span` is the number of operations of a thread, or nanoseconds.
inline std::vector<std::vector<PlannedCrash>> plan_crashes(Random random, std::size_t threads, std::int64_t span,
                                                           std::size_t system, std::size_t process) {
  std::vector<std::vector<PlannedCrash>> plans(threads);
  for (std::size_t i = 0; i < system + process; ++i) {
    const auto progress = static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(span * 19 / 20 + 1));
    plans[random.below(threads)].push_back({progress, i < system ? Crash::kSystem : Crash::kProcess});
  }
  for (std::vector<PlannedCrash>& plan : plans) {
    std::sort(plan.begin(), plan.end(),
              [](const PlannedCrash& one, const PlannedCrash& two) { return one.progress < two.progress; });
  }
  return plans;
}
