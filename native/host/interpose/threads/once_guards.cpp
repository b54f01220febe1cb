// SPDX-License-Identifier: Apache-2.0
// One-time initialisation: static variables of functions (the Itanium ABI's guards) and pthread_once.
//
// Both keep their state in the program's memory, so it is restored with that memory.
#include <pthread.h>

#include <cstdint>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/interpose/process/loaded_objects.hpp"

extern "C" {
unsigned char __tsan_atomic8_load(const volatile unsigned char* address, int order);                     // NOLINT
unsigned char __tsan_atomic8_exchange(volatile unsigned char* address, unsigned char value, int order);  // NOLINT
}

namespace linpoint::runtime {

namespace {

/// Compiled code reads the first byte; the others are ours.
struct Guard {
  std::uint8_t done = 0;
  std::uint8_t begun = 0;
  std::uint16_t unused = 0;
  std::uint32_t owner = 0;
};
static_assert(sizeof(Guard) == 8);

/// The byte that compiled code reads stands for the whole guard.
Access at_guard(Mode mode, const Guard& guard) { return at_memory(mode, &guard.done, sizeof guard.done); }

/// It counts as done as soon as compiled code can see that.
bool can_be_had(void* guard) {
  const auto& state = *static_cast<Guard*>(guard);
  return state.begun == 0 || state.done != 0;
}

StepInfo lock_of(const void* object, const void* caller, Kind kind = Kind::kLock) {
  return {.kind = kind, .caller = caller, .address = reinterpret_cast<std::uint64_t>(object)};
}

// As in the C library's pthread_once_t, so that earlier initialisations by the library stay done.
constexpr int kNew = 0;
constexpr int kBegun = 1;
constexpr int kDone = 2;

bool not_begun_once(void* control) { return *static_cast<int*>(control) != kBegun; }

int acquire_guard(Guard& guard, const void* caller) {
  if (guard.begun != 0 && guard.owner == acting_thread())
    fail(Fault::kDeadlock, "initialises a static variable while it is initialising it", caller);
  library_step_when(lock_of(&guard, caller), {at_guard(Mode::kWrite, guard)}, can_be_had, &guard);
  if (guard.done != 0) {
    library_step_was({at_guard(Mode::kRead, guard)}, 0);
    if (controlled()) __tsan_atomic8_load(&guard.done, __ATOMIC_ACQUIRE);
    return 0;
  }
  observe(&guard);
  guard.begun = 1;
  guard.owner = acting_thread();
  return 1;
}

void release_guard(Guard& guard) {
  // A step like the program's own accesses, since its fast path reads only that byte.
  if (controlled()) {
    __tsan_atomic8_exchange(&guard.done, 1, __ATOMIC_ACQ_REL);
  } else {
    guard.done = 1;
  }
  guard.begun = 0;
}

void abandon_guard(Guard& guard, const void* caller) {
  library_step(lock_of(&guard, caller, Kind::kUnlock), {at_guard(Mode::kWrite, guard)});
  publish(&guard);
  guard.begun = 0;
}

int run_once(int* control, void (*routine)(), const void* caller) {
  const std::initializer_list<Access> writes = {at_memory(Mode::kWrite, control, sizeof *control)};
  library_step_when(lock_of(control, caller), writes, not_begun_once, control);
  observe(control);
  if (*control == kDone) {
    library_step_was({at_memory(Mode::kRead, control, sizeof *control)}, 0);
    return 0;
  }
  *control = kBegun;
  try {
    routine();
  } catch (...) {
    library_step(lock_of(control, caller, Kind::kUnlock), {at_memory(Mode::kWrite, control, sizeof *control)});
    *control = kNew;
    throw;
  }
  library_step(lock_of(control, caller, Kind::kUnlock), {at_memory(Mode::kWrite, control, sizeof *control)});
  publish(control);
  *control = kDone;
  return 0;
}

}  // namespace

}  // namespace linpoint::runtime

using linpoint::runtime::by_host;
using linpoint::runtime::Guard;

extern "C" {

int __cxa_guard_acquire(Guard* guard) {  // NOLINT(bugprone-reserved-identifier)
  // The host has static variables of its own, and one thread.
  if (by_host()) return guard->done == 0 ? 1 : 0;
  return linpoint::runtime::acquire_guard(*guard, __builtin_return_address(0));
}
void __cxa_guard_release(Guard* guard) {  // NOLINT(bugprone-reserved-identifier)
  if (by_host()) {
    guard->done = 1;
    return;
  }
  linpoint::runtime::release_guard(*guard);
}
void __cxa_guard_abort(Guard* guard) {  // NOLINT(bugprone-reserved-identifier)
  if (!by_host()) linpoint::runtime::abandon_guard(*guard, __builtin_return_address(0));
}

int pthread_once(pthread_once_t* control, void (*routine)()) {
  // The unwinder uses one-time initialisation too. Its state is not restored, so the first run would have steps that
  // later runs lack.
  if (!by_host() && !linpoint::runtime::system_code().contains(__builtin_return_address(0)))
    return linpoint::runtime::run_once(control, routine, __builtin_return_address(0));
  static constinit linpoint::runtime::Real<int(pthread_once_t*, void (*)())> next("pthread_once");
  return next(control, routine);
}
}
