// SPDX-License-Identifier: Apache-2.0
// When to stop: a deadline, a ceiling for memory, and a word from outside (Ctrl-C, a rival that has the answer).
// Guarantee: a search that polls ends within one poll interval of the request.
// Thread-safe: one token is shared by all searches of one check.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace linpoint::search {

enum class StopReason : int { kNone = 0, kTime = 1, kMemory = 2, kRequest = 3 };

class StopToken {
 public:
  using Clock = std::chrono::steady_clock;

  /// No limits.
  StopToken() = default;

  /// Sets the time from now after which searches stop.
  void set_time_limit(double seconds) {
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    has_deadline_ = true;
  }

  /// Sets how many bytes searches may hold together.
  void set_memory_limit(std::size_t bytes) { memory_limit_ = bytes; }

  /// Asks every search to stop; the first reason given is kept.
  void stop(StopReason reason) {
    int none = 0;
    reason_.compare_exchange_strong(none, static_cast<int>(reason));
  }

  [[nodiscard]] bool stopped() const { return reason_.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] StopReason reason() const { return static_cast<StopReason>(reason_.load()); }

  /// Looks at the clock; call it rarely.
  bool poll() {
    if (has_deadline_ && Clock::now() >= deadline_) stop(StopReason::kTime);
    return stopped();
  }

  /// Asks for memory. False, and the token is stopped, when that would exceed the limit.
  bool reserve(std::size_t bytes) {
    const std::size_t now = memory_.fetch_add(bytes) + bytes;
    if (now <= memory_limit_) return true;
    memory_.fetch_sub(bytes);
    stop(StopReason::kMemory);
    return false;
  }
  void release(std::size_t bytes) { memory_.fetch_sub(bytes); }
  [[nodiscard]] std::size_t memory() const { return memory_.load(std::memory_order_relaxed); }

  /// Live progress, written by searches now and then and read by whoever shows it.
  std::atomic<std::uint64_t> configurations{0};
  std::atomic<std::uint64_t> linearized{0};

 private:
  std::atomic<int> reason_{0};
  std::atomic<std::size_t> memory_{0};
  std::size_t memory_limit_ = SIZE_MAX;
  Clock::time_point deadline_;
  bool has_deadline_ = false;
};

}  // namespace linpoint::search
