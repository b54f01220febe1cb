// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>
#include <optional>

#include "twin.hpp"
#include "vyukov_queue.hpp"

struct VyukovQueueTest {
  zoo::VyukovQueue<int, 2, zoo::kTwin<zoo::VyukovFlaw>> queue;
  bool enqueue(int value) { return queue.enqueue(value); }
  std::optional<int> dequeue() { return queue.dequeue(); }
};
LINPOINT_TEST(VyukovQueueTest, enqueue, dequeue)
