// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>
#include <optional>

#include "treiber_stack.hpp"
#include "twin.hpp"

struct TreiberStackTest {
  zoo::TreiberStack<int, zoo::kTwin<zoo::TreiberFlaw>> stack;
  void push(int value) { stack.push(value); }
  std::optional<int> pop() { return stack.pop(); }
};
LINPOINT_TEST(TreiberStackTest, push, pop)
