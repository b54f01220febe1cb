// SPDX-License-Identifier: Apache-2.0
// The lazy list as a sorted set (Heller, Herlihy, Luchangco, Moir, Scherer, Shavit: A Lazy Concurrent List-Based Set
// Algorithm, OPODIS 2005), without giving nodes back.
//
// Who adds or removes walks without locks, locks the two nodes between which something changes, and looks whether both
// are still there and still neighbours. A removed node is marked before it is unlinked, so that contains() needs no
// lock at all.
//
// The broken twin does not look again: what happened between walking and locking is lost.
#pragma once

#include <atomic>
#include <limits>
#include <mutex>

namespace zoo {

enum class LazyFlaw { kNone, kNotValidated };

template <typename T, LazyFlaw kFlaw = LazyFlaw::kNone>
class LazyList {
 public:
  bool add(T key) {
    for (;;) {
      const Neighbours at = find(key);
      const std::scoped_lock guard(at.before->mutex);
      const std::scoped_lock second(at.node->mutex);
      if (!valid(at)) continue;
      if (at.node->key == key) return false;
      at.before->next.store(new Node{key, at.node}, std::memory_order_release);
      return true;
    }
  }

  bool remove(T key) {
    for (;;) {
      const Neighbours at = find(key);
      const std::scoped_lock guard(at.before->mutex);
      const std::scoped_lock second(at.node->mutex);
      if (!valid(at)) continue;
      if (at.node->key != key) return false;
      at.node->marked.store(true, std::memory_order_release);
      at.before->next.store(at.node->next.load(std::memory_order_relaxed), std::memory_order_release);
      return true;
    }
  }

  bool contains(T key) const {
    const Node* const node = find(key).node;
    return node->key == key && !node->marked.load(std::memory_order_acquire);
  }

 private:
  struct Node {
    const T key;
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> marked{false};
    std::mutex mutex{};
  };
  /// The last node with a smaller key, and the one after it.
  struct Neighbours {
    Node* before;
    Node* node;
  };

  Neighbours find(T key) const {
    Neighbours at{first_, first_->next.load(std::memory_order_acquire)};
    while (at.node->key < key) at = {at.node, at.node->next.load(std::memory_order_acquire)};
    return at;
  }

  static bool valid(const Neighbours& at) {
    if constexpr (kFlaw == LazyFlaw::kNotValidated) return true;
    return !at.before->marked.load(std::memory_order_relaxed) && !at.node->marked.load(std::memory_order_relaxed) &&
           at.before->next.load(std::memory_order_relaxed) == at.node;
  }

  Node* const last_ = new Node{std::numeric_limits<T>::max()};
  Node* const first_ = new Node{std::numeric_limits<T>::min(), last_};
};

}  // namespace zoo
