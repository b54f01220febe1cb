// SPDX-License-Identifier: Apache-2.0
// The two-lock queue of Michael and Scott (PODC 1996): one lock for each end, and a dummy between them, so that who
// enqueues and who dequeues never wait for each other.
//
// They meet in one place: in an empty queue the node that one links is the one after which the other looks.
//
// Broken twins: (1) that link is a plain pointer, as in the published code, and the two race for it. (2) Dequeuing does
// not lock: two take the same node and both free it.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <type_traits>

namespace zoo {

enum class TwoLockFlaw { kNone, kPlainLink, kUnlockedDequeue };

template <typename T, TwoLockFlaw kFlaw = TwoLockFlaw::kNone>
class TwoLockQueue {
 public:
  TwoLockQueue() = default;
  TwoLockQueue(const TwoLockQueue&) = delete;
  TwoLockQueue& operator=(const TwoLockQueue&) = delete;
  ~TwoLockQueue() {
    while (Node* const node = head_) {
      head_ = node->after();
      delete node;
    }
  }

  void enqueue(T value) {
    Node* const node = new Node{value};
    const std::scoped_lock guard(tail_lock_);
    tail_->link(node);
    tail_ = node;
  }

  std::optional<T> dequeue() {
    std::unique_lock guard(head_lock_, std::defer_lock);
    if constexpr (kFlaw != TwoLockFlaw::kUnlockedDequeue) guard.lock();
    Node* const dummy = head_;
    Node* const first = dummy->after();
    if (first == nullptr) return std::nullopt;
    const T value = first->value;
    head_ = first;
    delete dummy;
    return value;
  }

 private:
  struct Node {
    T value{};
    std::conditional_t<kFlaw == TwoLockFlaw::kPlainLink, Node*, std::atomic<Node*>> next{nullptr};

    Node* after() const {
      if constexpr (kFlaw == TwoLockFlaw::kPlainLink)
        return next;
      else
        return next.load(std::memory_order_acquire);
    }
    void link(Node* node) {
      if constexpr (kFlaw == TwoLockFlaw::kPlainLink)
        next = node;
      else
        next.store(node, std::memory_order_release);
    }
  };

  std::mutex head_lock_;
  std::mutex tail_lock_;
  Node* head_ = new Node;
  Node* tail_ = head_;
};

}  // namespace zoo
