// SPDX-License-Identifier: Apache-2.0
// A skip list as a set. Only the bottom level is durable; those above it are rebuilt by recovery.
//
// zoo: spec=set kind=BUG_BOTTOM:C2,DL1 BUG_NODE:DL1,C2
// scenario: BUG_BOTTOM add(1)
// scenario: BUG_NODE add(1)
//
// An element is in the set if the bottom level leads to it. The links above only say where to begin to look, so they
// are never flushed. But the cache may write them back whenever it likes, so after a crash they lead anywhere: recovery
// must not trust them. Memory is taken from the pool by an allocator of our own that knows nothing of crashes: its
// cursor is found again behind the last node that the bottom level leads to, and nodes that were lost are used again.
// The fence is the one of C++, which a compiler makes an mfence or a locked instruction. Writers take a lock.
#include <immintrin.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <linpoint/crash.hpp>
#include <mutex>

namespace {

constexpr int kLevels = 6;

struct alignas(64) Node {
  int key;
  int levels;
  std::atomic<Node*> next[kLevels];
};

__attribute__((target("clwb"))) void flush(void* line) { _mm_clwb(line); }
void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

class SkipList {
 public:
  // The first node of the pool is before all others, and has all levels.
  explicit SkipList(linpoint::Pool& pool)
      : head_(static_cast<Node*>(pool.base())), cursor_(head_ + 1), end_(head_ + pool.size() / sizeof(Node)) {}

  static SkipList* create(linpoint::Pool& pool) { return new SkipList(pool); }  // the memory is zero, which is empty

  static SkipList* recover(linpoint::Pool& pool) {
    auto* list = new SkipList(pool);
    Node* last[kLevels];
    for (auto& each : last) each = list->head_;
    for (Node* node = list->head_->next[0].load(); node != nullptr; node = node->next[0].load()) {
      for (int level = 1; level < node->levels; ++level) {
        last[level]->next[level].store(node, std::memory_order_relaxed);
        last[level] = node;
      }
      if (node >= list->cursor_) list->cursor_ = node + 1;
    }
    for (int level = 1; level < kLevels; ++level) last[level]->next[level].store(nullptr, std::memory_order_relaxed);
    return list;
  }

  bool add(int key) {
    const std::lock_guard guard(lock_);
    Node* before[kLevels];
    Node* after = find(key, before);
    if (after != nullptr && after->key == key) return false;
    if (cursor_ == end_) std::abort();  // full
    Node* node = cursor_++;
    node->key = key;                                        // blame: BUG_NODE DL1
    node->levels = levels_of(key);                          // blame: BUG_NODE DL1
    node->next[0].store(after, std::memory_order_relaxed);  // blame: BUG_NODE DL1
    for (int level = 1; level < node->levels; ++level)
      node->next[level].store(before[level]->next[level].load(), std::memory_order_relaxed);
#ifndef BUG_NODE
    flush(node);
    fence();
#endif
    before[0]->next[0].store(node, std::memory_order_release);  // blame: BUG_BOTTOM C2
#ifndef BUG_BOTTOM
    flush(&before[0]->next[0]);
    fence();
#endif
    for (int level = 1; level < node->levels; ++level)
      before[level]->next[level].store(node, std::memory_order_release);
    return true;
  }

  bool remove(int key) {
    const std::lock_guard guard(lock_);
    Node* before[kLevels];
    Node* node = find(key, before);
    if (node == nullptr || node->key != key) return false;
    for (int level = node->levels - 1; level > 0; --level)  // from above, so that no one is led to what is gone
      if (before[level]->next[level].load() == node)
        before[level]->next[level].store(node->next[level].load(), std::memory_order_release);
    before[0]->next[0].store(node->next[0].load(), std::memory_order_release);
    flush(&before[0]->next[0]);
    fence();
    return true;
  }

  bool contains(int key) {
    Node* before[kLevels];
    const Node* node = find(key, before);
    flush(&before[0]->next[0]);  // what the answer rests on
    fence();
    return node != nullptr && node->key == key;
  }

 private:
  // The first node with this key or a greater one, and the nodes before it.
  Node* find(int key, Node** before) const {
    Node* at = head_;
    Node* next = nullptr;
    for (int level = kLevels - 1; level >= 0; --level) {
      while ((next = at->next[level].load(std::memory_order_acquire)) != nullptr && next->key < key) at = next;
      before[level] = at;
    }
    return next;
  }

  // Every second key has two levels, every fourth three, and so on.
  static int levels_of(int key) {
    const std::uint32_t mixed = static_cast<std::uint32_t>(key) * 0x9E3779B1U;
    int levels = 1;
    while (levels < kLevels && (mixed >> (32 - levels) & 1U) == 0) ++levels;
    return levels;
  }

  Node* head_;
  Node* cursor_;
  Node* end_;
  std::mutex lock_;
};

}  // namespace

LINPOINT_CRASH_TEST(SkipList, add, remove, contains)
