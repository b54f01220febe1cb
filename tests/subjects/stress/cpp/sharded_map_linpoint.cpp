// SPDX-License-Identifier: Apache-2.0
// A map of shards: writers take the lock of a shard, readers take none.
//
// The bug (Lowe, the sharded map with lock-free reads): deleting an entry moves the later ones back by one place, and a
// reader that passed the new place before the move and reaches the old one after it misses an entry that was present
// all the time. The correct map counts changes, and a reader that met one searches again.
#include <array>
#include <atomic>
#include <linpoint/test.hpp>
#include <mutex>

class ShardedMap {
 public:
  void put(int key, int value) {
    Shard& shard = of(key);
    const std::lock_guard<std::mutex> guard(shard.lock);
    const Change change(shard);
    std::size_t at = 0;
    const std::size_t count = shard.count.load();
    while (at < count && shard.entries[at].key.load() != key) ++at;
    shard.entries[at].key.store(key);
    shard.entries[at].value.store(value);
    if (at == count) shard.count.store(count + 1);
  }

  bool erase(int key) {
    Shard& shard = of(key);
    const std::lock_guard<std::mutex> guard(shard.lock);
    const std::size_t count = shard.count.load();
    std::size_t at = 0;
    while (at < count && shard.entries[at].key.load() != key) ++at;
    if (at == count) return false;
    const Change change(shard);
    for (; at + 1 < count; ++at) {
      shard.entries[at].value.store(shard.entries[at + 1].value.load());
      shard.entries[at].key.store(shard.entries[at + 1].key.load());
    }
    shard.count.store(count - 1);
    return true;
  }

  std::optional<int> get(int key) {
    Shard& shard = of(key);
    for (;;) {
      const unsigned before = shard.changes.load();
      const std::optional<int> found = look(shard, key);
#if defined(LINPOINT_BROKEN)
      (void)before;
      return found;
#else
      if (before % 2 == 0 && shard.changes.load() == before) return found;
#endif
    }
  }

 private:
  static constexpr std::size_t kShards = 2;
  static constexpr std::size_t kMost = 32;

  struct Entry {
    std::atomic<int> key{0};
    std::atomic<int> value{0};
  };
  struct Shard {
    std::mutex lock;
    std::atomic<unsigned> changes{0};  // odd during a change
    std::atomic<std::size_t> count{0};
    std::array<Entry, kMost> entries;
  };
  struct Change {
    explicit Change(Shard& shard) : changes(shard.changes) { changes.fetch_add(1); }
    ~Change() { changes.fetch_add(1); }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;
    std::atomic<unsigned>& changes;
  };

  Shard& of(int key) { return shards_[static_cast<std::size_t>(key) % kShards]; }

  static std::optional<int> look(Shard& shard, int key) {
    const std::size_t count = shard.count.load();
    for (std::size_t at = 0; at < count; ++at)
      if (shard.entries[at].key.load() == key) return shard.entries[at].value.load();
    return std::nullopt;
  }

  std::array<Shard, kShards> shards_;
};

struct ShardedMapTest {
  ShardedMap map;
  void put(int key, int value) { map.put(key, value); }
  bool erase(int key) { return map.erase(key); }
  std::optional<int> get(int key) { return map.get(key); }
};
LINPOINT_TEST(ShardedMapTest, put, erase, get)
