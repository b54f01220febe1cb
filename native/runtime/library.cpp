// SPDX-License-Identifier: Apache-2.0
// What the core asks of the library: the order in which its parts keep what the program begins with, and restore it.
#include <sys/personality.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include <cstdlib>

#include "allocation.hpp"
#include "core.hpp"
#include "endings.hpp"
#include "exits.hpp"
#include "image.hpp"
#include "keys.hpp"
#include "limits.hpp"
#include "output.hpp"
#include "shared_objects.hpp"
#include "storage.hpp"
#include "threads.hpp"
#include "waiting.hpp"
#include "world.hpp"

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

}  // namespace

namespace library {

void fix_addresses(char** argv) {
  // Also tells that this was done, or at least tried.
  constexpr const char* kVariable = "LD_BIND_NOW";
  if (::getenv(kVariable) != nullptr) return;
  const auto now = static_cast<unsigned>(::personality(0xffffffff));
  ::personality(now | ADDR_NO_RANDOMIZE);
  // All functions are found at the start: to find them later would change memory in the middle of a run.
  ::setenv(kVariable, "1", 1);
  ::execv("/proc/self/exe", argv);
}

void before_load() {
  // The C++ library counts references with plain increments while it believes that there is one thread only.
  __libc_single_threaded = 0;
  the_system_code.find();
  install_handlers();
  if (!heap().prepare({.most = options.max_memory, .reuse = options.reuse}))
    refuse("the system has no addresses to spare for the memory of the program");
}

void after_load(void* /*handle*/) {
  const SharedObjects modules = find_shared_objects();
  for (const SharedObject& module : modules.program)
    if (!module.instrumented) qualify((module.path + " is not instrumented: what it does is not seen").c_str());
  watch_code(modules);
  heap().keep();
  keep_farewells();
  keep_keys();
  keep_output();
  the_storage.keep(modules);
  the_image.keep(modules);
}

void begin_run() {
  the_image.restore();
  heap().restore();
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

// What linpoint/atomically.hpp calls if it is there. Blocks come one after the other, so what is done in one happens
// before what is done in the next.
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
