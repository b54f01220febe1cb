// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>
#include <optional>

#include "michael_scott_queue.hpp"
#include "twin.hpp"

struct MichaelScottQueueTest {
  zoo::MichaelScottQueue<int, zoo::kTwin<zoo::MichaelScottFlaw>> queue;
  void enqueue(int value) { queue.enqueue(value); }
  std::optional<int> dequeue() { return queue.dequeue(); }
};
LINPOINT_TEST(MichaelScottQueueTest, enqueue, dequeue)
