// SPDX-License-Identifier: Apache-2.0
// What is to be done when a thread ends, and when the program ends: destructors, in their order.
#pragma once

#include "host/base/host_memory.hpp"
#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

struct Farewell {
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
};

/// What was registered up to now is there in every run; what comes later is forgotten with its run.
void keep_farewells();
void restore_farewells();
/// Runs destructors of thread-local variables of the running thread, the last one first.
void leave_thread();
/// When main has come back: all that, then what is registered for the end of the program, then the end of the program.
[[noreturn]] void leave_program(int status, const void* caller);

}  // namespace linpoint::runtime
