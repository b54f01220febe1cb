// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>
#include <optional>

#include "hazard_pointers.hpp"
#include "twin.hpp"

struct HazardStackTest {
  zoo::HazardStack<int, 3, zoo::kTwin<zoo::HazardFlaw>> stack;  // two threads, and the one that does what comes before
  void push(int value) { stack.push(value); }
  std::optional<int> pop() { return stack.pop(); }
};
LINPOINT_TEST(HazardStackTest, push, pop)
