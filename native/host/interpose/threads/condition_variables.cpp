// SPDX-License-Identifier: Apache-2.0
// Condition variables. Waiting consists of two steps: one releases the mutex and begins to wait, the other takes the
// mutex again once there is a signal; only signalling threads can observe the state in between. If a wait can end
// without a signal, that end is a step of its own, since it may come while another thread holds the mutex and signals.
#include <pthread.h>

#include <cerrno>
#include <cstring>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/core/program_caller.hpp"
#include "host/interpose/threads/mutexes.hpp"
#include "host/interpose/threads/timed_waits.hpp"
#include "host/interpose/threads/wait_queues.hpp"

namespace linpoint::runtime {

namespace {

struct Wait {
  Mutex* mutex = nullptr;
  Thread thread = 0;
  Patience patience;
};

bool signalled_and_free(void* argument) {
  const auto& wait = *static_cast<Wait*>(argument);
  return wait.mutex->locked == 0 && is_woken(wait.thread);
}

bool signalled_or_late(void* argument) {
  const auto& wait = *static_cast<Wait*>(argument);
  return is_woken(wait.thread) || may_give_up(wait.patience);
}

bool is_free(void* argument) { return static_cast<Wait*>(argument)->mutex->locked == 0; }

StepInfo step_info(Kind kind, const void* object, const void* caller) {
  return {.kind = kind, .caller = caller, .address = reinterpret_cast<std::uint64_t>(object)};
}

/// Marks a destroyed condition variable. Every initialisation makes it begin with zeros, which nothing here changes.
/// Another value means that it is destroyed, or that its stack frame has been reused.
constexpr std::uint64_t kDestroyed = ~std::uint64_t{0};

void check(const pthread_cond_t* condition, const void* caller, bool ended = false) {
  library::check(condition, sizeof *condition, true, caller);
  std::uint64_t first = 0;
  std::memcpy(&first, condition, sizeof first);
  if (ended || first != 0)
    fail(Fault::kMemory, "uses a condition variable that was destroyed or never initialised", caller);
}

/// The mode of a waiter's step after it was woken: if it had already been woken before, it did not need the last
/// signal.
Mode mode_of_waking(Thread thread) { return was_woken_before(thread) ? Mode::kWrite : Mode::kAcquire; }

void wait_for_signal(Wait& wait, std::uint64_t queue, const void* condition, const void* caller) {
  library_step_when(step_info(Kind::kWait, condition, caller),
                    {at_queue(Mode::kAcquire, queue), at_mutex(Mode::kAcquire, *wait.mutex)}, signalled_and_free,
                    &wait);
  if (mode_of_waking(wait.thread) == Mode::kWrite)
    library_step_was({at_queue(Mode::kWrite, queue), at_mutex(Mode::kAcquire, *wait.mutex)}, 1);
  stop_waiting(wait.thread);
}

int wait_impatiently(Wait& wait, std::uint64_t queue, const void* condition, const void* caller) {
  begin_patience(wait.patience);
  library_step_when(step_info(Kind::kWait, condition, caller), {at_queue(Mode::kWrite, queue)}, signalled_or_late,
                    &wait);
  end_patience(wait.patience);
  const bool woken = is_woken(wait.thread);
  stop_waiting(wait.thread);
  if (!woken) give_up(wait.patience);
  library_step_when(step_info(Kind::kLock, wait.mutex, caller), {at_mutex(Mode::kAcquire, *wait.mutex)}, is_free,
                    &wait);
  return !woken && wait.patience.limited ? ETIMEDOUT : 0;
}

int wait_at(pthread_cond_t* condition, Mutex& mutex, const Patience& patience, const void* caller) {
  check(condition, caller);
  if (!controlled()) wait_for_ever(caller);
  const Thread thread = current_thread();
  const auto queue = reinterpret_cast<std::uint64_t>(condition);
  if (mutex.locked == 0 || mutex.owner != static_cast<int>(thread) + 1)
    fail(Fault::kAssertion, "waits at a condition variable with a mutex that it does not hold", caller);
  library_step(step_info(Kind::kUnlock, &mutex, caller),
               {at_mutex(Mode::kRelease, mutex), at_queue(Mode::kWrite, queue)});
  const unsigned count = give_back(mutex);
  begin_waiting(queue);
  Wait wait{&mutex, thread, patience};
  int result = 0;
  if (patience.limited || patience.baseless) {
    result = wait_impatiently(wait, queue, condition, caller);
  } else {
    wait_for_signal(wait, queue, condition, caller);
  }
  library::check(&mutex, sizeof mutex, true, caller);
  take(mutex);
  mutex.count = count;
  return result;
}

int signal(pthread_cond_t* condition, bool all, const void* caller) {
  check(condition, caller);
  const auto queue = reinterpret_cast<std::uint64_t>(condition);
  const std::size_t ends = ends_of(queue);
  if (controlled() && stores_wait()) {
    // If no thread waits, it only reads, which is not a fence.
    library_step(step_info(Kind::kNotify, condition, caller),
                 {at_queue(Mode::kRead, queue), at_memory(Mode::kRead, condition, sizeof *condition)}, {});
    check(condition, caller, ends_of(queue) != ends);
    if (!anybody_waits(queue)) return 0;
  }
  // It also reads the memory of the condition variable, and so depends on a thread that frees it: a waiter may do so as
  // soon as it sees the condition it waits for, although the signal is still to come.
  library_step(step_info(Kind::kNotify, condition, caller),
               {at_queue(Mode::kRelease, queue), at_memory(Mode::kRead, condition, sizeof *condition)});
  check(condition, caller, ends_of(queue) != ends);
  if (controlled() && wake(queue, all ? kMostThreads : 1) == 0)
    library_step_was({at_queue(Mode::kRead, queue), at_memory(Mode::kRead, condition, sizeof *condition)}, 0);
  return 0;
}

}  // namespace

}  // namespace linpoint::runtime

using linpoint::runtime::as_mutex;
using linpoint::runtime::by_host;
using linpoint::runtime::Real;

// The C library has older versions with the same names.
#define LINPOINT_VERSION "GLIBC_2.3.2"  // NOLINT(cppcoreguidelines-macro-usage)

extern "C" {

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  using namespace linpoint::runtime;
  if (!by_host()) return wait_at(condition, as_mutex(mutex), no_limit(), LINPOINT_CALLER);
  static constinit Real<int(pthread_cond_t*, pthread_mutex_t*)> next("pthread_cond_wait", LINPOINT_VERSION);
  return next(condition, mutex);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* time) {
  using namespace linpoint::runtime;
  if (!by_host()) return wait_at(condition, as_mutex(mutex), until(*time), LINPOINT_CALLER);
  static constinit Real<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> next("pthread_cond_timedwait",
                                                                                      LINPOINT_VERSION);
  return next(condition, mutex, time);
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  using namespace linpoint::runtime;
  if (!by_host()) return wait_at(condition, as_mutex(mutex), until(*time), LINPOINT_CALLER);
  static constinit Real<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> next(
      "pthread_cond_clockwait");
  return next(condition, mutex, clock, time);
}
int pthread_cond_signal(pthread_cond_t* condition) {
  if (!by_host()) return linpoint::runtime::signal(condition, false, LINPOINT_CALLER);
  static constinit Real<int(pthread_cond_t*)> next("pthread_cond_signal", LINPOINT_VERSION);
  return next(condition);
}
int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (!by_host()) return linpoint::runtime::signal(condition, true, LINPOINT_CALLER);
  static constinit Real<int(pthread_cond_t*)> next("pthread_cond_broadcast", LINPOINT_VERSION);
  return next(condition);
}
int pthread_cond_destroy(pthread_cond_t* condition) {
  using namespace linpoint::runtime;
  if (!by_host()) {
    const auto queue = reinterpret_cast<std::uint64_t>(condition);
    library_step(step_info(Kind::kWrite, condition, LINPOINT_CALLER), {at_queue(Mode::kWrite, queue)});
    end_queue(queue);
    std::memcpy(condition, &kDestroyed, sizeof kDestroyed);
    return 0;
  }
  static constinit Real<int(pthread_cond_t*)> next("pthread_cond_destroy", LINPOINT_VERSION);
  return next(condition);
}
}
