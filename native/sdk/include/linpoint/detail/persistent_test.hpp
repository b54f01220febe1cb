// SPDX-License-Identifier: Apache-2.0
// The pool of a persistent object, and its operations as the host calls them: one by one, in any order.
//
// Guarantee: a block of the pool is not allocated twice, even after a crash, and is initially zero. The root is durable
// when `set_root` returns; the object it points to is not flushed.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "linpoint/detail/scenario.hpp"
#include "linpoint/detail/test_registry.hpp"

extern "C" {
// Provided by the host.
__attribute__((weak)) void* linpoint_pool_base();
__attribute__((weak)) std::size_t linpoint_pool_size();
__attribute__((weak)) void* linpoint_pool_allocate(std::size_t size, std::size_t alignment);
__attribute__((weak)) void* linpoint_pool_root();
__attribute__((weak)) void linpoint_pool_set_root(void* root);
}

namespace linpoint {

/// Persistent memory at the same address after each crash.
class Pool {
 public:
  [[nodiscard]] void* base() const { return linpoint_pool_base(); }
  [[nodiscard]] std::size_t size() const { return linpoint_pool_size(); }
  /// Returns zeroed memory. Do not use it if you manage [base, base + size) yourself.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = 64) {
    return linpoint_pool_allocate(bytes, align);
  }
  /// nullptr before it is set.
  [[nodiscard]] void* root() const { return linpoint_pool_root(); }
  void set_root(void* root) { linpoint_pool_set_root(root); }
};

}  // namespace linpoint

namespace linpoint::detail {

template <typename Object>
struct RegisteredPersistent : Test {
  RegisteredPersistent(const char* test, const Operation* calls, std::size_t number)
      : Test{test,
             calls,
             number,
             nullptr,
             nullptr,
             tests,
             [](Pool& pool) { return static_cast<void*>(Object::create(pool)); },
             [](Pool& pool) { return static_cast<void*>(Object::recover(pool)); }} {
    tests = this;
  }
};

inline const Test* persistent_test = nullptr;
/// Objects may keep a reference to it.
inline Pool persistent_pool;
/// Indexed by number. A plain pointer, so that reading it is not seen as part of the program under test.
inline const Step* persistent_steps = nullptr;

/// Like `read_lines`; the host interprets the first word of each line.
inline const char* read_persistent(std::string_view text) {
  auto& steps = *new std::vector<Step>();  // never freed
  const char* problem = read_lines(
      text, [](const Test* test) { persistent_test = test; },
      [&steps](std::string_view, const Step& step) -> const char* {
        steps.push_back(step);
        return nullptr;
      });
  persistent_steps = steps.data();
  if (problem == nullptr && persistent_test->create == nullptr) return "the test has no pool";
  return problem;
}

LINPOINT_NOT_SEEN inline void run_persistent(unsigned number) {
  const Step& step = persistent_steps[number];
  HostWitness witness(step.number);
  step.operation->run(tested, step.arguments, witness);
}

}  // namespace linpoint::detail

extern "C" {
__attribute__((weak)) const char* linpoint_crash_prepare(const char* text) {
  return ::linpoint::detail::read_persistent(text);
}
LINPOINT_NOT_SEEN __attribute__((weak)) void linpoint_crash_create() {
  ::linpoint::detail::tested = ::linpoint::detail::persistent_test->create(::linpoint::detail::persistent_pool);
}
LINPOINT_NOT_SEEN __attribute__((weak)) void linpoint_crash_recover() {
  ::linpoint::detail::tested = ::linpoint::detail::persistent_test->recover(::linpoint::detail::persistent_pool);
}
LINPOINT_NOT_SEEN __attribute__((weak)) void linpoint_crash_run(unsigned number) {
  ::linpoint::detail::run_persistent(number);
}
}
