// SPDX-License-Identifier: Apache-2.0
// Locks of POSIX threads. Their state is in the program's memory, so it is restored with that memory, and use of a
// freed lock is detected like any other access.
#pragma once

#include <pthread.h>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

/// With the layout of the C library, so that its initialisers work.
struct Mutex {
  int locked = 0;
  unsigned count = 0;  ///< number of additional recursive locks by its owner
  int owner = 0;       ///< + 1
  unsigned users = 0;
  int kind = 0;
};

[[nodiscard]] inline Mutex& as_mutex(pthread_mutex_t* mutex) { return *reinterpret_cast<Mutex*>(mutex); }
[[nodiscard]] inline Access at_mutex(Mode mode, const Mutex& mutex) { return at_memory(mode, &mutex, sizeof mutex); }

/// Makes it the running thread's. The caller is responsible for the step.
void take(Mutex& mutex);
/// Releases it completely; returns how often it was locked.
unsigned give_back(Mutex& mutex);

}  // namespace linpoint::runtime
