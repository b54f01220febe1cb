// SPDX-License-Identifier: Apache-2.0
// C11 threads: the C library's own implementation would bypass the POSIX functions that the host replaces.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>

namespace {

int result_of(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ENOMEM:
    case EAGAIN:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    default:
      return thrd_error;
  }
}

// As in the C library, these types are those of POSIX threads.
pthread_mutex_t* posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }
static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));

}  // namespace

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  // The result of such a function is in the lower half of the register that holds a pointer result.
  const auto start = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void (*)()>(function));
  return result_of(pthread_create(thread, nullptr, start, argument));
}
int thrd_join(thrd_t thread, int* result) {
  void* pointer = nullptr;
  const int error = pthread_join(thread, &pointer);
  if (result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(pointer));
  return result_of(error);
}
int thrd_detach(thrd_t thread) { return result_of(pthread_detach(thread)); }
thrd_t thrd_current() { return pthread_self(); }
void thrd_exit(int result) {
  pthread_exit(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));  // NOLINT(performance-no-int-to-ptr)
}
void thrd_yield() { sched_yield(); }
int thrd_sleep(const timespec* wanted, timespec* left) { return nanosleep(wanted, left); }

int mtx_init(mtx_t* mutex, int kind) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  const bool recursive = (static_cast<unsigned>(kind) & static_cast<unsigned>(mtx_recursive)) != 0;
  pthread_mutexattr_settype(&attributes, recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  return result_of(pthread_mutex_init(posix(mutex), &attributes));
}
int mtx_lock(mtx_t* mutex) { return result_of(pthread_mutex_lock(posix(mutex))); }
int mtx_trylock(mtx_t* mutex) { return result_of(pthread_mutex_trylock(posix(mutex))); }
int mtx_timedlock(mtx_t* mutex, const timespec* time) { return result_of(pthread_mutex_timedlock(posix(mutex), time)); }
int mtx_unlock(mtx_t* mutex) { return result_of(pthread_mutex_unlock(posix(mutex))); }
void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(posix(mutex)); }

int cnd_wait(cnd_t* condition, mtx_t* mutex) { return result_of(pthread_cond_wait(posix(condition), posix(mutex))); }
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  return result_of(pthread_cond_timedwait(posix(condition), posix(mutex), time));
}
int cnd_signal(cnd_t* condition) { return result_of(pthread_cond_signal(posix(condition))); }
int cnd_broadcast(cnd_t* condition) { return result_of(pthread_cond_broadcast(posix(condition))); }
void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(posix(condition)); }

int tss_create(tss_t* key, tss_dtor_t destructor) { return result_of(pthread_key_create(key, destructor)); }
void tss_delete(tss_t key) { pthread_key_delete(key); }
void* tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void* value) { return result_of(pthread_setspecific(key, value)); }
void call_once(once_flag* flag, void (*function)()) { pthread_once(reinterpret_cast<pthread_once_t*>(flag), function); }
}
