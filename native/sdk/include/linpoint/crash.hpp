// SPDX-License-Identifier: Apache-2.0
// Tests of persistent objects, for `linpoint crash`.
//
//     #include <linpoint/crash.hpp>
//     struct ListTest {
//       static ListTest* create(linpoint::Pool& pool);     // first start
//       static ListTest* recover(linpoint::Pool& pool);    // after a crash
//       bool insert(int key, int value);
//       std::optional<int> get(int key);
//     };
//     LINPOINT_CRASH_TEST(ListTest, insert, get)           // or (method, "operation") where the names differ
//
// The object itself may live in the pool or in ordinary memory, which a crash loses. When `create` returns, everything
// it has stored counts as durable. Operations flush and fence with the ordinary intrinsics, inline assembly or libpmem.
// Arguments, results, LINPOINT_VALUES and LINPOINT_ROLES work as in linpoint/test.hpp.
#pragma once

#pragma GCC system_header

#include <cstdio>

#include "linpoint/detail/persistent_test.hpp"
#include "linpoint/detail/test_declaration.hpp"
#include "linpoint/detail/test_registry.hpp"

/// Declares a test of a persistent object: its type, and the methods that are operations.
#define LINPOINT_CRASH_TEST(Type, ...)                                                                \
  namespace {                                                                                         \
  constexpr ::linpoint::detail::Operation LINPOINT_JOIN(linpoint_operations_, __LINE__)[] = {         \
      LINPOINT_EXPAND(LINPOINT_EACH(Type, __VA_ARGS__))};                                             \
  const ::linpoint::detail::RegisteredPersistent<Type> LINPOINT_JOIN(linpoint_test_, __LINE__)(       \
      #Type, LINPOINT_JOIN(linpoint_operations_, __LINE__),                                           \
      sizeof(LINPOINT_JOIN(linpoint_operations_, __LINE__)) / sizeof(::linpoint::detail::Operation)); \
  }

#if !defined(LINPOINT_HAS_MAIN)
#define LINPOINT_HAS_MAIN
LINPOINT_NOT_SEEN __attribute__((weak)) int main() {
  std::puts("This is a test for linpoint: linpoint crash FILE.cpp --spec SPEC");
  return 2;
}
#endif
