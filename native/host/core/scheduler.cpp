// SPDX-License-Identifier: Apache-2.0
#include "host/core/scheduler.hpp"

#include <algorithm>
#include <cstring>

#include "host/base/tls_register.hpp"
#include "host/core/operation_log.hpp"

namespace linpoint::runtime {

namespace {

using explore::Explorer;
using explore::kNobody;
using explore::Process;

int (*main_of_program)(int, char**, char**) = nullptr;
void run_main_thread(void* /*unused*/) { library::run_main(main_of_program); }

}  // namespace

const StorageBase storage_base;

void enter_thread() {
  Task& task = scheduler.running();
  task.function(task.argument);
  scheduler.leave_thread();
}

Scheduler scheduler;
Phase phase = Phase::kHost;

bool on_fiber() { return scheduler.on_fiber(); }

void Task::restart(Thread thread) {
  number = thread;
  begun = ended = joined = parked = blocked = flushed = fenced = changed = false;
  own_stores = 0;
  own_steps = 0;
  traits = {};
  locks = 0;
  lock_steps = 0;
  held = 0;
  possible = nullptr;
  atomic_depth = functions = atomic_function = idle = 0;
  unwritten = {};
  pending.clear();
  announced.clear();
  buffer.restart(options.memory_model, thread);
  spinning.clear();
  round = nullptr;
  calls.callers.clear();
}

Scheduler::Scheduler() { tasks_.reserve(kMostThreads); }

void Scheduler::restart() {
  bits_ = memory::family_bits(options.memory_model);
  threads_ = fresh_ = unjoined_ = 0;
  last_ = kNobody;
  run_steps_ = issued_ = 0;
  quiet_limit_ = quiet_ + options.max_steps;
  over_ = false;
  end_ = RunEnd::kComplete;
  event_.clear();
  processes_.clear();
  races.restart();
  trace.restart();
  if (operations.on()) operations.restart();
}

void Scheduler::add_thread(void (*function)(void*), void* argument) {
  if (tasks_.size() == threads_) tasks_.push_back(std::make_unique<Task>());
  Task& task = *tasks_[threads_];
  task.restart(threads_);
  task.function = function;
  task.argument = argument;
  ++threads_;
  if (threads_ > 1) ++unjoined_;
  const std::size_t processes = std::size_t{threads_} << bits_;
  processes_.resize(processes);
  if (flushes_.size() < processes) {
    flushes_.resize(processes);
    for (Thread thread = 0; thread + 1 < threads_; ++thread) show_queues(*tasks_[thread]);
  }
}

void Scheduler::thread_joined(Task& task) {
  if (task.joined) return;
  task.joined = true;
  --unjoined_;
}

void Scheduler::begin_fresh() {
  while (!over_ && fresh_ < threads_) {
    Task& task = *tasks_[fresh_++];
    if (!task.fiber.stack.reserve()) {
      over_ = true;
      end_ = RunEnd::kRefused;
      return;
    }
    task.fiber.begin(enter_thread);
    task.storage = options.os_threads ? nullptr : library::storage_of(task.number);
    task.begun = true;
    if (operations.on() && run_steps_ > 0) operations.born(task.number, run_steps_ - 1);
    resume(task);
    show(task);
  }
}

void Scheduler::resume(Task& task, Phase as) {
  running_ = &task;
  if (task.storage != nullptr && task.storage != storage_) {
    storage_base.set(task.storage);
    storage_ = task.storage;
  }
  if (!task.buffer.empty()) task.buffer.lay_over();
  on_fiber_ = true;
  phase = as;
  task.fiber.enter();
  phase = Phase::kHost;
  on_fiber_ = false;
  if (!task.buffer.empty()) lift(task);
}

void Scheduler::wait_for_turn(Task& task) {
  if (task.fenced) task.traits.drains = true;
  task.fenced = false;
  if (task.traits.drains && buffers() && (task.flushed || !task.buffer.empty()))
    task.pending.push_back(task.buffer.drained());
  if (task.atomic_depth > 0 && task.traits.drains) flush_inside(task);
  const bool inside = task.atomic_depth > 0 && can_go(task);
  if (inside) {
    // Within a block, a free lock counts as acquired by a try-lock: the whole block could have come before its last
    // release.
    for (Access access : task.pending) {
      if (access.mode == Mode::kAcquire) access.mode = Mode::kWrite;
      event_.push_back(access);
    }
  } else {
    const Phase before = phase;
    task.fiber.stack.used(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
    task.fiber.leave();
    phase = before;
  }
  if (task.traits.drains) task.flushed = false;
  if (task.parked) task.spinning.clear();
  task.parked = task.blocked = false;
  task.possible = nullptr;
  task.round = nullptr;
  task.idle = 0;
  if (trace.on()) [[unlikely]]
    trace.add(task.number, task.info, task.calls);
}

void Scheduler::tell_written(Task& task) {
  TraceStep& traced = trace.steps()[task.unwritten.step];
  std::memcpy(traced.value.data(), reinterpret_cast<const void*>(task.unwritten.address), task.unwritten.size);
  traced.has_value = true;
  task.unwritten = {};
}

void Scheduler::show_queues(Task& task) {
  const std::size_t first = (std::size_t{task.number} << bits_) + 1;
  for (unsigned queue = 0; queue < task.buffer.queues(); ++queue) {
    explore::Pending& process = processes_[first + queue];
    const std::size_t index = task.buffer.first(queue);
    if (index == memory::StoreBuffer::kNone) {
      process = {};
      continue;
    }
    auto& accesses = flushes_[first + queue];
    const std::size_t count = task.buffer.accesses(task.buffer.stores()[index], accesses.data());
    process.alive = true;
    process.enabled = task.buffer.next(queue) == index;
    process.accesses = std::span(accesses).first(count);
  }
}

void Scheduler::show(Task& task) {
  explore::Pending& process = processes_[std::size_t{task.number} << bits_];
  process.alive = !task.ended;
  process.enabled = false;
  process.yields = task.traits.yields;
  process.accesses = task.ended ? std::span<const Access>() : std::span<const Access>(task.pending);
  if (buffers()) show_queues(task);
}

bool Scheduler::can_go(Task& task) {
  if (task.number == options.stopped_thread && task.own_steps >= options.stopped_after) return false;
  if (task.traits.drains && !task.buffer.empty()) return false;
  if (task.parked && !task.spinning.changed(task.buffer)) return false;
  return task.possible == nullptr || task.possible(task.possible_argument);
}

void Scheduler::tell_blocked(Task& task) {
  if (!trace.on() || task.blocked || task.possible == nullptr) return;
  task.blocked = true;
  StepInfo info = task.info;
  info.kind = Kind::kBlock;
  info.other = info.in_the_way();
  trace.add(task.number, info, task.calls)->preempts = false;
}

explore::View Scheduler::view() const { return {processes_, last_, event_}; }

bool Scheduler::nobody_alive() const {
  return std::none_of(processes_.begin(), processes_.end(), [](const explore::Pending& each) { return each.alive; });
}

/// Asks each thread whether it can continue, and passes that to the explorer.
bool Scheduler::any_can_go() {
  bool any = false;
  for (Thread thread = 0; thread < threads_; ++thread) {
    Task& task = *tasks_[thread];
    if (task.ended && task.buffer.empty()) continue;
    const bool goes = !task.ended && can_go(task);
    explore::Pending& process = processes_[std::size_t{thread} << bits_];
    process.enabled = goes;
    process.futile = task.round != nullptr && !Spinning::changed(*task.round, task.buffer);
    if (!goes) tell_blocked(task);
    any |= goes || !task.buffer.empty();
  }
  return any;
}

RunEnd Scheduler::run(Explorer& explorer, int (*program)(int, char**, char**)) {
  explorer_ = &explorer;
  main_of_program = program;
  restart();
  abandon_fibers();
  library::begin_run();
  host_storage_ = storage_ = storage_base.get();
  add_thread(run_main_thread, nullptr);
  begin_fresh();
  while (!over_) {
    if (!any_can_go()) {
      if (!nobody_alive() && library::time_passes()) continue;
      end_ = nobody_alive() ? RunEnd::kComplete : stuck();
      break;
    }
    if (run_steps_ >= options.max_steps) {
      end_ = RunEnd::kCut;
      break;
    }
    const Process next = explorer.choose(view());
    if (next == kNobody) {
      end_ = RunEnd::kRedundant;
      break;
    }
    if (trace.on() && explore::preempts(view(), next)) trace.preempted();
    take_step(next);
  }
  if (storage_ != host_storage_) storage_base.set(host_storage_);
  return end_of_run(explorer);
}

void Scheduler::take_step(Process next) {
  ++steps_;
  ++run_steps_;
  last_ = next;
  Task& task = *tasks_[next >> bits_];
  const unsigned queue = next & ((1U << bits_) - 1U);
  if (queue == 0) {
    ++task.own_steps;
    event_.assign(task.pending.begin(), task.pending.end());
    if (operations.on()) {
      running_ = &task;
      operations.stepped(task.number, run_steps_ - 1);
    }
    resume(task);
    begin_fresh();
    show(task);
  } else {
    flush(task, queue - 1);
    show_queues(task);
  }
}

RunEnd Scheduler::end_of_run(Explorer& explorer) {
  if (end_ == RunEnd::kComplete)
    explorer.end(view(), nobody_alive() ? explore::Ending::kComplete : explore::Ending::kStopped);
  if (end_ == RunEnd::kCut) explorer.end(view(), explore::Ending::kCut);
  if (end_ == RunEnd::kFinding)
    explorer.end(view(),
                 std::none_of(processes_.begin(), processes_.end(), [](const auto& each) { return each.enabled; })
                     ? explore::Ending::kStuck
                     : explore::Ending::kStopped);
  library::end_run();
  return end_;
}

void Scheduler::leave_thread() {
  Task& task = arrive();
  phase = Phase::kHost;
  task.ended = true;
  event_.push_back(at_place(Mode::kRelease, Abstract::kEnded, task.number));
  if (trace.on()) trace.add(task.number, {.kind = Kind::kExit}, task.calls);
  task.fiber.leave();
  __builtin_unreachable();
}

void Scheduler::leave_run(RunEnd end) {
  Task& task = *running_;
  phase = Phase::kHost;
  over_ = true;
  end_ = end;
  task.announced.clear();
  task.pending.clear();
  task.fiber.leave();
  __builtin_unreachable();
}

}  // namespace linpoint::runtime
