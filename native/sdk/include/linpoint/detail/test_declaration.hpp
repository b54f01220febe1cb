// SPDX-License-Identifier: Apache-2.0
// The common part of all kinds of tests: declarations about operations in a test file, and how they are read.
#pragma once

#include <string>

#include "linpoint/detail/operation_calls.hpp"
#include "linpoint/detail/test_registry.hpp"

/// Declares which threads may call which operations.
#define LINPOINT_ROLES(Type, text)                                                                   \
  namespace {                                                                                        \
  const ::linpoint::detail::Remarked LINPOINT_JOIN(linpoint_roles_, __LINE__)(#Type, nullptr, text); \
  }

/// Declares the values of an operation's arguments: one JSON list per parameter.
#define LINPOINT_VALUES(Type, operation, text)                                                          \
  namespace {                                                                                           \
  const ::linpoint::detail::Remarked LINPOINT_JOIN(linpoint_values_, __LINE__)(#Type, operation, text); \
  }

#define LINPOINT_JOIN(one, other) LINPOINT_JOINED(one, other)
#define LINPOINT_JOINED(one, other) one##other
#define LINPOINT_NOTHING()
// Each scan expands one more method: there are enough for kMostOperations.
#define LINPOINT_EXPAND(...) LINPOINT_EXPAND4(LINPOINT_EXPAND4(LINPOINT_EXPAND4(LINPOINT_EXPAND4(__VA_ARGS__))))
#define LINPOINT_EXPAND4(...) LINPOINT_EXPAND3(LINPOINT_EXPAND3(LINPOINT_EXPAND3(LINPOINT_EXPAND3(__VA_ARGS__))))
#define LINPOINT_EXPAND3(...) LINPOINT_EXPAND2(LINPOINT_EXPAND2(LINPOINT_EXPAND2(LINPOINT_EXPAND2(__VA_ARGS__))))
#define LINPOINT_EXPAND2(...) LINPOINT_EXPAND1(LINPOINT_EXPAND1(LINPOINT_EXPAND1(LINPOINT_EXPAND1(__VA_ARGS__))))
#define LINPOINT_EXPAND1(...) __VA_ARGS__
#define LINPOINT_EACH(Type, method, ...) \
  LINPOINT_OPERATION(Type, method) __VA_OPT__(, LINPOINT_AGAIN LINPOINT_NOTHING()()(Type, __VA_ARGS__))
#define LINPOINT_AGAIN() LINPOINT_EACH
// A method, or in parentheses a method with the name of its operation.
#define LINPOINT_OPERATION(Type, method) LINPOINT_JOIN(LINPOINT_OPERATION_, LINPOINT_IS_NAMED(method))(Type, method)
#define LINPOINT_OPERATION_0(Type, method) ::linpoint::detail::operation<Type, &Type::method>(#method)
#define LINPOINT_OPERATION_1(Type, method) LINPOINT_NAMED(Type, LINPOINT_BARE method)
// Separate from the macros above: a macro is not expanded again within itself.
#define LINPOINT_BARE(...) __VA_ARGS__
#define LINPOINT_NAMED(...) LINPOINT_NAMED_(__VA_ARGS__)
#define LINPOINT_NAMED_(Type, method, name) ::linpoint::detail::operation<Type, &Type::method>(name)
#define LINPOINT_IS_NAMED(method) LINPOINT_SECOND(LINPOINT_PROBE method, 0, 0)
#define LINPOINT_SECOND(...) LINPOINT_SECOND_(__VA_ARGS__)
#define LINPOINT_SECOND_(one, two, ...) two
#define LINPOINT_PROBE(...) 0, 1

#if !defined(LINPOINT_STRESS)

extern "C" {
__attribute__((weak)) const char* linpoint_test_describe() {
  static const std::string text = ::linpoint::detail::described();
  return text.c_str();
}
}

#endif
