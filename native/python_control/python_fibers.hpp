// SPDX-License-Identifier: Apache-2.0
// Threads of Python that are none of the operating system: a stack and a thread state each, switched by hand.
//
// To Python each is a thread of its own, with its own exceptions, thread-local data and tracing; to the system they are
// one. So handing the turn over takes a fraction of a microsecond, and nobody else is ever asked. What looks at the
// system's thread, such as a lock that was made before, takes them all for the same one.
#pragma once

#include <Python.h>
#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace linpoint::control {

class Fiber {
 public:
  /// `body` runs when the fiber is first switched to, and must not return. `number`, from 1 on, is its identity to
  /// Python.
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
  /// From whoever runs now to `fiber`; returns when somebody switches back.
  void switch_to(Fiber& fiber);
  /// From a fiber to the thread that switched to the first one.
  void switch_home();
  /// Whether a fiber runs.
  [[nodiscard]] bool away() const { return running_ != nullptr; }

 private:
  void leave(ucontext_t& from, const ucontext_t& to, PyThreadState* state);

  Fiber* running_ = nullptr;
  ucontext_t home_{};
  PyThreadState* home_state_ = nullptr;
};

}  // namespace linpoint::control
