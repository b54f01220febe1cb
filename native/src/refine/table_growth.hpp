// SPDX-License-Identifier: Apache-2.0
// Synchronises the threads of a level when the table of states must grow: all wait until no thread inserts, then each
// moves a part of its contents. Guarantee: a thread that has left is not waited for.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "refine/state_store.hpp"

namespace linpoint::refine {

class Growth {
 public:
  explicit Growth(StateStore& store) : store_(store) {}

  /// `threads` threads insert from now on.
  void begin(unsigned threads) { working_ = threads; }
  /// The calling thread inserts no more.
  void leave() {
    const std::scoped_lock guard(lock_);
    --working_;
    if (waiting_ != 0) open_if_all_wait();
  }
  /// Waits until all others wait or have left, and moves rows with them. Check `is_tight` for whether the table has
  /// grown.
  void help() {
    std::unique_lock guard(lock_);
    const std::uint64_t turn = turn_;
    ++waiting_;
    open_if_all_wait();
    changed_.wait(guard, [&] { return moving_; });
    guard.unlock();
    store_.move_some();
    guard.lock();
    if (++moved_ < waiting_) {
      changed_.wait(guard, [&] { return turn_ != turn; });
      return;
    }
    store_.end_growing();
    waiting_ = moved_ = 0;
    moving_ = false;
    ++turn_;
    changed_.notify_all();
  }

 private:
  void open_if_all_wait() {
    if (waiting_ < working_) return;
    store_.begin_growing();
    moving_ = true;
    changed_.notify_all();
  }

  StateStore& store_;
  std::mutex lock_;
  std::condition_variable changed_;
  unsigned working_ = 0;
  unsigned waiting_ = 0;
  unsigned moved_ = 0;
  bool moving_ = false;
  std::uint64_t turn_ = 0;
};

}  // namespace linpoint::refine
