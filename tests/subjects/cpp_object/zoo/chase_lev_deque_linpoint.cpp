// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>
#include <optional>

#include "chase_lev_deque.hpp"
#include "twin.hpp"

struct ChaseLevDequeTest {
  zoo::ChaseLevDeque<int, 8, zoo::kTwin<zoo::ChaseLevFlaw>> deque;
  void push(int value) { deque.push(value); }
  std::optional<int> take() { return deque.take(); }
  std::optional<int> steal() { return deque.steal(); }
};
LINPOINT_TEST(ChaseLevDequeTest, (push, "push-back"), (take, "pop-back"), (steal, "pop-front"))
LINPOINT_ROLES(ChaseLevDequeTest, "push-back, pop-back | pop-front*")
