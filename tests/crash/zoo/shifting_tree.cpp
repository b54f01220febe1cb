// SPDX-License-Identifier: Apache-2.0
// A B+-tree whose sorted nodes shift their entries in place, word by word, as FAST and FAIR does.
//
// zoo: spec=map kind=BUG_READER:DL3 BUG_GONE:DL3 BUG_SHIFT:DL1 BUG_BACK:DL1
// zoo: kind=BUG_REMOVE:C2,DL1 BUG_REPAIR:DL2,DL1 BUG_SPLIT:DL2,DL1
// scenario: BUG_READER insert(1, 1) | get(1)
// scenario: BUG_GONE insert(1, 1); remove(1) | get(1)
// scenario: BUG_SHIFT insert(5, 5); insert(4, 4); insert(3, 3); insert(2, 2); insert(1, 1)
// scenario: BUG_BACK insert(1, 1); insert(2, 2); insert(3, 3); insert(4, 4); insert(5, 5); remove(1)
// scenario: BUG_REMOVE insert(1, 1); remove(1)
// scenario: BUG_REPAIR insert(2, 2); insert(3, 3); insert(1, 1)
// scenario: BUG_SPLIT insert(1, 1); insert(2, 2); insert(3, 3); insert(4, 4); insert(5, 5); insert(6, 6); insert(7, 7)
//
// An entry is one word: a pointer to a record that never changes, or to a node below. A shift copies entries to their
// neighbours one after the other, so at every moment each entry is there, some of them twice; before it goes on to the
// next line, the one that has the copy is made durable. Recovery removes what is there twice.
// A split copies the upper half to a new node, makes the parent point to that, durably, and only then cuts the lower
// node off; recovery cuts where the parent says so. Siblings are for readers that came too far to the left. They are
// rebuilt by recovery and never flushed. Writers take a lock. Readers do not: they scan in the direction of the shifts.
// The twins have the shape of the published bugs of FAST and FAIR (Durinn, OSDI 2022, bugs 8 to 12).
#include <atomic>
#include <cstdint>
#include <limits>
#include <linpoint/crash.hpp>
#include <mutex>
#include <optional>

namespace {

struct Keyed {
  std::int64_t key;  // of a record; of a node, the least key that belongs below it
};
struct Record : Keyed {
  int value;
};
constexpr int kEntries = 6;  // four in the first line of a node, two in the second
struct Node : Keyed {
  std::int64_t level;                   // 0: a leaf
  std::atomic<Node*> sibling;           // not durable
  std::atomic<std::uint64_t> removing;  // odd: entries move to the left, even: to the right; not durable
  std::atomic<Keyed*> entry[kEntries];
};

void flush(void* line) { __asm__ volatile("clflush %0" : "+m"(*static_cast<volatile char*>(line))::"memory"); }
void fence() { __asm__ volatile("mfence" ::: "memory"); }
void flush_node(Node* node) {
  flush(node);
  flush(&node->entry[4]);
  fence();
}
bool begins_line(void* word) { return reinterpret_cast<std::uintptr_t>(word) % 64 == 0; }

class ShiftingTree {
 public:
  explicit ShiftingTree(linpoint::Pool& pool) : pool_(&pool), root_(static_cast<std::atomic<Node*>*>(pool.root())) {}

  static ShiftingTree* create(linpoint::Pool& pool) {
    auto* root = static_cast<std::atomic<Node*>*>(pool.allocate(sizeof(std::atomic<Node*>)));
    auto* leaf = static_cast<Node*>(pool.allocate(sizeof(Node)));
    leaf->key = std::numeric_limits<std::int64_t>::min();
    flush_node(leaf);
    root->store(leaf);
    flush(root);
    fence();
    pool.set_root(root);
    return new ShiftingTree(pool);
  }

  static ShiftingTree* recover(linpoint::Pool& pool) {
    auto* tree = new ShiftingTree(pool);
    Node* before[64] = {};
    tree->repair(tree->root_->load(), std::numeric_limits<std::int64_t>::max(), before);
    return tree;
  }

  std::optional<int> get(int key) {
    Node* node = descend(key, 0);
    const auto* found = static_cast<const Record*>(search(node, key));
    while (found == nullptr) {  // has it moved to the right while we were here?
      Node* next = node->sibling.load();
      if (next == nullptr || key < next->key) break;
      node = next;
      found = static_cast<const Record*>(search(node, key));
    }
#ifdef BUG_GONE
    if (found != nullptr) flush_node(node);  // as if what is gone could not come back
#elif !defined(BUG_READER)
    flush_node(node);  // what was seen there, or no longer seen, may be in the cache only
#endif
    return found == nullptr ? std::nullopt : std::optional(found->value);
  }

  bool insert(int key, int value) {
    const std::lock_guard guard(lock_);
    Node* leaf = descend(key, 0);
    if (search(leaf, key) != nullptr) return false;
    if (leaf->entry[kEntries - 1].load() != nullptr) {
      split(leaf);
      leaf = descend(key, 0);
    }
    auto* record = static_cast<Record*>(pool_->allocate(sizeof(Record)));
    record->key = key;
    record->value = value;
    flush(record);
    fence();
    insert_entry(leaf, record);
    return true;
  }

  bool remove(int key) {
    const std::lock_guard guard(lock_);
    Node* leaf = descend(key, 0);
    for (int at = 0; at < kEntries; ++at) {
      const Keyed* each = leaf->entry[at].load();
      if (each == nullptr || each->key != key) continue;
      remove_entry(leaf, at);
      return true;
    }
    return false;
  }

 private:
  // The node of a level under which a key belongs.
  Node* descend(std::int64_t key, std::int64_t level) {
    Node* node = root_->load();
    for (;;) {
      Node* next = node->sibling.load();
      if (next != nullptr && next->key <= key) {
        node = next;
      } else if (node->level == level) {
        return node;
      } else {
        Keyed* best = nullptr;  // children are only ever added, so all that were there are seen
        for (auto& entry : node->entry) {
          Keyed* each = entry.load();
          if (each != nullptr && each->key <= key && (best == nullptr || each->key > best->key)) best = each;
        }
        if (best != nullptr) node = static_cast<Node*>(best);  // else it was cut off meanwhile: go to the right
      }
    }
  }

  static Keyed* search(Node* node, std::int64_t key) {
    for (;;) {
      const std::uint64_t before = node->removing.load();
      Keyed* found = nullptr;
      for (int step = 0; step < kEntries && found == nullptr; ++step) {
        Keyed* each = node->entry[before % 2 == 0 ? step : kEntries - 1 - step].load();
        if (each != nullptr && each->key == key) found = each;
      }
      if (node->removing.load() == before) return found;
    }
  }

  static void insert_entry(Node* node, Keyed* added) {  // into one that has room
    if (node->removing.load() % 2 == 1) node->removing.fetch_add(1);
    int at = 0;
    while (node->entry[at].load() != nullptr) ++at;
    for (; at > 0 && node->entry[at - 1].load()->key > added->key; --at) {
      Keyed* moved = node->entry[at - 1].load();
      node->entry[at].store(moved, std::memory_order_release);  // blame: BUG_SHIFT DL1; BUG_REPAIR DL2
#ifndef BUG_SHIFT
      if (begins_line(&node->entry[at])) flush_node(node);
#endif
    }
    // point: next line
    node->entry[at].store(added, std::memory_order_release);  // blame: BUG_READER DL3; completes: BUG_REPAIR BUG_SPLIT
    flush_node(node);
  }

  static void remove_entry(Node* node, int at) {
    if (node->removing.load() % 2 == 0) node->removing.fetch_add(1);
    for (; at < kEntries && node->entry[at].load() != nullptr; ++at) {
      Keyed* next = at + 1 < kEntries ? node->entry[at + 1].load() : nullptr;
      auto& left = node->entry[at];
      // point: next line
      left.store(next, std::memory_order_release);  // blame: BUG_READER DL3; BUG_GONE DL3; BUG_REMOVE C2; BUG_BACK DL1
#ifndef BUG_BACK
      if (at + 1 < kEntries && begins_line(&node->entry[at + 1])) flush_node(node);
#endif
    }
#ifndef BUG_REMOVE
    flush_node(node);
#endif
  }

  static void cut(Node* node, std::int64_t end) {  // drops the entries from this key on
    for (int at = kEntries - 1; at >= 0; --at)
      if (const Keyed* each = node->entry[at].load(); each != nullptr && each->key >= end)
        node->entry[at].store(nullptr, std::memory_order_release);  // blame: BUG_SPLIT DL2
    flush_node(node);
  }

  void split(Node* node) {
    auto* right = static_cast<Node*>(pool_->allocate(sizeof(Node)));
    for (int at = kEntries / 2; at < kEntries; ++at) right->entry[at - kEntries / 2].store(node->entry[at].load());
    right->key = right->entry[0].load()->key;
    right->level = node->level;
    right->sibling.store(node->sibling.load());
    flush_node(right);
    node->sibling.store(right);
#ifdef BUG_SPLIT
    cut(node, right->key);  // no parent knows the other half yet
#endif
    if (node == root_->load()) {
      auto* top = static_cast<Node*>(pool_->allocate(sizeof(Node)));
      top->key = node->key;
      top->level = node->level + 1;
      top->entry[0].store(node);
      top->entry[1].store(right);
      flush_node(top);
      root_->store(top, std::memory_order_release);  // point; completes: BUG_SPLIT
      flush(root_);
      fence();
    } else {
      Node* parent = descend(right->key, node->level + 1);
      if (parent->entry[kEntries - 1].load() != nullptr) {
        split(parent);
        parent = descend(right->key, node->level + 1);
      }
      insert_entry(parent, right);
    }
    cut(node, right->key);
  }

  // Ends what a crash has cut off in a node and below it: all keys there are less than `end`. Doing it twice does no
  // harm, nor does a crash in between.
  static void repair(Node* node, std::int64_t end, Node** before) {
#ifndef BUG_REPAIR
    for (int at = kEntries - 1; at > 0; --at)
      if (node->entry[at].load() != nullptr && node->entry[at].load() == node->entry[at - 1].load())
        remove_entry(node, at);
#endif
    cut(node, end);
    node->sibling.store(nullptr);
    if (before[node->level] != nullptr) before[node->level]->sibling.store(node);
    before[node->level] = node;
    for (int at = 0; node->level > 0 && at < kEntries && node->entry[at].load() != nullptr; ++at) {
      const Keyed* next = at + 1 < kEntries ? node->entry[at + 1].load() : nullptr;
      repair(static_cast<Node*>(node->entry[at].load()), next == nullptr ? end : next->key, before);
    }
  }

  linpoint::Pool* pool_;
  std::atomic<Node*>* root_;
  std::mutex lock_;
};

}  // namespace

LINPOINT_CRASH_TEST(ShiftingTree, insert, get, remove)
