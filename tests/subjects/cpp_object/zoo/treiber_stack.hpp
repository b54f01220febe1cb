// SPDX-License-Identifier: Apache-2.0
// Treiber's stack (R. K. Treiber, Systems Programming: Coping with Parallelism, IBM 1986), with counted pointers.
//
// Pushing and popping exchange the pointer to the top. The stack keeps one popped node for the next push, so nodes come
// back: the pointer carries a count of its changes in the 16 bits that addresses of x86-64 do not use.
//
// The broken twin does not count. A pop that has read the top A and what is beneath it, B, can be overtaken by others
// that pop both and push A again; its exchange then succeeds and brings back B, which was popped (the ABA problem).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace zoo {

enum class TreiberFlaw { kNone, kUncounted };

template <typename T, TreiberFlaw kFlaw = TreiberFlaw::kNone>
class TreiberStack {
 public:
  void push(T value) {
    Node* node = spare_.exchange(nullptr, std::memory_order_acquire);
    if (node == nullptr) node = new Node;
    node->value = value;
    Counted top = top_.load(std::memory_order_relaxed);
    do {
      node->next.store(pointer(top), std::memory_order_relaxed);
    } while (
        !top_.compare_exchange_weak(top, counted(node, top), std::memory_order_release, std::memory_order_relaxed));
  }

  std::optional<T> pop() {
    Counted top = top_.load(std::memory_order_acquire);
    while (Node* node = pointer(top)) {
      Node* next = node->next.load(std::memory_order_relaxed);
      if (top_.compare_exchange_weak(top, counted(next, top), std::memory_order_acquire)) {
        const T value = node->value;
        keep(node);
        return value;
      }
    }
    return std::nullopt;
  }

 private:
  struct Node {
    T value{};
    std::atomic<Node*> next{nullptr};  ///< atomic: read by those who are late, when the node is in use again
  };
  using Counted = std::uint64_t;
  static constexpr unsigned kBits = 48;
  static constexpr Counted kPointer = (Counted{1} << kBits) - 1;

  static Node* pointer(Counted word) { return reinterpret_cast<Node*>(word & kPointer); }
  static Counted counted(Node* node, Counted before) {
    const Counted count = kFlaw == TreiberFlaw::kUncounted ? 0 : (before >> kBits) + 1;
    return reinterpret_cast<Counted>(node) | count << kBits;
  }

  /// A second one stays as it is: those who are late may look at it.
  void keep(Node* node) {
    Node* none = nullptr;
    spare_.compare_exchange_strong(none, node, std::memory_order_release, std::memory_order_relaxed);
  }

  std::atomic<Counted> top_{0};
  std::atomic<Node*> spare_{nullptr};
};

}  // namespace zoo
