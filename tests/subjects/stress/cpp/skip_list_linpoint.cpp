// SPDX-License-Identifier: Apache-2.0
// A lazy skip list (Herlihy and Shavit, The Art of Multiprocessor Programming, 14.3) ordered by hashes, which
// collide.
//
// The bug (Lowe, the skip list with hash collisions): after a thread has locked the node before its place, it checks
// whether the next one still has the same hash, not whether it is the same node. Of two keys with one hash that are
// added concurrently, one is lost.
#include <array>
#include <atomic>
#include <linpoint/test.hpp>
#include <mutex>
#include <vector>

class SkipList {
 public:
  SkipList() {
    for (auto& next : head_.next) next.store(&tail_);
    tail_.linked.store(true);
    head_.linked.store(true);
  }
  ~SkipList() {
    for (Node* node = made_.load(); node != nullptr;) delete std::exchange(node, node->made_before);
  }

  bool add(int key) {
    const unsigned levels = levels_of(key);
    for (;;) {
      Path before;
      Path behind;
      if (Node* found = find(key, before, behind)) {
        if (found->removed.load()) continue;
        while (!found->linked.load()) {
        }
        return false;
      }
      const Held held(before, levels);
      bool valid = true;
      for (unsigned level = 0; valid && level < levels; ++level)
        valid = !before[level]->removed.load() && !behind[level]->removed.load() &&
                is_behind(*before[level]->next[level].load(), *behind[level]);
      if (!valid) continue;
      Node* node = made(key, levels);
      for (unsigned level = 0; level < levels; ++level) node->next[level].store(behind[level]);
      for (unsigned level = 0; level < levels; ++level) before[level]->next[level].store(node);
      node->linked.store(true);
      return true;
    }
  }

  bool remove(int key) {
    Path before;
    Path behind;
    Node* victim = find(key, before, behind);
    if (victim == nullptr || !victim->linked.load()) return false;
    const std::lock_guard<std::recursive_mutex> guard(victim->lock);
    if (victim->removed.exchange(true)) return false;
    for (unsigned level = victim->levels; level-- > 0;) unlink(*victim, level);
    return true;
  }

  bool contains(int key) {
    Path before;
    Path behind;
    const Node* found = find(key, before, behind);
    return found != nullptr && found->linked.load() && !found->removed.load();
  }

 private:
  static constexpr unsigned kLevels = 3;
  static constexpr int kHashes = 4;

  struct Node {
    int key = 0;
    int hash = 0;
    unsigned levels = kLevels;
    std::array<std::atomic<Node*>, kLevels> next{};
    std::atomic<bool> removed{false};
    std::atomic<bool> linked{false};
    std::recursive_mutex lock;
    Node* made_before = nullptr;
  };
  using Path = std::array<Node*, kLevels>;

  /// The locks of the nodes before a place, each taken once for every level.
  class Held {
   public:
    Held(const Path& nodes, unsigned levels) : nodes_(nodes), levels_(levels) {
      for (unsigned level = 0; level < levels_; ++level) nodes_[level]->lock.lock();
    }
    ~Held() {
      for (unsigned level = 0; level < levels_; ++level) nodes_[level]->lock.unlock();
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    const Path& nodes_;
    unsigned levels_;
  };

  static int hash_of(int key) { return key % kHashes; }
  static unsigned levels_of(int key) { return 1 + static_cast<unsigned>(key * 7) % kLevels; }

  static bool is_behind(const Node& now, const Node& then) {
#if defined(LINPOINT_BROKEN)
    return now.hash == then.hash;
#else
    return &now == &then;
#endif
  }

  /// The node of a key, if present. Its place is before all nodes with its hash.
  Node* find(int key, Path& before, Path& behind) {
    const int hash = hash_of(key);
    Node* node = &head_;
    for (unsigned level = kLevels; level-- > 0;) {
      Node* next = node->next[level].load();
      while (next->hash < hash) {
        node = next;
        next = node->next[level].load();
      }
      before[level] = node;
      behind[level] = next;
    }
    Node* same = behind[0];
    while (same->hash == hash && same->key != key) same = same->next[0].load();
    return same->hash == hash ? same : nullptr;
  }

  void unlink(Node& victim, unsigned level) {
    while (Node* before = find_before(victim, level)) {
      const std::lock_guard<std::recursive_mutex> guard(before->lock);
      if (before->removed.load() || before->next[level].load() != &victim) continue;
      before->next[level].store(victim.next[level].load());
      return;
    }
  }

  /// The predecessor of a node, if it is still present.
  Node* find_before(const Node& victim, unsigned level) {
    Node* node = &head_;
    Node* next = node->next[level].load();
    while (next != &victim && next->hash <= victim.hash) {
      node = next;
      next = node->next[level].load();
    }
    return next == &victim ? node : nullptr;
  }

  Node* made(int key, unsigned levels) {
    auto* node = new Node;
    node->key = key;
    node->hash = hash_of(key);
    node->levels = levels;
    node->made_before = made_.load();
    while (!made_.compare_exchange_weak(node->made_before, node)) {
    }
    return node;
  }

  Node head_{-1, -1};
  Node tail_{-1, kHashes};
  std::atomic<Node*> made_{nullptr};
};

struct SkipListTest {
  SkipList set;
  bool add(int key) { return set.add(key); }
  bool remove(int key) { return set.remove(key); }
  bool contains(int key) { return set.contains(key); }
};
LINPOINT_TEST(SkipListTest, add, remove, contains)
