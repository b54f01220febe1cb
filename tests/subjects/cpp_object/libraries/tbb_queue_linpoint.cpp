// SPDX-License-Identifier: Apache-2.0
// linpoint: --spec queue -- -ltbb
//
// tbb::concurrent_queue: micro-queues in turns. Code in the shared object is not instrumented.
#include <tbb/concurrent_queue.h>

#include <linpoint/test.hpp>
#include <optional>

struct TbbQueue {
  tbb::concurrent_queue<int> queue;

  void enqueue(int value) { queue.push(value); }
  std::optional<int> dequeue() {
    int value = 0;
    if (!queue.try_pop(value)) return std::nullopt;
    return value;
  }
};
LINPOINT_TEST(TbbQueue, enqueue, dequeue)
