// SPDX-License-Identifier: Apache-2.0
#include "host/core/operation_log.hpp"

#include "host/core/crash_mode.hpp"
#include "host/core/scheduler.hpp"

namespace linpoint::runtime {

OperationLog operations;

namespace {

/// Adds the operation's number to the trace.
void tell(Kind kind, unsigned number) {
  if (!scheduler.trace.on()) return;
  Task& task = scheduler.running();
  const std::string text = std::to_string(number);
  scheduler.trace.add(task.number, {.kind = kind, .message = text.c_str()}, task.calls);
}

}  // namespace

void OperationLog::restart() {
  all_.clear();
  events_.clear();
  stores_.clear();
  for (Own& own : threads_) {
    own.operation = kNone;
    own.step = kNoStep;
    own.open.clear();
  }
}

OperationLog::Own& OperationLog::own(Thread thread) {
  if (threads_.size() <= thread) threads_.resize(thread + 1);
  return threads_[thread];
}

void OperationLog::tell_called(const Own& own) {
  if (all_[own.operation].first == TestedOperation::kNothing) tell(Kind::kCall, own.operation);
}

std::uint32_t OperationLog::add(Own& own, const VisibleEvent& event) {
  TestedOperation& operation = all_[own.operation];
  const auto number = static_cast<std::uint32_t>(events_.size());
  events_.push_back(event);
  if (operation.first == TestedOperation::kNothing) operation.first = number;
  operation.last = number;
  if (event.step == kNoStep) own.open.push_back(number);
  return number;
}

void OperationLog::begin(unsigned number) {
  if (all_.size() <= number) all_.resize(number + 1);
  const Thread thread = scheduler.running().number;
  all_[number].thread = thread;
  all_[number].called = true;
  own(thread).operation = number;
}

void OperationLog::end(unsigned number) {
  Own& mine = own(scheduler.running().number);
  TestedOperation& operation = all_[number];
  if (operation.first == TestedOperation::kNothing) {
    tell_called(mine);
    add(mine, {.after = mine.step});
  }
  operation.returned = true;
  mine.operation = kNone;
  tell(Kind::kReturn, number);
}

void OperationLog::born(Thread thread, std::uint64_t step) { own(thread).step = step; }

void OperationLog::stepped(Thread thread, std::uint64_t step) {
  Own& mine = own(thread);
  for (const std::uint32_t event : mine.open) events_[event].before = step;
  mine.open.clear();
  mine.step = step;
  if (mine.operation == kNone) return;
  tell_called(mine);
  add(mine, {.step = step});
}

void OperationLog::issued(Thread thread, std::uint64_t store) {
  Own& mine = own(thread);
  stores_.resize(store + 1, TestedOperation::kNothing);
  if (mine.operation == kNone) return;
  tell_called(mine);
  stores_[store] = add(mine, {.after = mine.step});
}

void OperationLog::flushed(std::uint64_t store, std::uint64_t step) {
  if (store < stores_.size() && stores_[store] != TestedOperation::kNothing) events_[stores_[store]].flush = step;
}

void OperationLog::done_inside(Thread thread) {
  Own& mine = own(thread);
  if (mine.operation == kNone) return;
  tell_called(mine);
  add(mine, {.step = mine.step});
}

}  // namespace linpoint::runtime

extern "C" {

// Called by linpoint/test.hpp.
void linpoint_operation_begins(unsigned number) {
  using namespace linpoint::runtime;
  if (crash::on()) {
    crash::operation_begins(number);
    return;
  }
  if (!controlled()) return;
  if (options.atomic_operations) enter_atomic();
  const OutOfProgram host;
  scheduler.arrive();
  operations.begin(number);
  if (options.atomic_operations && !scheduler.alone()) operations.done_inside(current_thread());
}
// From here until it resumes, the program is not observed.
void linpoint_operation_ends(unsigned number) {
  using namespace linpoint::runtime;
  if (crash::on()) {
    phase = Phase::kHost;
    crash::operation_ends(number);
    return;
  }
  if (!controlled()) return;
  if (options.atomic_operations) leave_atomic();
  phase = Phase::kHost;
  Task& task = scheduler.arrive();
  // A fence at the end of an operation completes before the operation returns.
  if (task.fenced) scheduler.drain(task);
  task.fenced = false;
  operations.end(number);
}
void linpoint_operation_result(unsigned number, const char* text, std::size_t size) {
  using namespace linpoint::runtime;
  if (crash::on()) {
    crash::operation_result(number, text, size);
    return;
  }
  if (!on_fiber()) return;
  operations.set_result(number, {text, size});
}
void linpoint_operation_resumes() {
  using namespace linpoint::runtime;
  if (crash::on())
    phase = Phase::kPersistent;
  else if (on_fiber())
    phase = Phase::kRunning;
}
}
