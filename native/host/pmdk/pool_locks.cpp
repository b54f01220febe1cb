// SPDX-License-Identifier: Apache-2.0
// Locks of libpmemobj: those of POSIX threads within the pool, reinitialised each time the pool is opened. A crash
// loses their state, so none is locked afterwards.
#include <pthread.h>

#include <cstring>
#include <ctime>

#include "host/core/crash_mode.hpp"
#include "host/core/program_caller.hpp"
#include "host/persistent/pool_trace_recorder.hpp"
#include "host/pmdk/transactions.hpp"

namespace linpoint::runtime::pmdk {

namespace {

/// PMEMmutex, PMEMrwlock and PMEMcond, which have one size.
template <typename Object>
struct Lock {
  static constexpr std::size_t kRoom = kLockSize - sizeof(std::uint64_t);
  static_assert(sizeof(Object) <= kRoom);

  alignas(8) std::array<std::byte, kRoom> object;
  std::uint64_t run;  ///< the opening of the pool that it belongs to
};

/// The object itself, reinitialised if the pool was opened after its last use.
template <typename Object>
Object* ready(pmemobjpool* pop, void* at, const char* function, const void* caller) {
  called(function, caller);
  check_open(pop, function, caller);
  auto& lock = *static_cast<Lock<Object>*>(at);
  static_assert(sizeof lock == kLockSize);
  if (lock.run != header_of(pop).run) {
    crash::note_written(number_of(at), kLockSize);
    if (crash::tracing()) crash::the_recorder.library_object(number_of(at), kLockSize);
    lock.object = {};
    lock.run = header_of(pop).run;
  }
  return reinterpret_cast<Object*>(&lock.object);
}

/// Stores zeros, which the program must flush if necessary.
void make_zero(pmemobjpool* pop, void* at, const char* function, const void* caller) {
  called(function, caller);
  check_open(pop, function, caller);
  std::uint64_t& run = static_cast<Lock<pthread_mutex_t>*>(at)->run;
  put_volatile(run, 0);
}

}  // namespace

int take(pmemobjpool* pop, int kind, void* lock) {
  const void* caller = __builtin_return_address(0);
  if (kind == kMutex) return ::pthread_mutex_lock(ready<pthread_mutex_t>(pop, lock, "pmemobj_mutex_lock", caller));
  return ::pthread_rwlock_wrlock(ready<pthread_rwlock_t>(pop, lock, "pmemobj_rwlock_wrlock", caller));
}

void give_back(pmemobjpool* pop, int kind, void* lock) {
  const void* caller = __builtin_return_address(0);
  if (kind == kMutex)
    ::pthread_mutex_unlock(ready<pthread_mutex_t>(pop, lock, "pmemobj_mutex_unlock", caller));
  else
    ::pthread_rwlock_unlock(ready<pthread_rwlock_t>(pop, lock, "pmemobj_rwlock_unlock", caller));
}

}  // namespace linpoint::runtime::pmdk

namespace pmdk = linpoint::runtime::pmdk;

#define LINPOINT_READY(Object, at) pmdk::ready<Object>(pop, at, __func__, LINPOINT_CALLER)

extern "C" {

void pmemobj_mutex_zero(pmemobjpool* pop, void* mutex) { pmdk::make_zero(pop, mutex, __func__, LINPOINT_CALLER); }
int pmemobj_mutex_lock(pmemobjpool* pop, void* mutex) {
  return pthread_mutex_lock(LINPOINT_READY(pthread_mutex_t, mutex));
}
int pmemobj_mutex_timedlock(pmemobjpool* pop, void* mutex, const timespec* time) {
  return pthread_mutex_timedlock(LINPOINT_READY(pthread_mutex_t, mutex), time);
}
int pmemobj_mutex_trylock(pmemobjpool* pop, void* mutex) {
  return pthread_mutex_trylock(LINPOINT_READY(pthread_mutex_t, mutex));
}
int pmemobj_mutex_unlock(pmemobjpool* pop, void* mutex) {
  return pthread_mutex_unlock(LINPOINT_READY(pthread_mutex_t, mutex));
}

void pmemobj_rwlock_zero(pmemobjpool* pop, void* lock) { pmdk::make_zero(pop, lock, __func__, LINPOINT_CALLER); }
int pmemobj_rwlock_rdlock(pmemobjpool* pop, void* lock) {
  return pthread_rwlock_rdlock(LINPOINT_READY(pthread_rwlock_t, lock));
}
int pmemobj_rwlock_wrlock(pmemobjpool* pop, void* lock) {
  return pthread_rwlock_wrlock(LINPOINT_READY(pthread_rwlock_t, lock));
}
int pmemobj_rwlock_timedrdlock(pmemobjpool* pop, void* lock, const timespec* time) {
  return pthread_rwlock_timedrdlock(LINPOINT_READY(pthread_rwlock_t, lock), time);
}
int pmemobj_rwlock_timedwrlock(pmemobjpool* pop, void* lock, const timespec* time) {
  return pthread_rwlock_timedwrlock(LINPOINT_READY(pthread_rwlock_t, lock), time);
}
int pmemobj_rwlock_tryrdlock(pmemobjpool* pop, void* lock) {
  return pthread_rwlock_tryrdlock(LINPOINT_READY(pthread_rwlock_t, lock));
}
int pmemobj_rwlock_trywrlock(pmemobjpool* pop, void* lock) {
  return pthread_rwlock_trywrlock(LINPOINT_READY(pthread_rwlock_t, lock));
}
int pmemobj_rwlock_unlock(pmemobjpool* pop, void* lock) {
  return pthread_rwlock_unlock(LINPOINT_READY(pthread_rwlock_t, lock));
}

void pmemobj_cond_zero(pmemobjpool* pop, void* condition) {
  pmdk::make_zero(pop, condition, __func__, LINPOINT_CALLER);
}
int pmemobj_cond_broadcast(pmemobjpool* pop, void* condition) {
  return pthread_cond_broadcast(LINPOINT_READY(pthread_cond_t, condition));
}
int pmemobj_cond_signal(pmemobjpool* pop, void* condition) {
  return pthread_cond_signal(LINPOINT_READY(pthread_cond_t, condition));
}
int pmemobj_cond_timedwait(pmemobjpool* pop, void* condition, void* mutex, const timespec* time) {
  return pthread_cond_timedwait(LINPOINT_READY(pthread_cond_t, condition), LINPOINT_READY(pthread_mutex_t, mutex),
                                time);
}
int pmemobj_cond_wait(pmemobjpool* pop, void* condition, void* mutex) {
  return pthread_cond_wait(LINPOINT_READY(pthread_cond_t, condition), LINPOINT_READY(pthread_mutex_t, mutex));
}
}
