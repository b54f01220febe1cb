// SPDX-License-Identifier: Apache-2.0
#include "python_control/python_fibers.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

#include "python_control/interpreter_frames.h"

namespace linpoint::control {

namespace {

/// As much as a system thread has; only touched pages take memory.
constexpr std::size_t kStack = std::size_t{8} << 20U;

void* map_stack() {
  void* memory = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();  // NOLINT: the macro's cast
  mprotect(memory, 4096, PROT_NONE);                 // so that an overflow is detected
  return memory;
}

}  // namespace

void Fiber::Unmap::operator()(void* memory) const { munmap(memory, size); }

Fiber::Fiber(unsigned long number, std::function<void()> body)
    : stack_(map_stack(), Unmap{kStack}), body_(std::move(body)), state_(PyThreadState_New(PyInterpreterState_Get())) {
  linpoint_name_state(state_, number);
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = kStack;
  context_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);  // NOLINT: two halves, as makecontext requires
  makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self >> 32U),  // NOLINT
              static_cast<unsigned>(self));
}

Fiber::~Fiber() {
  PyThreadState_Clear(state_);
  PyThreadState_Delete(state_);
}

void Fiber::enter(unsigned high, unsigned low) {
  const std::uintptr_t self = (static_cast<std::uintptr_t>(high) << 32U) | low;
  reinterpret_cast<Fiber*>(self)->body_();  // NOLINT: as above
}

void FiberScheduler::leave(ucontext_t& from, const ucontext_t& to, PyThreadState* state) {
  linpoint_swap(state);
  swapcontext(&from, &to);
}

void FiberScheduler::switch_to(Fiber& fiber) {
  Fiber* before = std::exchange(running_, &fiber);
  if (before == nullptr) {
    home_state_ = PyThreadState_Get();
    leave(home_, fiber.context_, fiber.state_);
  } else if (before != &fiber) {
    leave(before->context_, fiber.context_, fiber.state_);
  }
}

void FiberScheduler::switch_home() {
  Fiber* before = std::exchange(running_, nullptr);
  leave(before->context_, home_, home_state_);
}

}  // namespace linpoint::control
