// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/threads/exit_handlers.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/core/operation_log.hpp"
#include "host/interpose/threads/pthread_keys.hpp"

namespace linpoint::runtime {

namespace {

struct Farewells {
  HostVector<Farewell> program;
  HostVector<Farewell> quick;  ///< of at_quick_exit
  std::array<HostVector<Farewell>, kMostThreads> threads;
};
Farewells farewells;
Farewells kept;
bool changed = false;  ///< since they were restored

/// While they run, more may be registered, which then run next.
void run_all(HostVector<Farewell>& all) {
  while (!all.empty()) {
    const Farewell last = all.back();
    all.pop_back();
    changed = true;
    last.function(last.argument);
  }
}

[[noreturn]] void fail_with(int status, const void* caller) {
  const OutOfProgram host;
  fail(Fault::kCrash, "the program ends with status " + std::to_string(status), caller);
}

/// The program calls exit. A program may end in any way; in a test, that would hide all operations that have not
/// returned.
[[noreturn]] void end_with(int status, const void* caller) {
  if (status == 0 && !operations.on() && controlled()) end_program();
  fail_with(status, caller);
}

void run_farewells() {
  run_all(farewells.threads[current_thread()]);
  run_all(farewells.program);
}

[[noreturn]] void refuse_before_main(const char* name) {
  refuse(std::string("the program calls ") + name + " before main");
}

}  // namespace

void keep_farewells() { kept = farewells; }

void restore_farewells() {
  if (!changed) return;
  changed = false;
  farewells.program.assign(kept.program.begin(), kept.program.end());
  farewells.quick.assign(kept.quick.begin(), kept.quick.end());
  farewells.threads[0].assign(kept.threads[0].begin(), kept.threads[0].end());
  for (Thread thread = 1; thread < kMostThreads; ++thread) farewells.threads[thread].clear();
}

void leave_thread() {
  run_all(farewells.threads[current_thread()]);
  run_key_destructors();
}

void leave_program(int status, const void* caller) {
  run_farewells();
  if (status == 0) end_program();
  fail_with(status, caller);
}

}  // namespace linpoint::runtime

using linpoint::runtime::acting_thread;
using linpoint::runtime::by_host;
using linpoint::runtime::farewells;
using linpoint::runtime::in_program;

extern "C" {

int __cxa_atexit(void (*function)(void*), void* argument, void* module) {  // NOLINT(bugprone-reserved-identifier)
  if (by_host()) {
    static constinit linpoint::runtime::Real<int(void (*)(void*), void*, void*)> next("__cxa_atexit");
    return next(function, argument, module);
  }
  farewells.program.push_back({function, argument});
  linpoint::runtime::changed = true;
  return 0;
}
int __cxa_at_quick_exit(void (*function)(void*), void* /*module*/) {  // NOLINT(bugprone-reserved-identifier)
  farewells.quick.push_back({function, nullptr});
  linpoint::runtime::changed = true;
  return 0;
}
int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* module) {  // NOLINT
  if (by_host()) {
    static constinit linpoint::runtime::Real<int(void (*)(void*), void*, void*)> next("__cxa_thread_atexit_impl");
    return next(function, argument, module);
  }
  farewells.threads[acting_thread()].push_back({function, argument});
  linpoint::runtime::changed = true;
  return 0;
}

void exit(int status) {
  if (in_program()) {
    linpoint::runtime::run_farewells();
    linpoint::runtime::end_with(status, __builtin_return_address(0));
  }
  if (!by_host()) linpoint::runtime::refuse_before_main("exit()");
  static constinit linpoint::runtime::Real<void(int)> next("exit");
  next(status);
  __builtin_unreachable();
}
void quick_exit(int status) {
  if (in_program()) {
    linpoint::runtime::run_all(farewells.quick);
    linpoint::runtime::end_with(status, __builtin_return_address(0));
  }
  _exit(status);
}
void _exit(int status) {  // NOLINT(bugprone-reserved-identifier)
  if (in_program()) linpoint::runtime::end_with(status, __builtin_return_address(0));
  if (!by_host()) linpoint::runtime::refuse_before_main("_exit()");
  static constinit linpoint::runtime::Real<void(int)> next("_exit");
  next(status);
  __builtin_unreachable();
}
void _Exit(int status) {  // NOLINT(bugprone-reserved-identifier)
  if (in_program()) linpoint::runtime::end_with(status, __builtin_return_address(0));
  _exit(status);
}
}
