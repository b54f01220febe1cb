// SPDX-License-Identifier: Apache-2.0
// The functions that the core calls in the library: the order in which its parts save the program's initial state, and
// restore it.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include <cstdlib>

#include "host/core/atomic_functions.hpp"
#include "host/core/inserted_fences.hpp"
#include "host/core/scheduling_points.hpp"
#include "host/interpose/process/abnormal_ends.hpp"
#include "host/interpose/process/captured_output.hpp"
#include "host/interpose/process/clock_and_environment.hpp"
#include "host/interpose/process/global_variables_image.hpp"
#include "host/interpose/process/loaded_objects.hpp"
#include "host/interpose/process/malloc_free.hpp"
#include "host/interpose/threads/exit_handlers.hpp"
#include "host/interpose/threads/pthread_keys.hpp"
#include "host/interpose/threads/pthreads.hpp"
#include "host/interpose/threads/thread_local_storage.hpp"
#include "host/interpose/threads/timed_waits.hpp"
#include "host/interpose/threads/wait_queues.hpp"

namespace linpoint::runtime {

namespace {

struct Call {
  int (*program)(int, char**, char**) = nullptr;
  int status = 0;
};

void* call_main(void* argument) {
  auto& call = *static_cast<Call*>(argument);
  call.status = call.program(options.argc, options.argv, environ);
  return nullptr;
}

std::uintptr_t map_nothing(std::size_t size) {
  void* mapped = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? 0 : reinterpret_cast<std::uintptr_t>(mapped);
}

/// The kernel places the next mapping in the highest gap. With all small gaps filled, that is just below this wall. A
/// program that writes far beyond one of its variables hits the wall instead of the host's memory.
void build_wall() {
  constexpr std::size_t kWall = std::size_t{64} << 20U;
  constexpr std::size_t kPage = 4096;
  const std::uintptr_t wall = map_nothing(kWall);
  for (std::size_t size = kWall / 2; size >= kPage; size /= 2) {
    std::uintptr_t filled = map_nothing(size);
    while (filled > wall) filled = map_nothing(size);
    if (filled != 0) ::munmap(reinterpret_cast<void*>(filled), size);  // NOLINT(performance-no-int-to-ptr)
  }
}

}  // namespace

namespace library {

void fix_addresses(char** argv) {
  // Also records that this was done, or at least tried.
  constexpr const char* kVariable = "LD_BIND_NOW";
  if (::getenv(kVariable) != nullptr) return;
  const auto now = static_cast<unsigned>(::personality(0xffffffff));
  ::personality(now | ADDR_NO_RANDOMIZE);
  // All functions are resolved at the start: resolving them later would change memory in the middle of a run.
  ::setenv(kVariable, "1", 1);
  ::execv("/proc/self/exe", argv);
}

void before_load() {
  options.results = take_streams(options.results);
  // The C++ library counts references with plain increments while it believes that there is only one thread.
  __libc_single_threaded = 0;
  find_system_code();
  build_wall();
  install_handlers();
  if (!heap().prepare({.most = options.max_memory.value_or(kMostMemory), .reuse = options.reuse}))
    refuse("no address range is available for the memory of the program");
}

void after_load(void* handle) {
  link_map* program = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&program)) == 0) {
    atomic_functions.locate(program->l_addr);
    forced_fences.locate(program->l_addr);
  }
  const SharedObjects objects = find_shared_objects();
  for (const SharedObject& object : objects.program)
    if (!object.instrumented) qualify(object.path + " is not instrumented: its accesses are not observed");
  heap().keep();
  keep_farewells();
  keep_keys();
  keep_output();
  the_storage.keep(objects);
  the_image.keep(objects);
}

void after_fork() { start_watchdog(); }

void keep_again() {
  heap().keep();
  keep_farewells();
  keep_keys();
  keep_output();
  keep_world();
  the_storage.keep_again();
  the_image.keep_again();
}

void begin_run() {
  the_image.restore();
  the_storage.restore();
  restore_heap();
  restore_farewells();
  restore_keys();
  restore_output();
  restore_patience();
  restore_queues();
  restore_threads();
  restore_world();
  forget_exceptions();
}

void end_run() {}

void run_main(int (*program)(int, char**, char**)) {
  Call call{program};
  run_body(call_main, &call);
  leave_program(call.status, reinterpret_cast<const void*>(program));  // NOLINT
}

void* storage_of(Thread thread) { return the_storage.fresh(thread); }

}  // namespace library

}  // namespace linpoint::runtime

extern "C" {

// Called by linpoint/atomically.hpp if present. Blocks run one after the other, so each happens before the next.
void linpoint_enter_atomic() {
  using namespace linpoint::runtime;
  if (!controlled()) return;
  enter_atomic();
  synchronize_acquire(place(Abstract::kWorld));
}
void linpoint_leave_atomic() {
  using namespace linpoint::runtime;
  if (!controlled()) return;
  synchronize_release(place(Abstract::kWorld));
  leave_atomic();
}
}
