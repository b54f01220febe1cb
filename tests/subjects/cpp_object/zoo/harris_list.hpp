// SPDX-License-Identifier: Apache-2.0
// Harris' list as a sorted set (T. Harris, A Pragmatic Implementation of Non-Blocking Linked-Lists, DISC 2001), with
// Michael's way of unlinking one node at a time (SPAA 2002) and without giving nodes back.
//
// A node is removed in two steps: a mark in its own link, which makes it impossible to insert behind it, and only then
// the link that leads to it. Who meets a marked node takes it out.
//
// The broken twin does not mark: whoever inserts behind a node that is being removed loses the new one.
#pragma once

#include <atomic>
#include <cstdint>

namespace zoo {

enum class HarrisFlaw { kNone, kUnmarked };

template <typename T, HarrisFlaw kFlaw = HarrisFlaw::kNone>
class HarrisList {
 public:
  bool add(T key) {
    Node* node = nullptr;
    for (;;) {
      const Place place = find(key);
      if (place.holds(key)) return false;
      if (node == nullptr) node = new Node{key};
      node->next.store(link(place.node), std::memory_order_relaxed);
      if (exchange(*place.before, link(place.node), link(node))) return true;
    }
  }

  bool remove(T key) {
    for (;;) {
      const Place place = find(key);
      if (!place.holds(key)) return false;
      if constexpr (kFlaw != HarrisFlaw::kUnmarked) {
        if (!exchange(place.node->next, place.next, place.next | kMark)) continue;
        exchange(*place.before, link(place.node), place.next);
        return true;
      } else {
        if (exchange(*place.before, link(place.node), place.next)) return true;
      }
    }
  }

  bool contains(T key) const {
    const Node* node = pointer(first_.load(std::memory_order_acquire));
    while (node != nullptr && node->key < key) node = pointer(node->next.load(std::memory_order_acquire));
    return node != nullptr && node->key == key && !marked(node->next.load(std::memory_order_acquire));
  }

 private:
  using Link = std::uintptr_t;  ///< of a node: where the next one is, and in the lowest bit whether this one is removed
  static constexpr Link kMark = 1;

  struct Node {
    T key;
    std::atomic<Link> next{0};
  };
  /// The first node whose key is not smaller, or nullptr; what leads to it; and what comes after it.
  struct Place {
    std::atomic<Link>* before;
    Node* node;
    Link next;
    bool holds(T key) const { return node != nullptr && node->key == key; }
  };

  static Link link(Node* node) { return reinterpret_cast<Link>(node); }
  static Node* pointer(Link link) { return reinterpret_cast<Node*>(link & ~kMark); }
  static bool marked(Link link) { return (link & kMark) != 0; }
  static bool exchange(std::atomic<Link>& of, Link expected, Link desired) {
    return of.compare_exchange_strong(expected, desired, std::memory_order_acq_rel, std::memory_order_relaxed);
  }

  Place find(T key) {
    for (;;) {
      Place place{&first_, pointer(first_.load(std::memory_order_acquire)), 0};
      while (place.node != nullptr) {
        place.next = place.node->next.load(std::memory_order_acquire);
        if (marked(place.next)) {
          if (!exchange(*place.before, link(place.node), place.next & ~kMark)) break;  // begin anew
        } else if (place.node->key < key) {
          place.before = &place.node->next;
        } else {
          return place;
        }
        place.node = pointer(place.next);
      }
      if (place.node == nullptr) return place;
    }
  }

  std::atomic<Link> first_{0};
};

}  // namespace zoo
