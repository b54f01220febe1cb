// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/threads/pthreads.hpp"

#include <pthread.h>
#include <sched.h>
#include <unwind.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/core/program_caller.hpp"
#include "host/interpose/threads/exit_handlers.hpp"

namespace linpoint::runtime {

namespace {

struct Record {
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  bool detached = false;
  bool joined = false;
  std::uintptr_t outermost = 0;  ///< the frame where pthread_exit stops unwinding
  _Unwind_Exception unwinding{};
};
std::array<Record, kMostThreads> records;
Thread most_records = 0;

pthread_t name_of(Thread thread) { return thread + 1; }
Thread number_of(pthread_t name) { return static_cast<Thread>(name - 1); }
bool exists(pthread_t name) { return name != 0 && name <= threads(); }

void begin_thread(void* /*argument*/) {
  Record& record = records[current_thread()];
  run_body(record.function, record.argument);
  leave_thread();
}

int create(pthread_t* name, const pthread_attr_t* attributes, void* (*function)(void*), void* argument,
           const void* caller) {
  if (phase == Phase::kPersistent) refuse("the program creates a thread inside of an operation");
  if (!controlled()) refuse("the program creates a thread before main");
  const Thread thread = spawn(caller, begin_thread, nullptr);
  if (thread == kNoThread) return EAGAIN;
  // The new thread begins with a step of its own, which does not come before the creator continues.
  most_records = std::max(most_records, thread + 1);
  Record& record = records[thread];
  record = {};
  record.function = function;
  record.argument = argument;
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) ::pthread_attr_getdetachstate(attributes, &state);
  record.detached = state == PTHREAD_CREATE_DETACHED;
  *name = name_of(thread);
  return 0;
}

int join_with(pthread_t name, void** result, const void* caller) {
  if (!exists(name)) return ESRCH;
  const Thread thread = number_of(name);
  if (thread == current_thread()) return EDEADLK;
  Record& record = records[thread];
  if (record.detached) return EINVAL;
  if (record.joined) return ESRCH;
  record.joined = true;
  join(caller, thread);
  if (result != nullptr) *result = record.result;
  return 0;
}

_Unwind_Reason_Code stop_unwinding(int /*version*/, _Unwind_Action actions, _Unwind_Exception_Class /*kind*/,
                                   _Unwind_Exception* /*exception*/, _Unwind_Context* context, void* /*argument*/) {
  const bool last = (static_cast<unsigned>(actions) & static_cast<unsigned>(_UA_END_OF_STACK)) != 0;
  if (!last && _Unwind_GetCFA(context) < records[current_thread()].outermost) return _URC_NO_REASON;
  leave_thread();
  end_thread();
}

[[noreturn]] void exit_thread(void* result) {
  Record& record = records[current_thread()];
  record.result = result;
  std::memset(&record.unwinding, 0, sizeof record.unwinding);
  _Unwind_ForcedUnwind(&record.unwinding, stop_unwinding, nullptr);
  leave_thread();
  end_thread();
}

}  // namespace

void restore_threads() {
  for (Thread thread = 0; thread < most_records; ++thread) records[thread] = {};
  most_records = 1;
}

void run_body(void* (*function)(void*), void* argument) {
  Record& record = records[current_thread()];
  record.outermost = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  record.result = function(argument);
}

}  // namespace linpoint::runtime

using linpoint::runtime::by_host;
using linpoint::runtime::Real;

extern "C" {

int pthread_create(pthread_t* name, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  if (!by_host()) return linpoint::runtime::create(name, attributes, function, argument, LINPOINT_CALLER);
  static constinit Real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> next("pthread_create");
  return next(name, attributes, function, argument);
}
int pthread_join(pthread_t name, void** result) {
  if (!by_host()) return linpoint::runtime::join_with(name, result, LINPOINT_CALLER);
  static constinit Real<int(pthread_t, void**)> next("pthread_join");
  return next(name, result);
}
int pthread_tryjoin_np(pthread_t name, void** result) {
  using namespace linpoint::runtime;
  if (!exists(name)) return ESRCH;
  return ended(number_of(name)) ? join_with(name, result, LINPOINT_CALLER) : EBUSY;
}
int pthread_detach(pthread_t name) {
  using namespace linpoint::runtime;
  if (by_host()) {
    static constinit Real<int(pthread_t)> next("pthread_detach");
    return next(name);
  }
  if (!exists(name)) return ESRCH;
  records[number_of(name)].detached = true;
  return 0;
}
pthread_t pthread_self() {
  if (!by_host()) return linpoint::runtime::name_of(linpoint::runtime::acting_thread());
  static constinit Real<pthread_t()> next("pthread_self");
  return next();
}
void pthread_exit(void* result) {
  if (linpoint::runtime::controlled()) linpoint::runtime::exit_thread(result);
  linpoint::runtime::refuse("the program calls pthread_exit() before main");
}

// Here a thread handle is not a pointer, so the C library must not dereference it.
int pthread_setname_np(pthread_t /*name*/, const char* /*words*/) { return 0; }
int pthread_getname_np(pthread_t /*name*/, char* words, std::size_t size) {
  if (size == 0) return ERANGE;
  words[0] = '\0';
  return 0;
}
int pthread_setaffinity_np(pthread_t /*name*/, std::size_t /*size*/, const cpu_set_t* /*processors*/) { return 0; }
int pthread_getaffinity_np(pthread_t /*name*/, std::size_t size, cpu_set_t* processors) {
  std::memset(processors, 0, size);
  CPU_SET_S(0, size, processors);
  return 0;
}
int pthread_setschedparam(pthread_t /*name*/, int /*policy*/, const sched_param* /*parameters*/) { return 0; }
int pthread_setcancelstate(int /*state*/, int* before) {
  if (before != nullptr) *before = PTHREAD_CANCEL_ENABLE;
  return 0;
}
void pthread_testcancel() {}
// Signals come from the program's own actions, and are handled by the host.
int pthread_sigmask(int how, const sigset_t* changed, sigset_t* before) {
  if (!by_host()) return 0;
  static constinit Real<int(int, const sigset_t*, sigset_t*)> next("pthread_sigmask");
  return next(how, changed, before);
}
int sigprocmask(int /*how*/, const sigset_t* /*changed*/, sigset_t* /*before*/) { return 0; }
int __register_atfork(void (* /*before*/)(), void (* /*parent*/)(), void (* /*child*/)(), void* /*module*/) {  // NOLINT
  return 0;
}
}
