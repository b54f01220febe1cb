// SPDX-License-Identifier: Apache-2.0
#include "host/core/trace_log.hpp"

#include <algorithm>
#include <utility>

#include "host/core/scheduler.hpp"

namespace linpoint::runtime {

TraceStep* Trace::add(Thread thread, const StepInfo& info, const CallStack& calls) {
  if (!on_) return nullptr;
  const OutOfProgram host;
  if (steps_.size() >= kMost) steps_.pop_back();
  TraceStep& step = steps_.emplace_back();
  step.thread = thread;
  step.kind = info.kind;
  step.caller = info.caller;
  step.address = info.address;
  step.size = info.size;
  step.other = info.other;
  step.success = info.success;
  if (info.message != nullptr) step.message = info.message;
  step.preempts = std::exchange(preempted_, false);
  step.has_block = info.address != 0 && library::block_of(info.address, step.block);
  constexpr std::ptrdiff_t kDeepest = 8;
  const auto depth = std::min<std::ptrdiff_t>(kDeepest, static_cast<std::ptrdiff_t>(calls.callers.size()));
  step.stack.assign(calls.callers.rbegin(), calls.callers.rbegin() + depth);
  const auto stores = scheduler.task(thread).buffer.stores();
  step.buffer.assign(stores.begin(), stores.end());
  return &step;
}

}  // namespace linpoint::runtime
