// SPDX-License-Identifier: Apache-2.0
// A stack that pops by compare-and-swap: while one thread looks at the top and its successor, another pops both and
// puts the top back, so that the head is the same and its successor is not (ABA).
#include <atomic>
#include <cassert>
#include <thread>

namespace {

struct Node {
  std::atomic<Node*> next;
};
std::atomic<Node*> head;
std::atomic<int> popped;

void push(Node* node) {
  node->next = head.load();
  for (Node* next = node->next; !head.compare_exchange_strong(next, node);) node->next = next;
}

Node* pop() {
  Node* top = head.load();
  while (top != nullptr && !head.compare_exchange_strong(top, top->next)) {
  }
  return top;
}

}  // namespace

int main() {
  push(new Node);
  push(new Node);
  std::thread first([] {
    if (pop() != nullptr) ++popped;
  });
  std::thread second([] {
    Node* const top = pop();
    Node* const beneath = pop();
    if (beneath != nullptr) ++popped;
    if (top != nullptr) push(top);
  });
  first.join();
  second.join();
  while (pop() != nullptr) ++popped;
  assert(popped == 2);
}
