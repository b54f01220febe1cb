// SPDX-License-Identifier: Apache-2.0
// Fibers without an explorer: the basis of runs of persistent objects.
#include "host/base/tls_register.hpp"
#include "host/core/scheduler.hpp"

namespace linpoint::runtime {

RunEnd Scheduler::run_alone(void (*function)(void*), void* argument) {
  library::begin_run();
  begin_alone();
  Task* task = add_alone(function, argument);
  if (task == nullptr) return RunEnd::kRefused;
  return go_on_alone(*task);
}

void Scheduler::begin_alone() {
  runs_alone_ = true;
  threads_ = fresh_ = unjoined_ = 0;
  event_.clear();
  processes_.clear();
  host_storage_ = storage_ = storage_base.get();
}

Task* Scheduler::add_alone(void (*function)(void*), void* argument) {
  add_thread(function, argument);
  Task& task = *tasks_[fresh_++];
  if (!task.fiber.stack.reserve()) return nullptr;
  // Unwritten memory is the same each time, as far down as most programs use the stack.
  constexpr std::uintptr_t kWiped = std::uintptr_t{32} << 10U;
  task.fiber.stack.used(task.fiber.stack.range().end - kWiped);
  task.fiber.begin(enter_thread);
  task.storage = library::storage_of(task.number);
  task.begun = true;
  return &task;
}

RunEnd Scheduler::go_on_alone(Task& task) {
  over_ = false;
  end_ = RunEnd::kComplete;
  resume(task, Phase::kPersistent);
  if (storage_ != host_storage_) storage_base.set(host_storage_);
  storage_ = host_storage_;
  return end_;
}

void Scheduler::pause_alone() {
  const Phase before = phase;
  running_->fiber.leave();
  phase = before;
}

void Scheduler::forget_alone(Thread from) { threads_ = fresh_ = from; }

}  // namespace linpoint::runtime
