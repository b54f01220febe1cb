// SPDX-License-Identifier: Apache-2.0
// Tests of concurrent objects, for `linpoint test`.
//
//     #include <linpoint/test.hpp>
//     struct StackTest {                       // constructed anew for every run
//       TreiberStack<int> stack;
//       void push(int v) { stack.push(v); }
//       std::optional<int> pop() { return stack.pop(); }
//     };
//     LINPOINT_TEST(StackTest, push, pop)      // or (method, "operation") where the names differ
//
// Operations take and return integers, bool, strings, optional, pair, tuple, vector. An operation that throws has the
// result {"raises": "the type"}. The file needs no main: this header defines one, which runs what `linpoint test`
// requests.
//
// If some threads may call only some operations, declare roles: separate threads with |, operations with commas, and
// put * after a role that any number of threads may have.
//
//     LINPOINT_ROLES(DequeTest, "push, pop | steal*")
//
// By default, arguments are a few values of their type, such as 1 and 2. Specify other values as one JSON list per
// parameter.
//
//     LINPOINT_VALUES(MapTest, "put", "[1, 2], [10, 20]")
#pragma once

#pragma GCC system_header

#include <cstdio>
#include <cstring>
#include <string>

#include "linpoint/detail/test_declaration.hpp"
#include "linpoint/detail/test_registry.hpp"
#if defined(LINPOINT_STRESS)
#include "linpoint/detail/stress_program.hpp"
#else
#include "linpoint/detail/scenario.hpp"
#endif

/// Declares a test of an object: its type, and the methods that are operations.
#define LINPOINT_TEST(Type, ...)                                                                        \
  static_assert(::linpoint::detail::count_methods(#__VA_ARGS__) <= ::linpoint::detail::kMostOperations, \
                "LINPOINT_TEST has more than 300 operations: make several tests of it");                \
  namespace {                                                                                           \
  constexpr ::linpoint::detail::Operation LINPOINT_JOIN(linpoint_operations_, __LINE__)[] = {           \
      LINPOINT_EXPAND(LINPOINT_EACH(Type, __VA_ARGS__))};                                               \
  const ::linpoint::detail::Registered<Type> LINPOINT_JOIN(linpoint_test_, __LINE__)(                   \
      #Type, LINPOINT_JOIN(linpoint_operations_, __LINE__),                                             \
      sizeof(LINPOINT_JOIN(linpoint_operations_, __LINE__)) / sizeof(::linpoint::detail::Operation));   \
  }

#if defined(LINPOINT_STRESS)

__attribute__((weak)) int main(int count, char** words) { return ::linpoint::detail::stress_main(count, words); }

#else

extern "C" {
__attribute__((weak)) const char* linpoint_test_prepare(const char* text) {
  return ::linpoint::detail::read_scenario(text);
}
}

#if !defined(LINPOINT_HAS_MAIN)
#define LINPOINT_HAS_MAIN
LINPOINT_NOT_SEEN __attribute__((weak)) int main() {
  if (linpoint_operation_begins == nullptr || ::linpoint::detail::scenario == nullptr) {
    std::puts("This is a test for linpoint: linpoint test FILE.cpp --spec SPEC");
    return 2;
  }
  return ::linpoint::detail::run_scenario();
}
#endif

#endif
