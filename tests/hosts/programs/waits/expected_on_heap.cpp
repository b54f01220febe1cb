// SPDX-License-Identifier: Apache-2.0
// An attempt that fails writes what it has seen where it expects to find it next time, which may be on the heap.
#include <atomic>
#include <cstdio>
#include <thread>

struct Node {
  int value;
  Node* next;
};
std::atomic<Node*> top{nullptr};

void push(int value) {
  Node* node = new Node{value, top.load()};
  while (!top.compare_exchange_weak(node->next, node)) {
  }
}

struct Pair {
  long one, two, three;
  friend bool operator==(const Pair&, const Pair&) = default;
};
std::atomic<Pair> pair{Pair{0, 0, 0}};

void raise() {
  Pair* expected = new Pair{pair.load()};
  while (!pair.compare_exchange_weak(*expected, Pair{expected->one + 1, 0, 0})) {
  }
}

int main() {
  std::thread first([] {
    push(1);
    raise();
  });
  std::thread second([] {
    push(2);
    raise();
  });
  first.join();
  second.join();
  int count = 0;
  for (Node* node = top; node != nullptr; node = node->next) ++count;
  std::printf("%d %ld", count, pair.load().one);
}
