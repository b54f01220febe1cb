// SPDX-License-Identifier: Apache-2.0
// When the interpreter ends, it ends other threads at the point where they request its lock, by unwinding their stacks.
//
// C++ code cannot survive that: catch-all handlers, as in bindings, abort the program, and destructors release objects
// without the lock. So a thread that is ended stays where it is until the program ends, as it does since Python 3.14.
// Cost: none, until that happens.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace linpoint::control {

/// Calls a function that runs Python code or takes the interpreter's lock.
template <typename Action>
auto outlast(const Action& action) {
#ifdef __GLIBCXX__
  try {
    return action();
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();
  }
#else
  return action();
#endif
}

/// Calls a function that waits, without the interpreter's lock.
template <typename Wait>
bool without_lock(const Wait& wait) {
  return outlast([&wait] {
    PyThreadState* state = PyEval_SaveThread();  // not by a guard: its destructor must not run during unwinding
    const bool done = wait();
    PyEval_RestoreThread(state);
    return done;
  });
}

}  // namespace linpoint::control
