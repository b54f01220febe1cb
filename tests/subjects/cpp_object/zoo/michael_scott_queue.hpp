// SPDX-License-Identifier: Apache-2.0
// The non-blocking queue of Michael and Scott (PODC 1996), for a machine that does not give back nodes.
//
// A list with a dummy in front. To enqueue is to exchange the last node's null by the new node, and then to move the
// tail, which others may do as well.
//
// Broken twins: (1) the new node is linked by a store, after a look whether the place is empty. Two can find it empty,
// and the first loses its value. (2) Dequeuing reads the tail before the head and does not look again. When others
// enqueue and dequeue in between, the tail is older than the head, an empty queue does not look empty, and the value
// is read from where there is no node.
#pragma once

#include <atomic>
#include <optional>

namespace zoo {

enum class MichaelScottFlaw { kNone, kLinkedByStore, kTailBeforeHead };

template <typename T, MichaelScottFlaw kFlaw = MichaelScottFlaw::kNone>
class MichaelScottQueue {
 public:
  void enqueue(T value) {
    Node* const node = new Node{value};
    for (;;) {
      Node* tail = tail_.load(std::memory_order_acquire);
      Node* next = tail->next.load(std::memory_order_acquire);
      if (next != nullptr) {
        tail_.compare_exchange_strong(tail, next, std::memory_order_release, std::memory_order_relaxed);
      } else if (link(*tail, node)) {
        tail_.compare_exchange_strong(tail, node, std::memory_order_release, std::memory_order_relaxed);
        return;
      }
    }
  }

  std::optional<T> dequeue() {
    for (;;) {
      auto [head, tail] = ends();
      Node* next = head->next.load(std::memory_order_acquire);
      if (head == tail) {
        if (next == nullptr) return std::nullopt;
        tail_.compare_exchange_strong(tail, next, std::memory_order_release, std::memory_order_relaxed);
      } else {
        const T value = next->value;
        if (head_.compare_exchange_strong(head, next, std::memory_order_release, std::memory_order_relaxed))
          return value;
      }
    }
  }

 private:
  struct Node {
    T value{};
    std::atomic<Node*> next{nullptr};
  };
  struct Ends {
    Node* head;
    Node* tail;
  };

  /// A tail that is read later than the head is not before it: the head never passes the tail.
  Ends ends() const {
    if constexpr (kFlaw == MichaelScottFlaw::kTailBeforeHead) {
      Node* const tail = tail_.load(std::memory_order_acquire);
      return {head_.load(std::memory_order_acquire), tail};
    } else {
      Node* const head = head_.load(std::memory_order_acquire);
      return {head, tail_.load(std::memory_order_acquire)};
    }
  }

  static bool link(Node& last, Node* node) {
    if constexpr (kFlaw == MichaelScottFlaw::kLinkedByStore) {
      last.next.store(node, std::memory_order_release);
      return true;
    } else {
      Node* none = nullptr;
      return last.next.compare_exchange_strong(none, node, std::memory_order_release, std::memory_order_relaxed);
    }
  }

  std::atomic<Node*> head_{new Node};
  std::atomic<Node*> tail_{head_.load(std::memory_order_relaxed)};
};

}  // namespace zoo
