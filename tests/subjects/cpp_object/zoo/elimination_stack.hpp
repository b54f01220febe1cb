// SPDX-License-Identifier: Apache-2.0
// An elimination stack (Hendler, Shavit, Yerushalmi, SPAA 2004), reduced to one place where a push and a pop can meet.
//
// A push whose exchange on the stack fails offers its value there for a moment, and a pop takes it when its own
// exchange fails or the stack is empty: together they leave the stack as it was.
//
// The broken twin withdraws its offer by a store. A pop that has taken it in between goes unnoticed, and the value is
// pushed as well.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace zoo {

enum class EliminationFlaw { kNone, kWithdrawnByStore };

template <typename T, EliminationFlaw kFlaw = EliminationFlaw::kNone>
class EliminationStack {
 public:
  void push(T value) {
    Node* const node = new Node{value};
    Node* top = top_.load(std::memory_order_relaxed);
    for (;;) {
      node->next = top;
      if (top_.compare_exchange_strong(top, node, std::memory_order_release, std::memory_order_relaxed)) return;
      if (taken(node)) return;
      top = top_.load(std::memory_order_relaxed);
    }
  }

  std::optional<T> pop() {
    for (;;) {
      Node* top = top_.load(std::memory_order_acquire);
      if (top != nullptr && top_.compare_exchange_strong(top, top->next, std::memory_order_acquire)) return top->value;
      const bool empty = top == nullptr;
      if (Node* const offer = take(); offer != nullptr) return offer->value;
      if (empty) return std::nullopt;
    }
  }

 private:
  struct Node {
    T value{};
    Node* next = nullptr;
  };

  /// Offers the node, and says whether a pop took it.
  bool taken(Node* node) {
    Node* seen = nullptr;
    if (!offer_.compare_exchange_strong(seen, node, std::memory_order_release, std::memory_order_relaxed)) return false;
    if constexpr (kFlaw == EliminationFlaw::kWithdrawnByStore) {
      seen = offer_.load(std::memory_order_relaxed);
      offer_.store(nullptr, std::memory_order_relaxed);
      return seen != node;
    } else {
      seen = node;
      if (offer_.compare_exchange_strong(seen, nullptr, std::memory_order_relaxed)) return false;
      offer_.store(nullptr, std::memory_order_release);
      return true;
    }
  }

  Node* take() {
    Node* offer = offer_.load(std::memory_order_acquire);
    if (offer == nullptr || offer == &taken_) return nullptr;
    return offer_.compare_exchange_strong(offer, &taken_, std::memory_order_acquire) ? offer : nullptr;
  }

  std::atomic<Node*> top_{nullptr};
  std::atomic<Node*> offer_{nullptr};  ///< nothing, a node, or `taken_` until whoever offered has seen it
  Node taken_;
};

}  // namespace zoo
