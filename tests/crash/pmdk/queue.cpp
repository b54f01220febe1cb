// SPDX-License-Identifier: Apache-2.0
// A test in C++ of a transactional queue in C, queue.c, which is built together with it and has the twins.
//
// zoo: spec=queue sources=queue.c flags=-lpmemobj kind=BUG_FORGETS:DL1,DL2,C2 BUG_ADDS_LATE:DL1,DL2
// scenario: BUG_FORGETS enqueue(1); enqueue(2)
// scenario: BUG_ADDS_LATE enqueue(1); enqueue(2)
#include "queue.h"

#include <linpoint/crash.hpp>
#include <optional>

namespace {

class Queue {
 public:
  explicit Queue(struct queue* queue) : queue_(queue) {}

  static Queue* create(linpoint::Pool& /*pool*/) { return new Queue(queue_create("queue.pool")); }
  static Queue* recover(linpoint::Pool& /*pool*/) { return new Queue(queue_open("queue.pool")); }

  void enqueue(int value) { queue_enqueue(queue_, value); }
  std::optional<int> dequeue() {
    int value = 0;
    if (queue_dequeue(queue_, &value) == 0) return std::nullopt;
    return value;
  }

 private:
  struct queue* queue_;
};

}  // namespace

LINPOINT_CRASH_TEST(Queue, enqueue, dequeue)
