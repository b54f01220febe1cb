// SPDX-License-Identifier: Apache-2.0
// Locks of POSIX threads. Their state is where the program has it, so it is restored with the program's memory, and a
// lock that was freed is found as any other memory.
#pragma once

#include <pthread.h>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

/// As the C library lays it out, so that its initialisers are ours.
struct Mutex {
  int locked = 0;
  unsigned count = 0;  ///< how often more it was locked by its owner
  int owner = 0;       ///< + 1
  unsigned users = 0;
  int kind = 0;
};

[[nodiscard]] inline Mutex& as_mutex(pthread_mutex_t* mutex) { return *reinterpret_cast<Mutex*>(mutex); }
[[nodiscard]] inline Access at_mutex(Mode mode, const Mutex& mutex) { return at_memory(mode, &mutex, sizeof mutex); }

/// Makes it the running thread's. The step is the caller's affair.
void take(Mutex& mutex);
/// And gives it back, however often it was locked: that is returned.
unsigned give_back(Mutex& mutex);

}  // namespace linpoint::runtime
