// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>
#include <optional>

#include "elimination_stack.hpp"
#include "twin.hpp"

struct EliminationStackTest {
  zoo::EliminationStack<int, zoo::kTwin<zoo::EliminationFlaw>> stack;
  void push(int value) { stack.push(value); }
  std::optional<int> pop() { return stack.pop(); }
};
LINPOINT_TEST(EliminationStackTest, push, pop)
