// SPDX-License-Identifier: Apache-2.0
// A sorted linked list as a set. Writers take a lock, readers take none.
//
// zoo: spec=set kind=BUG_NODE:DL1,C2 BUG_LINK:C2 BUG_READER:DL3
// scenario: BUG_NODE add(1)
// scenario: BUG_LINK add(1)
// scenario: BUG_READER add(1) | contains(1)
//
// An element is in the set once the link to its node is durable. Two rules keep this one 8-byte word the only thing
// that decides: a node is durable before a link leads to it, and an operation returns only when the link that its
// answer rests on is durable. The second binds readers too: what a reader has seen may be in the cache only, and the
// writer may never come to flush it. So the reader flushes the link itself ("helping").
#include <immintrin.h>

#include <atomic>
#include <linpoint/crash.hpp>
#include <mutex>

namespace {

struct Node {
  int key;
  std::atomic<Node*> next;
};

__attribute__((target("clwb"))) void flush(void* line) { _mm_clwb(line); }
void fence() { _mm_sfence(); }

class LinkedSet {
 public:
  explicit LinkedSet(linpoint::Pool& pool) : pool_(&pool), head_(static_cast<Node*>(pool.root())) {}

  static LinkedSet* create(linpoint::Pool& pool) {
    auto* head = static_cast<Node*>(pool.allocate(sizeof(Node)));  // fresh memory is zero, and durably so
    pool.set_root(head);
    return new LinkedSet(pool);
  }
  // There is nothing to repair: the list is whole at every moment. The lock is volatile, and new.
  static LinkedSet* recover(linpoint::Pool& pool) { return new LinkedSet(pool); }

  bool add(int key) {
    const std::lock_guard guard(lock_);
    auto [before, after] = find(key);
    // What is there already was made durable by the writer that put it there, before it gave the lock away.
    if (after != nullptr && after->key == key) return false;
    auto* node = static_cast<Node*>(pool_->allocate(sizeof(Node)));
    node->key = key;                                     // blame: BUG_NODE DL1,C2
    node->next.store(after, std::memory_order_relaxed);  // blame: BUG_NODE DL1,C2
#ifndef BUG_NODE
    flush(node);
    fence();
#endif
    before->next.store(node, std::memory_order_release);  // blame: BUG_LINK C2; BUG_READER DL3
#ifndef BUG_LINK
    flush(&before->next);
    fence();
#endif
    return true;
  }

  bool remove(int key) {
    const std::lock_guard guard(lock_);
    auto [before, node] = find(key);
    if (node == nullptr || node->key != key) return false;
    // The node keeps its own link, for readers that stand on it.
    before->next.store(node->next.load(std::memory_order_relaxed), std::memory_order_release);  // blame: BUG_READER DL3
    flush(&before->next);
    fence();
    return true;
  }

  bool contains(int key) {
    auto [before, node] = find(key);
    // Yes and no alike rest on the last link that was read: it leads to the element, or past where it would be.
#ifndef BUG_READER
    flush(&before->next);
    fence();
#endif
    return node != nullptr && node->key == key;
  }

 private:
  struct Position {
    Node* before;
    Node* node;  // the first with this key or a greater one
  };
  Position find(int key) const {
    Node* before = head_;
    Node* node = before->next.load(std::memory_order_acquire);
    while (node != nullptr && node->key < key) {
      before = node;
      node = before->next.load(std::memory_order_acquire);
    }
    return {before, node};
  }

  linpoint::Pool* pool_;
  Node* head_;
  std::mutex lock_;
};

}  // namespace

LINPOINT_CRASH_TEST(LinkedSet, add, remove, contains)
