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

#include "linpoint/detail/operations.hpp"
#if defined(LINPOINT_STRESS)
#include "linpoint/detail/stress.hpp"
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

/// Says which threads may call which operations.
#define LINPOINT_ROLES(Type, text)                                                                   \
  namespace {                                                                                        \
  const ::linpoint::detail::Remarked LINPOINT_JOIN(linpoint_roles_, __LINE__)(#Type, nullptr, text); \
  }

/// Says which values the arguments of an operation have: a JSON list for each parameter.
#define LINPOINT_VALUES(Type, operation, text)                                                          \
  namespace {                                                                                           \
  const ::linpoint::detail::Remarked LINPOINT_JOIN(linpoint_values_, __LINE__)(#Type, operation, text); \
  }

#define LINPOINT_JOIN(one, other) LINPOINT_JOINED(one, other)
#define LINPOINT_JOINED(one, other) one##other
#define LINPOINT_NOTHING()
// Each scan goes on by one method: there are kMostOperations of them, and some.
#define LINPOINT_EXPAND(...) LINPOINT_EXPAND4(LINPOINT_EXPAND4(LINPOINT_EXPAND4(LINPOINT_EXPAND4(__VA_ARGS__))))
#define LINPOINT_EXPAND4(...) LINPOINT_EXPAND3(LINPOINT_EXPAND3(LINPOINT_EXPAND3(LINPOINT_EXPAND3(__VA_ARGS__))))
#define LINPOINT_EXPAND3(...) LINPOINT_EXPAND2(LINPOINT_EXPAND2(LINPOINT_EXPAND2(LINPOINT_EXPAND2(__VA_ARGS__))))
#define LINPOINT_EXPAND2(...) LINPOINT_EXPAND1(LINPOINT_EXPAND1(LINPOINT_EXPAND1(LINPOINT_EXPAND1(__VA_ARGS__))))
#define LINPOINT_EXPAND1(...) __VA_ARGS__
#define LINPOINT_EACH(Type, method, ...) \
  LINPOINT_OPERATION(Type, method) __VA_OPT__(, LINPOINT_AGAIN LINPOINT_NOTHING()()(Type, __VA_ARGS__))
#define LINPOINT_AGAIN() LINPOINT_EACH
// A method, or one in parentheses with the name of the operation.
#define LINPOINT_OPERATION(Type, method) LINPOINT_JOIN(LINPOINT_OPERATION_, LINPOINT_IS_NAMED(method))(Type, method)
#define LINPOINT_OPERATION_0(Type, method) ::linpoint::detail::operation<Type, &Type::method>(#method)
#define LINPOINT_OPERATION_1(Type, method) LINPOINT_NAMED(Type, LINPOINT_BARE method)
// Not one of those above: within itself a macro is not expanded again.
#define LINPOINT_BARE(...) __VA_ARGS__
#define LINPOINT_NAMED(...) LINPOINT_NAMED_(__VA_ARGS__)
#define LINPOINT_NAMED_(Type, method, name) ::linpoint::detail::operation<Type, &Type::method>(name)
#define LINPOINT_IS_NAMED(method) LINPOINT_SECOND(LINPOINT_PROBE method, 0, 0)
#define LINPOINT_SECOND(...) LINPOINT_SECOND_(__VA_ARGS__)
#define LINPOINT_SECOND_(one, two, ...) two
#define LINPOINT_PROBE(...) 0, 1

#if defined(LINPOINT_STRESS)

__attribute__((weak)) int main(int count, char** words) { return ::linpoint::detail::stress_main(count, words); }

#else

extern "C" {
__attribute__((weak)) const char* linpoint_test_describe() {
  static const std::string text = ::linpoint::detail::described();
  return text.c_str();
}
__attribute__((weak)) const char* linpoint_test_prepare(const char* text) {
  return ::linpoint::detail::read_scenario(text);
}
}

LINPOINT_NOT_SEEN __attribute__((weak)) int main() {
  if (linpoint_operation_begins == nullptr || ::linpoint::detail::scenario == nullptr) {
    std::puts("This is a test for linpoint: linpoint test FILE.cpp --spec SPEC");
    return 2;
  }
  return ::linpoint::detail::run_scenario();
}

#endif
