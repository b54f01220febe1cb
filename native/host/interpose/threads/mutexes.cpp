// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/threads/mutexes.hpp"

#include <cerrno>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/core/program_caller.hpp"
#include "host/interpose/process/loaded_objects.hpp"
#include "host/interpose/threads/timed_waits.hpp"

namespace linpoint::runtime {

void take(Mutex& mutex) {
  mutex.locked = 1;
  mutex.owner = static_cast<int>(acting_thread()) + 1;
  mutex.count = 0;
  observe(&mutex);
}

unsigned give_back(Mutex& mutex) {
  publish(&mutex);
  const unsigned count = mutex.count;
  mutex.locked = 0;
  mutex.owner = 0;
  mutex.count = 0;
  return count;
}

namespace {

constexpr int kDestroyed = -1;

int kind_of(const Mutex& mutex) { return mutex.kind & 3; }
bool is_mine(const Mutex& mutex) { return mutex.locked != 0 && mutex.owner == static_cast<int>(acting_thread()) + 1; }
bool is_free(void* mutex) { return static_cast<Mutex*>(mutex)->locked == 0; }

StepInfo step_info(Kind kind, const Mutex& mutex, const void* caller) {
  const auto address = reinterpret_cast<std::uint64_t>(&mutex);
  return {.kind = kind, .caller = caller, .address = address, .holder = &mutex.owner};
}

/// 0 if it was locked recursively, as its kind allows; else the error, or -1 if the thread does not own it.
int lock_again(Mutex& mutex, bool tries) {
  if (mutex.kind == kDestroyed) return EINVAL;
  if (!is_mine(mutex)) return -1;
  if (kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE_NP) {
    ++mutex.count;
    return 0;
  }
  if (kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK_NP) return tries ? EBUSY : EDEADLK;
  return -1;
}

int lock(Mutex& mutex, const void* caller) {
  library::check(&mutex, sizeof mutex, true, caller);
  if (const int result = lock_again(mutex, false); result >= 0) return result;
  library_step_when(step_info(Kind::kLock, mutex, caller), {at_mutex(Mode::kAcquire, mutex)}, is_free, &mutex);
  library::check(&mutex, sizeof mutex, true, caller);  // it may have been freed while this thread waited
  take(mutex);
  return 0;
}

int try_lock(Mutex& mutex, const void* caller) {
  library::check(&mutex, sizeof mutex, true, caller);
  if (const int result = lock_again(mutex, true); result >= 0) return result;
  library_step(step_info(Kind::kLock, mutex, caller), {at_mutex(Mode::kWrite, mutex)});
  library::check(&mutex, sizeof mutex, true, caller);
  if (mutex.locked != 0) {
    library_step_was({at_mutex(Mode::kRead, mutex)}, 0);
    return EBUSY;
  }
  take(mutex);
  return 0;
}

struct Attempt {
  Mutex* mutex = nullptr;
  Patience patience;
};

bool locked_or_late(void* attempt) {
  const auto& [mutex, patience] = *static_cast<Attempt*>(attempt);
  return mutex->locked == 0 || may_give_up(patience);
}

int lock_until(Mutex& mutex, const timespec& time, const void* caller) {
  library::check(&mutex, sizeof mutex, true, caller);
  if (const int result = lock_again(mutex, false); result >= 0) return result;
  Attempt attempt{&mutex, until(time)};
  attempt.patience.baseless = false;
  begin_patience(attempt.patience);
  library_step_when(step_info(Kind::kLock, mutex, caller), {at_mutex(Mode::kWrite, mutex)}, locked_or_late, &attempt);
  end_patience(attempt.patience);
  library::check(&mutex, sizeof mutex, true, caller);
  if (mutex.locked == 0) {
    take(mutex);
    return 0;
  }
  library_step_was({at_mutex(Mode::kRead, mutex)}, 0);
  give_up(attempt.patience);
  return ETIMEDOUT;
}

int unlock(Mutex& mutex, const void* caller) {
  library::check(&mutex, sizeof mutex, true, caller);
  if (!is_mine(mutex)) {
    if (kind_of(mutex) != PTHREAD_MUTEX_TIMED_NP) return EPERM;
    fail(Fault::kAssertion, "unlocks a mutex that it does not hold", caller);
  }
  if (mutex.count != 0) {
    --mutex.count;
    return 0;
  }
  library_step(step_info(Kind::kUnlock, mutex, caller), {at_mutex(Mode::kRelease, mutex)});
  give_back(mutex);
  return 0;
}

/// The unwinder has locks too, which do not count as the program's.
bool for_program(const void* caller) { return !by_host() && !system_code().contains(caller); }

}  // namespace

}  // namespace linpoint::runtime

using linpoint::runtime::as_mutex;
using linpoint::runtime::for_program;
using linpoint::runtime::Real;

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (for_program(LINPOINT_CALLER)) return linpoint::runtime::lock(as_mutex(mutex), LINPOINT_CALLER);
  static constinit Real<int(pthread_mutex_t*)> next("pthread_mutex_lock");
  return next(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (for_program(LINPOINT_CALLER)) return linpoint::runtime::try_lock(as_mutex(mutex), LINPOINT_CALLER);
  static constinit Real<int(pthread_mutex_t*)> next("pthread_mutex_trylock");
  return next(mutex);
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  if (for_program(LINPOINT_CALLER)) return linpoint::runtime::lock_until(as_mutex(mutex), *time, LINPOINT_CALLER);
  static constinit Real<int(pthread_mutex_t*, const timespec*)> next("pthread_mutex_timedlock");
  return next(mutex, time);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  if (for_program(LINPOINT_CALLER)) return linpoint::runtime::lock_until(as_mutex(mutex), *time, LINPOINT_CALLER);
  static constinit Real<int(pthread_mutex_t*, clockid_t, const timespec*)> next("pthread_mutex_clocklock");
  return next(mutex, clock, time);
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (for_program(LINPOINT_CALLER)) return linpoint::runtime::unlock(as_mutex(mutex), LINPOINT_CALLER);
  static constinit Real<int(pthread_mutex_t*)> next("pthread_mutex_unlock");
  return next(mutex);
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  using namespace linpoint::runtime;
  if (!for_program(LINPOINT_CALLER)) {
    static constinit Real<int(pthread_mutex_t*)> next("pthread_mutex_destroy");
    return next(mutex);
  }
  Mutex& ours = as_mutex(mutex);
  library_step(step_info(Kind::kWrite, ours, LINPOINT_CALLER), {at_mutex(Mode::kWrite, ours)});
  if (ours.locked != 0) fail(Fault::kAssertion, "destroys a mutex that is locked", LINPOINT_CALLER);
  ours.kind = kDestroyed;
  return 0;
}

// A spin lock waits like a mutex: its spinning is not observable.
int pthread_spin_init(pthread_spinlock_t* lock, int /*shared*/) {
  *lock = 0;
  return 0;
}
int pthread_spin_destroy(pthread_spinlock_t* /*lock*/) { return 0; }
int pthread_spin_lock(pthread_spinlock_t* lock) {
  using namespace linpoint::runtime;
  library_step_when(
      {.kind = Kind::kLock, .caller = LINPOINT_CALLER, .address = reinterpret_cast<std::uint64_t>(lock)},
      {at_memory(Mode::kAcquire, lock, sizeof *lock)},
      [](void* state) { return *static_cast<volatile int*>(state) == 0; }, const_cast<int*>(lock));
  *lock = 1;
  observe(lock);
  return 0;
}
int pthread_spin_trylock(pthread_spinlock_t* lock) {
  using namespace linpoint::runtime;
  library_step({.kind = Kind::kLock, .caller = LINPOINT_CALLER, .address = reinterpret_cast<std::uint64_t>(lock)},
               {at_memory(Mode::kWrite, lock, sizeof *lock)});
  if (*lock != 0) {
    library_step_was({at_memory(Mode::kRead, lock, sizeof *lock)}, 0);
    return EBUSY;
  }
  *lock = 1;
  observe(lock);
  return 0;
}
int pthread_spin_unlock(pthread_spinlock_t* lock) {
  using namespace linpoint::runtime;
  if (controlled() && stores_wait()) qualify("pthread_spin_unlock is treated as a fence here, but is not one");
  library_step({.kind = Kind::kUnlock, .caller = LINPOINT_CALLER, .address = reinterpret_cast<std::uint64_t>(lock)},
               {at_memory(Mode::kRelease, lock, sizeof *lock)});
  publish(lock);
  *lock = 0;
  return 0;
}
}
