// SPDX-License-Identifier: Apache-2.0
// A Treiber stack that gives nodes back through hazard pointers (M. Michael, Hazard Pointers: Safe Memory Reclamation
// for Lock-Free Objects, TPDS 2004).
//
// Before a thread looks into the top node it says so in its hazard pointer, and then looks whether the node is still
// the top. Who has popped a node frees it when no hazard pointer leads to it, else later.
//
// Broken twins: (1) the thread does not look again: the node may have been popped and freed before anybody could see
// the hazard pointer. (2) The hazard pointer is written by a release store: it may wait in the store buffer while the
// thread looks again. Under sequential consistency nothing is wrong with that.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <stdexcept>

namespace zoo {

enum class HazardFlaw { kNone, kNotLookedAgain, kReleaseStore };

template <typename T, std::size_t kThreads, HazardFlaw kFlaw = HazardFlaw::kNone>
class HazardStack {
 public:
  HazardStack() = default;
  HazardStack(const HazardStack&) = delete;
  HazardStack& operator=(const HazardStack&) = delete;
  ~HazardStack() {
    free_all(top_.load(std::memory_order_relaxed), &Node::next);
    for (Record& record : records_) free_all(record.retired, &Node::retired);
  }

  void push(T value) {
    Node* const node = new Node{value, top_.load(std::memory_order_relaxed)};
    while (!top_.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  std::optional<T> pop() {
    Record& record = own();
    while (Node* node = protected_top(record)) {
      if (top_.compare_exchange_strong(node, node->next)) {
        const T value = node->value;
        record.hazard.store(nullptr, std::memory_order_release);
        retire(record, node);
        return value;
      }
    }
    record.hazard.store(nullptr, std::memory_order_release);
    return std::nullopt;
  }

 private:
  struct Node {
    T value;
    Node* next;
    Node* retired = nullptr;  ///< the next one of those that wait to be freed
  };
  struct Record {
    std::atomic<Node*> hazard{nullptr};
    Node* retired = nullptr;
  };

  /// The top, which nobody frees before the hazard pointer says something else.
  Node* protected_top(Record& record) {
    for (;;) {
      Node* const node = top_.load(std::memory_order_acquire);
      if (node == nullptr) return nullptr;
      record.hazard.store(node,
                          kFlaw == HazardFlaw::kReleaseStore ? std::memory_order_release : std::memory_order_seq_cst);
      if (kFlaw == HazardFlaw::kNotLookedAgain || top_.load() == node) return node;
    }
  }

  void retire(Record& record, Node* node) {
    node->retired = record.retired;
    record.retired = nullptr;
    while (node != nullptr) {
      Node* const next = node->retired;
      if (hazardous(node)) {
        node->retired = record.retired;
        record.retired = node;
      } else {
        delete node;
      }
      node = next;
    }
  }

  bool hazardous(const Node* node) const {
    for (const Record& record : records_)
      if (record.hazard.load() == node) return true;
    return false;
  }

  /// Of the thread, which has one for the time of the stack.
  Record& own() {
    thread_local Owned owned;
    if (owned.stack != number_) owned = {number_, threads_.fetch_add(1, std::memory_order_relaxed)};
    if (owned.record >= kThreads) throw std::length_error("more threads than hazard pointers");
    return records_[owned.record];
  }
  struct Owned {
    unsigned stack = 0;
    std::size_t record = 0;
  };

  static void free_all(Node* node, Node* Node::* next) {
    while (node != nullptr) {
      Node* const freed = node;
      node = node->*next;
      delete freed;
    }
  }

  inline static std::atomic<unsigned> stacks_{0};
  const unsigned number_ = stacks_.fetch_add(1, std::memory_order_relaxed) + 1;
  std::atomic<Node*> top_{nullptr};
  std::atomic<std::size_t> threads_{0};
  std::array<Record, kThreads> records_;
};

}  // namespace zoo
