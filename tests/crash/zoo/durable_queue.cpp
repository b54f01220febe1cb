// SPDX-License-Identifier: Apache-2.0
// The durable queue of Friedman, Herlihy, Marathe and Petrank (PPoPP 2018): Michael and Scott's, made to last.
//
// zoo: spec=queue kind=BUG_NODE:DL1,C2 BUG_MARK:C2,DL1 BUG_HELP_LINK:DL3 BUG_HELP_MARK:DL3
// scenario: BUG_NODE enqueue(1)
// scenario: BUG_MARK enqueue(1); dequeue()
// scenario: BUG_HELP_LINK enqueue(1) | enqueue(2)
// scenario: BUG_HELP_MARK enqueue(1); enqueue(2); dequeue() | dequeue()
//
// A value is in the queue if its node is linked and not marked. Links and marks are flushed; head and tail are not:
// they only say where to begin to look, and recovery finds both again by walking. No sfence is needed: the locked
// compare-and-swap that follows each clflushopt orders it, whether it succeeds or fails.
#include <immintrin.h>

#include <atomic>
#include <linpoint/crash.hpp>
#include <optional>

namespace {

struct Node {
  int value;
  std::atomic<bool> taken;
  std::atomic<Node*> next;
};

__attribute__((target("clflushopt"))) void flush(void* line) { _mm_clflushopt(line); }

// All of it is in the pool; head and tail have a line each so that nothing makes them durable by chance.
class DurableQueue {
 public:
  static DurableQueue* create(linpoint::Pool& pool) {
    auto* queue = static_cast<DurableQueue*>(pool.allocate(sizeof(DurableQueue)));
    auto* first = static_cast<Node*>(pool.allocate(sizeof(Node)));
    queue->pool_ = &pool;
    queue->head_.store(first, std::memory_order_relaxed);
    queue->tail_.store(first, std::memory_order_relaxed);
    flush(&queue->head_);  // where recovery begins if no later head is ever written back
    _mm_sfence();
    pool.set_root(queue);
    return queue;
  }

  static DurableQueue* recover(linpoint::Pool& pool) {
    auto* queue = static_cast<DurableQueue*>(pool.root());
    queue->pool_ = &pool;
    // Any head that was ever current will do: a node is marked durably before the head moves onto it.
    Node* head = queue->head_.load(std::memory_order_relaxed);
    Node* next = nullptr;
    while ((next = head->next.load(std::memory_order_relaxed)) != nullptr && next->taken) head = next;
    queue->head_.store(head, std::memory_order_relaxed);
    Node* tail = head;
    while ((next = tail->next.load(std::memory_order_relaxed)) != nullptr) tail = next;
    queue->tail_.store(tail, std::memory_order_relaxed);
    return queue;
  }

  void enqueue(int value) {
    auto* node = static_cast<Node*>(pool_->allocate(sizeof(Node)));
    node->value = value;  // blame: BUG_NODE DL1
#ifndef BUG_NODE
    flush(node);  // ordered by the swap that links it
#endif
    for (;;) {
      Node* last = tail_.load(std::memory_order_acquire);
      Node* none = nullptr;
      if (last->next.compare_exchange_strong(none, node)) {  // blame: BUG_HELP_LINK DL3
        flush(&last->next);
        tail_.compare_exchange_strong(last, node);
        return;
      }
#ifndef BUG_HELP_LINK
      flush(&last->next);  // what comes behind an unflushed link would be lost with it
#endif
      tail_.compare_exchange_strong(last, none);
    }
  }

  std::optional<int> dequeue() {
    for (;;) {
      Node* first = head_.load(std::memory_order_acquire);
      Node* last = tail_.load(std::memory_order_acquire);
      Node* next = first->next.load(std::memory_order_acquire);
      if (first != head_.load(std::memory_order_acquire)) continue;
      if (next == nullptr) return std::nullopt;  // the node at the head is marked, and that is durable
      if (first == last) {                       // the tail lags behind, so the link may not be durable yet
        flush(&first->next);
        tail_.compare_exchange_strong(last, next);
        continue;
      }
      bool taken = false;
      if (next->taken.compare_exchange_strong(taken, true)) {  // blame: BUG_MARK C2; BUG_HELP_MARK DL3
#ifndef BUG_MARK
        flush(&next->taken);
#endif
        head_.compare_exchange_strong(first, next);  // completes: BUG_MARK
        return next->value;
      }
#ifndef BUG_HELP_MARK
      flush(&next->taken);  // to take the second while the first may come back would be out of order
#endif
      head_.compare_exchange_strong(first, next);
    }
  }

 private:
  alignas(64) std::atomic<Node*> head_;
  alignas(64) std::atomic<Node*> tail_;
  alignas(64) linpoint::Pool* pool_;  // set by each start
};

}  // namespace

LINPOINT_CRASH_TEST(DurableQueue, enqueue, dequeue)
