// SPDX-License-Identifier: Apache-2.0
// Read-write locks and barriers. Their state is in the program's memory. Steps of readers commute: among each other,
// readers only read the lock.
#include <pthread.h>

#include <cerrno>
#include <cstddef>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/core/program_caller.hpp"
#include "host/interpose/threads/timed_waits.hpp"

namespace linpoint::runtime {

namespace {

struct SharedLock {
  unsigned readers = 0;
  int writer = 0;              ///< + 1
  char readers_published = 0;  ///< its address identifies what they publish
};

struct Barrier {
  unsigned count = 0;
  unsigned arrived = 0;
  unsigned round = 0;
};

struct Attempt {
  SharedLock* lock = nullptr;
  bool writes = false;
  Patience patience;
};

bool is_free(const Attempt& attempt) {
  return attempt.lock->writer == 0 && (!attempt.writes || attempt.lock->readers == 0);
}
bool free_or_late(void* argument) {
  const auto& attempt = *static_cast<Attempt*>(argument);
  return is_free(attempt) || may_give_up(attempt.patience);
}

SharedLock& as_lock(pthread_rwlock_t* lock) { return *reinterpret_cast<SharedLock*>(lock); }

StepInfo step_info(Kind kind, const void* object, const void* caller, const int* holder = nullptr) {
  return {.kind = kind, .caller = caller, .address = reinterpret_cast<std::uint64_t>(object), .holder = holder};
}

/// The lock does not order readers: what they publish, at this place of it, is for writers.
const void* for_writers(const SharedLock& lock) { return &lock.readers_published; }

void take(const Attempt& attempt) {
  if (attempt.writes) {
    attempt.lock->writer = static_cast<int>(acting_thread()) + 1;
    observe(for_writers(*attempt.lock));
  } else {
    ++attempt.lock->readers;
  }
  observe(attempt.lock);
  // For the explorer a reader has only read, but its state has changed.
  if (controlled()) side_effect();
}

/// An attempt to write may fail because of a reader, which has only read as far as the explorer knows. The attempt must
/// depend on that reader nevertheless.
void fail_to_take(const Attempt& attempt, const pthread_rwlock_t* object) {
  library_step_was({at_memory(attempt.writes ? Mode::kWrite : Mode::kRead, object, sizeof *object)}, 0);
}

int lock(pthread_rwlock_t* object, bool writes, Patience patience, const void* caller) {
  library::check(object, sizeof *object, true, caller);
  patience.baseless = false;
  Attempt attempt{&as_lock(object), writes, patience};
  if (attempt.lock->writer == static_cast<int>(acting_thread()) + 1) return EDEADLK;
  begin_patience(patience);
  const Mode mode = writes ? Mode::kWrite : Mode::kRead;
  library_step_when(step_info(Kind::kLock, object, caller, &attempt.lock->writer),
                    {at_memory(mode, object, sizeof *object)}, free_or_late, &attempt);
  end_patience(patience);
  library::check(object, sizeof *object, true, caller);  // it may have been freed while this thread waited
  if (is_free(attempt)) {
    take(attempt);
    return 0;
  }
  give_up(patience);
  fail_to_take(attempt, object);
  return ETIMEDOUT;
}

int try_lock(pthread_rwlock_t* object, bool writes, const void* caller) {
  library::check(object, sizeof *object, true, caller);
  const Attempt attempt{&as_lock(object), writes, {}};
  library_step(step_info(Kind::kLock, object, caller),
               {at_memory(writes ? Mode::kWrite : Mode::kRead, object, sizeof *object)});
  library::check(object, sizeof *object, true, caller);
  if (is_free(attempt)) {
    take(attempt);
    return 0;
  }
  fail_to_take(attempt, object);
  return EBUSY;
}

int unlock(pthread_rwlock_t* object, const void* caller) {
  library::check(object, sizeof *object, true, caller);
  SharedLock& state = as_lock(object);
  if (state.writer == 0 && state.readers == 0)
    fail(Fault::kAssertion, "unlocks a read-write lock that no thread holds", caller);
  const Mode mode = state.writer != 0 ? Mode::kWrite : Mode::kRead;
  library_step(step_info(Kind::kUnlock, object, caller), {at_memory(mode, object, sizeof *object)});
  if (state.writer != 0) {
    publish(object);
    state.writer = 0;
  } else {
    publish(for_writers(state));
    --state.readers;
  }
  if (controlled()) side_effect();
  return 0;
}

struct Arrival {
  const Barrier* barrier = nullptr;
  unsigned round = 0;
};

int arrive(pthread_barrier_t* object, const void* caller) {
  auto& barrier = *reinterpret_cast<Barrier*>(object);
  library::check(object, sizeof *object, true, caller);
  library_step(step_info(Kind::kWait, object, caller), {at_memory(Mode::kWrite, object, sizeof barrier)});
  library::check(object, sizeof *object, true, caller);
  publish(object);
  if (++barrier.arrived == barrier.count) {
    barrier.arrived = 0;
    ++barrier.round;
    observe(object);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  Arrival arrival{&barrier, barrier.round};
  library_step_when(
      step_info(Kind::kWait, object, caller), {at_memory(Mode::kRead, object, sizeof barrier)},
      [](void* argument) {
        const auto& [ours, round] = *static_cast<Arrival*>(argument);
        return ours->round != round;
      },
      &arrival);
  observe(object);
  return 0;
}

}  // namespace

}  // namespace linpoint::runtime

using linpoint::runtime::by_host;
using linpoint::runtime::Patience;
using linpoint::runtime::Real;
using linpoint::runtime::until;

extern "C" {

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  if (!by_host()) return linpoint::runtime::lock(lock, false, Patience{}, LINPOINT_CALLER);
  static constinit Real<int(pthread_rwlock_t*)> next("pthread_rwlock_rdlock");
  return next(lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  if (!by_host()) return linpoint::runtime::lock(lock, true, Patience{}, LINPOINT_CALLER);
  static constinit Real<int(pthread_rwlock_t*)> next("pthread_rwlock_wrlock");
  return next(lock);
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!by_host()) return linpoint::runtime::unlock(lock, LINPOINT_CALLER);
  static constinit Real<int(pthread_rwlock_t*)> next("pthread_rwlock_unlock");
  return next(lock);
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  return linpoint::runtime::try_lock(lock, false, LINPOINT_CALLER);
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  return linpoint::runtime::try_lock(lock, true, LINPOINT_CALLER);
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  return linpoint::runtime::lock(lock, false, until(*time), LINPOINT_CALLER);
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  return linpoint::runtime::lock(lock, true, until(*time), LINPOINT_CALLER);
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t /*clock*/, const timespec* time) {
  return linpoint::runtime::lock(lock, false, until(*time), LINPOINT_CALLER);
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t /*clock*/, const timespec* time) {
  return linpoint::runtime::lock(lock, true, until(*time), LINPOINT_CALLER);
}

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* /*attributes*/, unsigned count) {
  if (count == 0) return EINVAL;
  *reinterpret_cast<linpoint::runtime::Barrier*>(barrier) = {count, 0, 0};
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t* /*barrier*/) { return 0; }
int pthread_barrier_wait(pthread_barrier_t* barrier) { return linpoint::runtime::arrive(barrier, LINPOINT_CALLER); }
}
