// SPDX-License-Identifier: Apache-2.0
// The right to run, handed from thread to thread: a thread without it waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace linpoint::control {

class Baton {
 public:
  void pass() {
    const std::lock_guard guard(mutex_);
    here_ = true;
    arrived_.notify_one();
  }

  bool wait() {
    std::unique_lock guard(mutex_);
    arrived_.wait(guard, [this] { return here_; });
    here_ = false;
    return true;
  }

  /// False if it has not arrived within that time.
  [[nodiscard]] bool wait_for(std::chrono::milliseconds time) {
    std::unique_lock guard(mutex_);
    if (!arrived_.wait_for(guard, time, [this] { return here_; })) return false;
    here_ = false;
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  bool here_ = false;
};

}  // namespace linpoint::control
