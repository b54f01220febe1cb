// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>
#include <optional>

#include "twin.hpp"
#include "two_lock_queue.hpp"

struct TwoLockQueueTest {
  zoo::TwoLockQueue<int, zoo::kTwin<zoo::TwoLockFlaw>> queue;
  void enqueue(int value) { queue.enqueue(value); }
  std::optional<int> dequeue() { return queue.dequeue(); }
};
LINPOINT_TEST(TwoLockQueueTest, enqueue, dequeue)
