// SPDX-License-Identifier: Apache-2.0
// Actions at the end of a thread, and at the end of the program: destructors, in order.
#pragma once

#include "host/base/host_memory.hpp"
#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

struct Farewell {
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
};

/// Actions registered so far exist in every run; later ones are dropped at the end of their run.
void keep_farewells();
void restore_farewells();
/// Runs destructors of thread-local variables of the running thread, the last one first.
void leave_thread();
/// After main has returned: runs these destructors, then the exit handlers of the program, then ends the program.
[[noreturn]] void leave_program(int status, const void* caller);

}  // namespace linpoint::runtime
