// SPDX-License-Identifier: Apache-2.0
// The functions that the core offers to the library.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "host/base/result_qualifications.hpp"
#include "host/core/caller_addresses.hpp"
#include "host/core/crash_mode.hpp"
#include "host/core/scheduler.hpp"

namespace linpoint::runtime {

namespace {

/// Longer messages are not worthwhile.
constexpr std::size_t kLongestMessage = 1000;

[[nodiscard]] bool racing() { return options.races != Races::kIgnore; }

/// A hash of the position of the caller's caller: its frames, and the registers saved in them.
[[gnu::noinline]] std::uint64_t standing(const void* frame, const Task& task) {
  // Saved registers lie just below the frame.
  constexpr std::size_t kSaved = 6;
  const auto* from = static_cast<const std::uint64_t*>(frame) - kSaved;
  const auto* to = reinterpret_cast<const std::uint64_t*>(task.fiber.stack.range().end);
  return hash_words(from, to, reinterpret_cast<std::uint64_t>(task.info.caller) + task.locks);
}

/// Adds a lock to, or removes it from, the hash of the locks held.
void count_lock(Task& task, bool locks) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  const std::uint64_t number = (task.info.address + 1) * kFactor;
  task.locks += locks ? number : ~number + 1;
  task.held += locks ? 1 : -1;
  ++task.lock_steps;
}

struct Condition {
  bool (*possible)(void*) = nullptr;
  void* argument = nullptr;
};

void do_step(const StepInfo& info, std::span<const Access> accesses, StepTraits traits, Condition condition,
             const void* frame) {
  const OutOfProgram host;
  Task& task = scheduler.arrive();
  task.pending.assign(accesses.begin(), accesses.end());
  task.info = info;
  task.traits = traits;
  task.possible = condition.possible;
  task.possible_argument = condition.argument;
  scheduler.look_for_loop(task, standing(frame, task));
  if (scheduler.trace.on()) [[unlikely]]
    task.info.caller = caller_in_program(info.caller);
  if (scheduler.alone() && !task.parked && (condition.possible == nullptr || condition.possible(condition.argument)) &&
      scheduler.count_quiet()) {
    task.possible = nullptr;
    scheduler.trace.add(task.number, task.info, task.calls);
  } else {
    scheduler.wait_for_turn(task);
  }
  if (info.kind == Kind::kLock || info.kind == Kind::kUnlock) {
    count_lock(task, info.kind == Kind::kLock);
    return;
  }
  // Reset if it turns out otherwise.
  task.changed = !traits.yields || !accesses.empty();
}

bool has_ended(void* argument) {
  const Task& task = *static_cast<const Task*>(argument);
  return task.ended && task.buffer.empty();
}

}  // namespace

Thread current_thread() { return scheduler.running().number; }
Thread threads() { return scheduler.threads(); }

void step(const StepInfo& info, std::span<const Access> accesses, StepTraits traits) {
  __builtin_unwind_init();
  do_step(info, accesses, traits, {}, __builtin_frame_address(0));
}

void step_when(const StepInfo& info, std::span<const Access> accesses, StepTraits traits, bool (*possible)(void*),
               void* argument) {
  __builtin_unwind_init();
  do_step(info, accesses, traits, {possible, argument}, __builtin_frame_address(0));
}

void report_actual_effect(std::span<const Access> accesses, int success) {
  const OutOfProgram host;
  Task& task = scheduler.running();
  if (task.atomic_depth == 0) scheduler.event().assign(accesses.begin(), accesses.end());
  const bool only_reads =
      std::all_of(accesses.begin(), accesses.end(), [](const Access& access) { return access.mode == Mode::kRead; });
  if (only_reads) {
    task.changed = false;
    if (task.info.kind == Kind::kLock && success == 0) {
      count_lock(task, false);
      task.lock_steps -= 2;  // nothing was taken
    }
    for (const Access& access : accesses) {
      if (access.begin < place(Abstract::kThreads))
        task.spinning.read(access.begin, access.end - access.begin);
      else
        task.spinning.miss();
    }
  }
  if (scheduler.trace.on() && success >= 0) scheduler.trace.last()->success = static_cast<std::int8_t>(success);
}

bool stores_wait() {
  const OutOfProgram host;
  return !scheduler.arrive().buffer.empty();
}

void side_effect() { scheduler.running().changed = true; }
void overlooked() { scheduler.running().spinning.miss(); }

void note(const StepInfo& info) { scheduler.trace.add(scheduler.running().number, info, scheduler.running().calls); }

void enter_atomic() {
  Task& task = scheduler.arrive();
  if (task.atomic_depth == 0 && !scheduler.alone()) {
    // The accesses of a block are not known in advance: it depends on every step of other threads.
    const Access everything{1, ~std::uint64_t{0}, Mode::kWrite};
    step({.kind = Kind::kYield}, std::span(&everything, 1), {.drains = true, .yields = false});
  }
  ++task.atomic_depth;
}

void leave_atomic() {
  const OutOfProgram host;
  Task& task = scheduler.arrive();
  if (task.atomic_depth == 0) return;
  // The writes of a transaction become visible to all threads when it ends.
  if (task.atomic_depth == 1 && !task.buffer.empty()) scheduler.flush_inside(task);
  --task.atomic_depth;
}

Thread spawn(const void* caller, void (*function)(void*), void* argument) {
  const OutOfProgram host;
  Task& task = scheduler.arrive();
  if (scheduler.threads() == kMostThreads) return kNoThread;
  task.pending.assign({at_place(Mode::kWrite, Abstract::kThreads)});
  task.info = {.kind = Kind::kSpawn, .caller = scheduler.trace.on() ? caller_in_program(caller) : caller};
  task.traits = {.drains = true, .yields = false};
  scheduler.wait_for_turn(task);
  task.changed = true;
  const Thread thread = scheduler.threads();
  scheduler.add_thread(function, argument);
  if (racing()) scheduler.races.begin(thread, task.number);
  if (scheduler.trace.on()) scheduler.trace.last()->other = thread;
  return thread;
}

void end_thread() { scheduler.leave_thread(); }

bool ended(Thread thread) { return scheduler.task(thread).ended; }

void join(const void* caller, Thread thread) {
  Task& other = scheduler.task(thread);
  const Access all[] = {at_place(Mode::kAcquire, Abstract::kEnded, thread), other.buffer.drained()};
  const std::size_t count = scheduler.buffers() ? 2 : 1;
  step_when({.kind = Kind::kJoin, .caller = caller, .other = thread}, std::span(all).first(count),
            {.drains = true, .yields = false}, has_ended, &other);
  if (racing()) scheduler.races.join(current_thread(), thread);
  scheduler.thread_joined(other);
}

void end_program() {
  phase = Phase::kHost;
  Task& task = scheduler.arrive();
  if (!scheduler.alone()) {
    task.pending.clear();
    task.info = {.kind = Kind::kExit};
    task.traits = {.drains = true, .yields = false};
    scheduler.wait_for_turn(task);
  }
  task.ended = true;
  scheduler.leave_run(RunEnd::kComplete);
}

Range stack_of(Thread thread) { return scheduler.task(thread).fiber.stack.range(); }
bool on_own_stack(const void* address) {
  const Range stack = stack_of(current_thread());
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return stack.begin <= at && at < stack.end;
}
Range guard_of(Thread thread) { return scheduler.task(thread).fiber.stack.guard(); }

void fail(Fault fault, std::string_view message, const void* caller, std::span<const void* const> where) {
  phase = Phase::kHost;
  if (!scheduler.on_fiber()) refuse("the program fails before main: " + std::string(message));
  Task& task = scheduler.running();
  if (scheduler.trace.on()) {
    Kind kind = Kind::kNote;
    if (fault == Fault::kAssertion) kind = Kind::kAssertion;
    if (fault == Fault::kException) kind = Kind::kException;
    const std::string said(message.substr(0, kLongestMessage));
    scheduler.trace.add(task.number, {.kind = kind, .caller = caller, .message = said.c_str()}, task.calls);
  }
  scheduler.found(fault, message, scheduler.runs_alone() ? std::span(&caller, 1) : where, 0, {});
  scheduler.leave_run(RunEnd::kFinding);
}

void refuse(std::string_view reason) {
  phase = Phase::kHost;
  if (!scheduler.on_fiber()) library::end_refused(reason);
  refused_for = std::string(reason);
  scheduler.leave_run(RunEnd::kRefused);
}

std::uint64_t steps_so_far() {
  return scheduler.steps() + scheduler.quiet() + static_cast<std::uint64_t>(crash::hot.fuel + linpoint_countdown);
}

void synchronize_release(std::uint64_t object) {
  const OutOfProgram host;
  if (racing()) scheduler.races.release(scheduler.running().number, object);
}

void synchronize_acquire(std::uint64_t object) {
  const OutOfProgram host;
  if (racing()) scheduler.races.acquire(scheduler.running().number, object);
}

void forget_accesses(const void* address, std::size_t size) {
  const OutOfProgram host;
  if (racing()) scheduler.races.forget(reinterpret_cast<std::uint64_t>(address), size);
}

}  // namespace linpoint::runtime
