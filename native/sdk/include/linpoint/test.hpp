// SPDX-License-Identifier: Apache-2.0
// Tests of concurrent objects, for `linpoint test`.
//
//     #include <linpoint/test.hpp>
//     struct StackTest {                       // constructed afresh for every run
//       TreiberStack<int> stack;
//       void push(int v) { stack.push(v); }
//       std::optional<int> pop() { return stack.pop(); }
//     };
//     LINPOINT_TEST(StackTest, push, pop)      // or (method, "operation") where the names differ
//
// Operations take and return integers, bool, strings, optional, pair, tuple, vector. One that throws has the result
// {"raises": "the type"}. The file needs no main: this header has one, which runs what `linpoint test` asks for.
//
// Where not every thread may call everything, say so: threads by |, operations by commas, and * behind what any number
// of threads may do.
//
//     LINPOINT_ROLES(DequeTest, "push, pop | steal*")
//
// Arguments are made of few values of their types, such as 1 and 2; others are given as one JSON list per parameter.
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

/// Says what can be done with an object: its type, and those of its methods that are operations.
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
