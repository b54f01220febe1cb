// SPDX-License-Identifier: Apache-2.0
// Valois' list as a sorted set (J. Valois, Lock-Free Linked Lists Using Compare-and-Swap, PODC 1995), without its
// reference counts: nodes are not given back.
//
// Between two cells there is always an auxiliary node. To insert or delete is to exchange one pointer of an auxiliary
// node, and an auxiliary node whose cell is deleted stays in the list, so that nothing is lost that is inserted behind
// it. Deleting leaves rows of auxiliary nodes, which are made short again by whoever passes.
//
// The broken twin is the one of the thesis on Codex (Dabdoub, MIT 2013, section 4.2.2): the exchange is a look and,
// when the value is the expected one, a store. Of two who change the same place, one is lost.
#pragma once

#include <atomic>
#include <cstdint>

namespace zoo {

enum class ValoisFlaw { kNone, kConditionalStore };

template <typename T, ValoisFlaw kFlaw = ValoisFlaw::kNone>
class ValoisList {
 public:
  bool add(T key) {
    Node* cell = nullptr;
    for (Cursor at = find(key);; find_from(at, key)) {
      if (at.target->kind == Kind::kCell && at.target->key == key) return false;
      if (cell == nullptr) cell = new Node{Kind::kCell, key, new Node{Kind::kAuxiliary}};
      cell->next.load(std::memory_order_relaxed)->next.store(at.target, std::memory_order_relaxed);
      if (exchange(at.auxiliary->next, at.target, cell)) return true;
      update(at);
    }
  }

  bool remove(T key) {
    for (Cursor at = find(key);; find_from(at, key)) {
      if (at.target->kind != Kind::kCell || at.target->key != key) return false;
      if (try_delete(at)) return true;
      update(at);
    }
  }

  bool contains(T key) {
    const Cursor at = find(key);
    return at.target->kind == Kind::kCell && at.target->key == key;
  }

 private:
  enum class Kind : std::uint8_t { kCell, kAuxiliary, kFirst, kLast };
  struct Node {
    Kind kind;
    T key{};
    std::atomic<Node*> next{nullptr};
    std::atomic<Node*> back_link{nullptr};  ///< of a deleted cell: the one before it
  };
  /// A cell, the auxiliary node after it, and what that one leads to: a cell, or the end.
  struct Cursor {
    Node* cell;
    Node* auxiliary;
    Node* target;
  };

  static bool exchange(std::atomic<Node*>& of, Node* expected, Node* desired) {
    if constexpr (kFlaw == ValoisFlaw::kConditionalStore) {
      if (of.load(std::memory_order_acquire) != expected) return false;
      of.store(desired, std::memory_order_release);
      return true;
    } else {
      return of.compare_exchange_strong(expected, desired, std::memory_order_acq_rel, std::memory_order_relaxed);
    }
  }

  static Node* after(const Node* node) { return node->next.load(std::memory_order_acquire); }
  static bool auxiliary(const Node* node) { return node->kind == Kind::kAuxiliary; }

  Cursor find(T key) {
    Cursor at{first_, after(first_), nullptr};
    update(at);
    find_from(at, key);
    return at;
  }

  /// Walks on to the first cell whose key is not smaller.
  static void find_from(Cursor& at, T key) {
    while (at.target->kind == Kind::kCell && at.target->key < key) {
      at = {at.target, after(at.target), nullptr};
      update(at);
    }
  }

  /// Moves the cursor behind all auxiliary nodes, and takes out those before the last.
  static void update(Cursor& at) {
    at.target = after(at.auxiliary);
    while (auxiliary(at.target)) {
      exchange(at.cell->next, at.auxiliary, at.target);
      at.auxiliary = at.target;
      at.target = after(at.auxiliary);
    }
  }

  static bool try_delete(const Cursor& at) {
    Node* next = after(at.target);
    if (!exchange(at.auxiliary->next, at.target, next)) return false;
    at.target->back_link.store(at.cell, std::memory_order_release);
    // The last cell before it that is not deleted: what is behind that one can be made short.
    Node* cell = at.cell;
    while (Node* const back = cell->back_link.load(std::memory_order_acquire)) cell = back;
    Node* seen = after(cell);
    for (Node* further = after(next); auxiliary(further); further = after(next)) next = further;
    while (!exchange(cell->next, seen, next)) {
      seen = after(cell);
      if (cell->back_link.load(std::memory_order_acquire) != nullptr || auxiliary(after(next))) break;
    }
    return true;
  }

  Node* const last_ = new Node{Kind::kLast};
  Node* const first_ = new Node{Kind::kFirst, T{}, new Node{Kind::kAuxiliary, T{}, last_}};
};

}  // namespace zoo
