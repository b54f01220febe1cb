// SPDX-License-Identifier: Apache-2.0
// linpoint: --spec queue --races ignore
//
// boost::lockfree::queue, a Michael-Scott queue with tagged pointers and a free list of nodes, with the same races as
// the stack; and boost::lockfree::spsc_queue, a ring for one producer and one consumer.
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <linpoint/test.hpp>
#include <optional>

template <typename Queue>
std::optional<int> popped(Queue& queue) {
  int value = 0;
  if (!queue.pop(value)) return std::nullopt;
  return value;
}

struct BoostQueue {
  boost::lockfree::queue<int> queue{2};

  void enqueue(int value) { queue.push(value); }
  std::optional<int> dequeue() { return popped(queue); }
};
LINPOINT_TEST(BoostQueue, enqueue, dequeue)

struct BoostRing {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<4>> queue;

  void enqueue(int value) { queue.push(value); }
  std::optional<int> dequeue() { return popped(queue); }
};
LINPOINT_TEST(BoostRing, enqueue, dequeue)
LINPOINT_ROLES(BoostRing, "enqueue | dequeue")
