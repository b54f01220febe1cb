// SPDX-License-Identifier: Apache-2.0
// A sorted list as in published code: memory from `new`, which is persistent with --persistent-heap, and a root kept by
// the test. With MISSING_FLUSH nodes are linked before they are durable.
#include <immintrin.h>

#include <cstdlib>
#include <linpoint/crash.hpp>

namespace {

struct Node {
  int key;
  Node* next;
};

void persist(const void* address) {
  _mm_clflush(address);
  _mm_sfence();
}

class List {
 public:
  static List* create(linpoint::Pool& pool) {
    auto* head = static_cast<Node*>(std::calloc(1, sizeof(Node)));
    pool.set_root(head);
    return new List{head};
  }
  static List* recover(linpoint::Pool& pool) { return new List{static_cast<Node*>(pool.root())}; }

  bool add(int key) {
    Node* before = find(key);
    if (before->next != nullptr && before->next->key == key) return false;
    auto* node = new Node{key, before->next};
#ifndef MISSING_FLUSH
    persist(node);
#endif
    before->next = node;
    persist(&before->next);
    return true;
  }

  bool remove(int key) {
    Node* before = find(key);
    Node* node = before->next;
    if (node == nullptr || node->key != key) return false;
    before->next = node->next;
    persist(&before->next);
    delete node;
    return true;
  }

  bool contains(int key) {
    const Node* before = find(key);
    return before->next != nullptr && before->next->key == key;
  }

  Node* head;

 private:
  Node* find(int key) const {
    Node* before = head;
    while (before->next != nullptr && before->next->key < key) before = before->next;
    return before;
  }
};

}  // namespace

LINPOINT_CRASH_TEST(List, add, remove, contains)
