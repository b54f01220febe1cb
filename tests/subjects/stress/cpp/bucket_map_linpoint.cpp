// SPDX-License-Identifier: Apache-2.0
// A hash map of buckets with a lock each, which searches for a key before it takes the lock.
//
// The bug (Lowe, Testing for Linearizability, the map of five operations): an update that has not found its key inserts
// it in front without searching again, so a key may occur twice. Deleting it uncovers the older one.
#include <array>
#include <atomic>
#include <linpoint/test.hpp>
#include <mutex>

class BucketMap {
 public:
  ~BucketMap() {
    for (Bucket& bucket : buckets_)
      for (Node* node = bucket.all; node != nullptr;) delete std::exchange(node, node->made_before);
  }

  void update(int key, int value) {
    Bucket& bucket = of(key);
    if (Node* node = find(bucket, key)) return node->value.store(value);
    const std::lock_guard<std::mutex> guard(bucket.lock);
#if !defined(LINPOINT_BROKEN)
    if (Node* node = find(bucket, key)) return node->value.store(value);
#endif
    auto* node = new Node{key, {value}, {bucket.first.load()}, bucket.all};
    bucket.all = node;
    bucket.first.store(node);
  }

  void erase(int key) {
    Bucket& bucket = of(key);
    const std::lock_guard<std::mutex> guard(bucket.lock);
    for (std::atomic<Node*>* link = &bucket.first; Node* node = link->load(); link = &node->next) {
      if (node->key != key) continue;
      link->store(node->next.load());
      return;
    }
  }

  std::optional<int> get(int key) {
    const Node* node = find(of(key), key);
    return node == nullptr ? std::nullopt : std::optional<int>(node->value.load());
  }

 private:
  struct Node {
    int key;
    std::atomic<int> value;
    std::atomic<Node*> next;
    Node* made_before;  // so that no freed node is read
  };
  struct Bucket {
    std::mutex lock;
    std::atomic<Node*> first{nullptr};
    Node* all = nullptr;
  };

  Bucket& of(int key) { return buckets_[static_cast<unsigned>(key) % buckets_.size()]; }
  static Node* find(Bucket& bucket, int key) {
    Node* node = bucket.first.load();
    while (node != nullptr && node->key != key) node = node->next.load();
    return node;
  }

  std::array<Bucket, 4> buckets_;
};

struct BucketMapTest {
  BucketMap map;
  void update(int key, int value) { map.update(key, value); }
  void erase(int key) { map.erase(key); }
  std::optional<int> get(int key) { return map.get(key); }
};
LINPOINT_TEST(BucketMapTest, (update, "put"), erase, get)
