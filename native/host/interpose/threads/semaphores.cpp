// SPDX-License-Identifier: Apache-2.0
// POSIX semaphores. The value has the same place as in the C library, so that its sem_init works.
#include <semaphore.h>

#include <cerrno>
#include <cstdint>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/core/program_caller.hpp"
#include "host/interpose/threads/timed_waits.hpp"

namespace linpoint::runtime {

namespace {

using Value = std::uint32_t;

struct Attempt {
  const volatile Value* value = nullptr;
  Patience patience;
};

bool available(void* argument) { return *static_cast<Attempt*>(argument)->value != 0; }
bool available_or_late(void* argument) {
  return available(argument) || may_give_up(static_cast<Attempt*>(argument)->patience);
}

Value& value_of(sem_t* semaphore) { return *reinterpret_cast<Value*>(semaphore); }

StepInfo step_info(Kind kind, const void* object, const void* caller) {
  return {.kind = kind, .caller = caller, .address = reinterpret_cast<std::uint64_t>(object), .size = sizeof(Value)};
}

int take(sem_t* semaphore) {
  --value_of(semaphore);
  observe(semaphore);
  return 0;
}

int wait(sem_t* semaphore, const void* caller) {
  library::check(semaphore, sizeof *semaphore, true, caller);
  Attempt attempt{&value_of(semaphore), {}};
  library_step_when(step_info(Kind::kLock, semaphore, caller),
                    {at_memory(Mode::kAcquire, semaphore, sizeof *semaphore)}, available, &attempt);
  library::check(semaphore, sizeof *semaphore, true, caller);  // it may have been freed while this thread waited
  // With more than one permit left it did not need the last release.
  if (value_of(semaphore) > 1) library_step_was({at_memory(Mode::kWrite, semaphore, sizeof *semaphore)}, 1);
  return take(semaphore);
}

int fail_with(int error) {
  errno = error;
  return -1;
}

int try_wait(sem_t* semaphore, const void* caller) {
  library::check(semaphore, sizeof *semaphore, true, caller);
  library_step(step_info(Kind::kLock, semaphore, caller), {at_memory(Mode::kWrite, semaphore, sizeof *semaphore)});
  library::check(semaphore, sizeof *semaphore, true, caller);
  if (value_of(semaphore) != 0) return take(semaphore);
  library_step_was({at_memory(Mode::kRead, semaphore, sizeof *semaphore)}, 0);
  return fail_with(EAGAIN);
}

int wait_until(sem_t* semaphore, const timespec& time, const void* caller) {
  library::check(semaphore, sizeof *semaphore, true, caller);
  Attempt attempt{&value_of(semaphore), until(time)};
  attempt.patience.baseless = false;
  begin_patience(attempt.patience);
  library_step_when(step_info(Kind::kLock, semaphore, caller), {at_memory(Mode::kWrite, semaphore, sizeof *semaphore)},
                    available_or_late, &attempt);
  end_patience(attempt.patience);
  library::check(semaphore, sizeof *semaphore, true, caller);
  if (value_of(semaphore) != 0) return take(semaphore);
  library_step_was({at_memory(Mode::kRead, semaphore, sizeof *semaphore)}, 0);
  give_up(attempt.patience);
  return fail_with(ETIMEDOUT);
}

int post(sem_t* semaphore, const void* caller) {
  library::check(semaphore, sizeof *semaphore, true, caller);
  library_step(step_info(Kind::kUnlock, semaphore, caller), {at_memory(Mode::kRelease, semaphore, sizeof *semaphore)});
  library::check(semaphore, sizeof *semaphore, true, caller);
  publish(semaphore);
  ++value_of(semaphore);
  return 0;
}

}  // namespace

}  // namespace linpoint::runtime

using linpoint::runtime::by_host;
using linpoint::runtime::Real;

extern "C" {

int sem_wait(sem_t* semaphore) {
  if (!by_host()) return linpoint::runtime::wait(semaphore, LINPOINT_CALLER);
  static constinit Real<int(sem_t*)> next("sem_wait");
  return next(semaphore);
}
int sem_post(sem_t* semaphore) {
  if (!by_host()) return linpoint::runtime::post(semaphore, LINPOINT_CALLER);
  static constinit Real<int(sem_t*)> next("sem_post");
  return next(semaphore);
}
int sem_trywait(sem_t* semaphore) { return linpoint::runtime::try_wait(semaphore, LINPOINT_CALLER); }
int sem_timedwait(sem_t* semaphore, const timespec* time) {
  return linpoint::runtime::wait_until(semaphore, *time, LINPOINT_CALLER);
}
int sem_clockwait(sem_t* semaphore, clockid_t /*clock*/, const timespec* time) {
  return linpoint::runtime::wait_until(semaphore, *time, LINPOINT_CALLER);
}
int sem_getvalue(sem_t* semaphore, int* value) {
  using namespace linpoint::runtime;
  library_step(step_info(Kind::kRead, semaphore, LINPOINT_CALLER),
               {at_memory(Mode::kRead, semaphore, sizeof *semaphore)});
  *value = static_cast<int>(value_of(semaphore));
  return 0;
}
}
