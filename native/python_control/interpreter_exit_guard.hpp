// SPDX-License-Identifier: Apache-2.0
// When the interpreter ends, it ends other threads where they ask for its lock, by unwinding their stacks.
//
// C++ does not stand that: what catches everything, as bindings do, ends the program with a signal, and destructors let
// go of objects without the lock. So a thread that is ended stays where it is until the program is gone, as it does
// from Python 3.14 on. Cost: none, until that happens.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace linpoint::control {

/// Calls what runs Python code or takes the interpreter's lock.
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

/// Calls what waits, without the interpreter's lock.
template <typename Wait>
bool without_lock(const Wait& wait) {
  return outlast([&wait] {
    PyThreadState* state = PyEval_SaveThread();  // not by a guard: its destructor could not be unwound
    const bool done = wait();
    PyEval_RestoreThread(state);
    return done;
  });
}

}  // namespace linpoint::control
