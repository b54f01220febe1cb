// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>
#include <optional>

#include "spsc_ring.hpp"
#include "twin.hpp"

struct SpscRingTest {
  zoo::SpscRing<int, 1, zoo::kTwin<zoo::SpscFlaw>> ring;
  bool enqueue(int value) { return ring.enqueue(value); }
  std::optional<int> dequeue() { return ring.dequeue(); }
};
LINPOINT_TEST(SpscRingTest, enqueue, dequeue)
LINPOINT_ROLES(SpscRingTest, "enqueue | dequeue")
