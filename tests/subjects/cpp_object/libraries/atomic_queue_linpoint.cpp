// SPDX-License-Identifier: Apache-2.0
// linpoint: --spec queue
//
// atomic_queue::AtomicQueue2: a ring whose slots have states.
#include <atomic_queue/atomic_queue.h>

#include <linpoint/test.hpp>
#include <optional>

struct AtomicQueue {
  atomic_queue::AtomicQueue2<int, 4> queue;

  void enqueue(int value) { queue.push(value); }
  std::optional<int> dequeue() {
    int value = 0;
    if (!queue.try_pop(value)) return std::nullopt;
    return value;
  }
};
LINPOINT_TEST(AtomicQueue, enqueue, dequeue)
