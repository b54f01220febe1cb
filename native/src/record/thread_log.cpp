// SPDX-License-Identifier: Apache-2.0
#include "linpoint/record/thread_log.hpp"

#include <algorithm>
#include <chrono>

namespace linpoint::record {

namespace {

/// No access passes, in either direction.
void fence() {
#ifdef __SANITIZE_THREAD__
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the sanitizer does not support fences, and needs none here
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace

Moment now() {
  // Without the first fence, a write may not have reached other threads when the clock is read: they would see the old
  // value after the recorded return, and a correct object would look wrong. Without the second, reads of the operation
  // may run before its recorded call.
  fence();
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  fence();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

Log::Block::Block(std::size_t entries_in_it)
    : capacity(entries_in_it), entries(std::make_unique<Entry[]>(entries_in_it)) {}

Log::Log(std::size_t expected)
    : first_(std::make_unique<Block>(std::max<std::size_t>(expected, 1))), last_(first_.get()) {}

bool Log::call(std::int32_t operation, Value arguments) {
  if (open_) return false;
  Entry& entry = last_->entries[used_];
  entry.operation = operation;
  entry.arguments = arguments;
  entry.result = nullptr;
  entry.ending.store(Ending::kOpen, std::memory_order_relaxed);
  open_ = true;
  entry.call = now();
  ++used_;
  size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return true;
}

bool Log::end(Ending ending, Moment ret, Value result) {
  if (!open_) return false;
  Entry& entry = last_->entries[used_ - 1];
  entry.ret = ret;
  entry.result = result;
  entry.ending.store(ending, std::memory_order_release);
  if (used_ == last_->capacity) {
    last_->next = std::make_unique<Block>(2 * last_->capacity);
    last_ = last_->next.get();
    used_ = 0;
  }
  open_ = false;  // last: a log without memory for the next entry stays open and accepts no more calls
  return true;
}

void Log::clear() {
  first_->next.reset();
  last_ = first_.get();
  used_ = 0;
  open_ = false;
  size_.store(0, std::memory_order_relaxed);
}

}  // namespace linpoint::record
