// SPDX-License-Identifier: Apache-2.0
// What all kinds of tests have in common in their files: what a file says of its operations, and how it is asked.
#pragma once

#include <string>

#include "linpoint/detail/operation_calls.hpp"
#include "linpoint/detail/test_registry.hpp"

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

#if !defined(LINPOINT_STRESS)

extern "C" {
__attribute__((weak)) const char* linpoint_test_describe() {
  static const std::string text = ::linpoint::detail::described();
  return text.c_str();
}
}

#endif
