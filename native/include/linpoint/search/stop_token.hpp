// SPDX-License-Identifier: Apache-2.0
// When to stop: a deadline, a memory limit, or an external request (Ctrl-C, or another search of the portfolio that has
// the answer). Guarantee: a search that polls ends within one poll interval of the request. Thread-safe. All searches
// of a check share one token; each part of a history has a child token, which ends the searches of that part alone, and
// each search a child of that. The root token keeps one account of memory for all.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "linpoint/limits/process_stop.hpp"

namespace linpoint::search {

enum class StopReason : int { kNone = 0, kTime = 1, kMemory = 2, kRequest = 3 };

class StopToken {
 public:
  using Clock = std::chrono::steady_clock;

  /// Without limits of its own; those of `parent` apply too, and those of the process if the token `heeds_process`.
  explicit StopToken(StopToken* parent = nullptr, bool heeds_process = false)
      : parent_(parent), heeds_process_(heeds_process) {}
  StopToken(const StopToken&) = delete;
  StopToken& operator=(const StopToken&) = delete;

  /// Sets the time from now after which searches stop.
  void set_time_limit(double seconds) {
    // Clocks cannot represent more than a few centuries; such a limit counts as none.
    constexpr double kForEver = 1e9;
    if (seconds >= kForEver) return;
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    has_deadline_ = true;
  }

  /// Sets the number of bytes that searches may hold together.
  void set_memory_limit(std::size_t bytes) { memory_limit_ = bytes; }

  /// Requests every search to stop; the first reason is kept.
  void stop(StopReason reason) {
    int none = 0;
    reason_.compare_exchange_strong(none, static_cast<int>(reason));
  }

  [[nodiscard]] bool stopped() const {
    return reason_.load(std::memory_order_relaxed) != 0 || (parent_ != nullptr && parent_->stopped());
  }
  [[nodiscard]] StopReason reason() const {
    const auto own = static_cast<StopReason>(reason_.load());
    return own == StopReason::kNone && parent_ != nullptr ? parent_->reason() : own;
  }

  /// Reads the clock; call it rarely.
  bool poll() {
    if (has_deadline_ && Clock::now() >= deadline_) stop(StopReason::kTime);
    if (heeds_process_) heed(limits::process_stop.load(std::memory_order_relaxed));
    return reason_.load(std::memory_order_relaxed) != 0 || (parent_ != nullptr && parent_->poll());
  }

  /// Requests memory. False if it would exceed the limit.
  bool take(std::size_t bytes) {
    if (parent_ != nullptr) return parent_->take(bytes);
    const std::size_t now = memory_.fetch_add(bytes) + bytes;
    if (now <= memory_limit_) return true;
    memory_.fetch_sub(bytes);
    return false;
  }
  /// The same, but a refusal stops this token: the requesting search must end, and others may use the memory it frees.
  bool reserve(std::size_t bytes) {
    if (take(bytes)) return true;
    stop(StopReason::kMemory);
    return false;
  }
  void release(std::size_t bytes) {
    if (parent_ != nullptr)
      parent_->release(bytes);
    else
      memory_.fetch_sub(bytes);
  }
  [[nodiscard]] std::size_t memory() const { return memory_.load(std::memory_order_relaxed); }

  /// Live progress: searches write it from time to time, progress displays read it.
  void count(std::uint64_t configurations) {
    configurations_.fetch_add(configurations, std::memory_order_relaxed);
    if (parent_ != nullptr) parent_->count(configurations);
  }
  [[nodiscard]] std::uint64_t configurations() const { return configurations_.load(std::memory_order_relaxed); }

  /// A search has placed `operations` of its part: the maximum counts among searches of one part, and parts add up.
  void reach(std::uint64_t operations) {
    if (parent_ != nullptr && parent_->parent_ != nullptr) parent_->reach(operations);
    std::uint64_t before = linearized_.load(std::memory_order_relaxed);
    while (operations > before)
      if (linearized_.compare_exchange_weak(before, operations, std::memory_order_relaxed)) {
        if (parent_ != nullptr && parent_->parent_ == nullptr)
          parent_->linearized_.fetch_add(operations - before, std::memory_order_relaxed);
        return;
      }
  }
  [[nodiscard]] std::uint64_t linearized() const { return linearized_.load(std::memory_order_relaxed); }

 private:
  void heed(limits::Limit announced) {
    if (announced != limits::Limit::kNone)
      stop(announced == limits::Limit::kMemory ? StopReason::kMemory : StopReason::kRequest);
  }

  StopToken* parent_;
  bool heeds_process_;
  std::atomic<int> reason_{0};
  std::atomic<std::size_t> memory_{0};
  std::atomic<std::uint64_t> configurations_{0};
  std::atomic<std::uint64_t> linearized_{0};
  std::size_t memory_limit_ = std::numeric_limits<std::size_t>::max();
  Clock::time_point deadline_;
  bool has_deadline_ = false;
};

}  // namespace linpoint::search
