// SPDX-License-Identifier: Apache-2.0
// Objects of the C library that a program creates in its pool: the library writes them, without hooks.
//
// Creating one is a store like any other. Later operations on it are not persistent (see `library_call`).
#include <pthread.h>
#include <semaphore.h>

#include "host/base/real_functions.hpp"
#include "host/core/crash_mode.hpp"

namespace {

template <typename Object>
void announce(const Object* object, const void* caller) {
  namespace crash = linpoint::runtime::crash;
  if (crash::on()) crash::plain_range(object, sizeof(Object), true, caller);
}

}  // namespace

using linpoint::runtime::Real;

extern "C" {

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  announce(mutex, __builtin_return_address(0));
  static constinit Real<int(pthread_mutex_t*, const pthread_mutexattr_t*)> next("pthread_mutex_init");
  return next(mutex, attributes);
}
int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  announce(lock, __builtin_return_address(0));
  static constinit Real<int(pthread_rwlock_t*, const pthread_rwlockattr_t*)> next("pthread_rwlock_init");
  return next(lock, attributes);
}
int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  announce(condition, __builtin_return_address(0));
  // There is an older version with a different layout of condition variables.
  static constinit Real<int(pthread_cond_t*, const pthread_condattr_t*)> next("pthread_cond_init", "GLIBC_2.3.2");
  return next(condition, attributes);
}
}
