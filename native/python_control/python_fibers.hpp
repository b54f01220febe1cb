// SPDX-License-Identifier: Apache-2.0
// Python threads that are not operating-system threads: a stack and a thread state each, switched explicitly.
//
// To Python each is a separate thread, with its own exceptions, thread-local data and tracing; to the system they are
// one. So passing the turn takes a fraction of a microsecond, without the system's scheduler. Code that identifies the
// system thread, such as a lock created earlier, cannot distinguish them.
#pragma once

#include <Python.h>
#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace linpoint::control {

class Fiber {
 public:
  /// `body` runs when the fiber is first switched to, and must not return. `number`, from 1 on, is its thread identity
  /// in Python.
  Fiber(unsigned long number, std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

 private:
  friend class FiberScheduler;
  static void enter(unsigned high, unsigned low);

  struct Unmap {
    std::size_t size;
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Unmap> stack_;
  std::function<void()> body_;
  ucontext_t context_{};
  PyThreadState* state_;
};

/// Switches between fibers and the thread that runs them all.
class FiberScheduler {
 public:
  /// Switches from the current context to `fiber`; returns when another context switches back.
  void switch_to(Fiber& fiber);
  /// Switches from a fiber to the thread that switched to the first one.
  void switch_home();
  /// Whether a fiber is running.
  [[nodiscard]] bool away() const { return running_ != nullptr; }

 private:
  void leave(ucontext_t& from, const ucontext_t& to, PyThreadState* state);

  Fiber* running_ = nullptr;
  ucontext_t home_{};
  PyThreadState* home_state_ = nullptr;
};

}  // namespace linpoint::control
