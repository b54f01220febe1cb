// SPDX-License-Identifier: Apache-2.0
// A hash map with striped locks that grows: the growing thread holds all of them.
//
// The bug (Lowe, the hash map with resizing): the table is read before the lock is taken, and not again, so an entry
// put into a table that was replaced meanwhile is lost.
#include <array>
#include <atomic>
#include <linpoint/test.hpp>
#include <memory>
#include <mutex>
#include <vector>

class ResizingMap {
 public:
  void put(int key, int value) {
    bool grow = false;
    {
      const Locked locked(*this, key);
      for (Entry& entry : locked.bucket)
        if (entry.key == key) {
          entry.value = value;
          return;
        }
      locked.bucket.push_back({key, value});
      grow = size_.fetch_add(1) + 1 > static_cast<int>(locked.table.size());
    }
    if (grow) resize();
  }

  bool erase(int key) {
    const Locked locked(*this, key);
    for (Entry& entry : locked.bucket)
      if (entry.key == key) {
        entry = locked.bucket.back();
        locked.bucket.pop_back();
        size_.fetch_sub(1);
        return true;
      }
    return false;
  }

  std::optional<int> get(int key) {
    const Locked locked(*this, key);
    for (const Entry& entry : locked.bucket)
      if (entry.key == key) return entry.value;
    return std::nullopt;
  }

 private:
  struct Entry {
    int key;
    int value;
  };
  using Table = std::vector<std::vector<Entry>>;
  static constexpr std::size_t kStripes = 4;

  /// A bucket, while the lock of its stripe is held.
  struct Locked {
    Locked(ResizingMap& map, int key)
        : table(*lock(map, key)),
          bucket(table[static_cast<std::size_t>(key) % table.size()]),
          stripe(map.stripe(key)) {}
    ~Locked() { stripe.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

    static Table* lock(ResizingMap& map, int key) {
#if defined(LINPOINT_BROKEN)
      Table* table = map.table_.load();
      map.stripe(key).lock();
      return table;
#else
      map.stripe(key).lock();
      return map.table_.load();
#endif
    }

    Table& table;
    std::vector<Entry>& bucket;
    std::mutex& stripe;
  };

  std::mutex& stripe(int key) { return stripes_[static_cast<std::size_t>(key) % kStripes]; }

  void resize() {
    Table* before = table_.load();
    for (std::mutex& each : stripes_) each.lock();
    if (table_.load() == before) {
      tables_.push_back(std::make_unique<Table>(2 * before->size()));
      for (const auto& bucket : *before)
        for (const Entry& entry : bucket)
          (*tables_.back())[static_cast<std::size_t>(entry.key) % tables_.back()->size()].push_back(entry);
      table_.store(tables_.back().get());
    }
    for (std::mutex& each : stripes_) each.unlock();
  }

  std::vector<std::unique_ptr<Table>> tables_ = first();  // old ones stay, so that no freed table is read
  std::atomic<Table*> table_{tables_[0].get()};
  std::array<std::mutex, kStripes> stripes_;
  std::atomic<int> size_{0};

  static std::vector<std::unique_ptr<Table>> first() {
    std::vector<std::unique_ptr<Table>> tables;
    tables.push_back(std::make_unique<Table>(kStripes));
    return tables;
  }
};

struct ResizingMapTest {
  ResizingMap map;
  void put(int key, int value) { map.put(key, value); }
  bool erase(int key) { return map.erase(key); }
  std::optional<int> get(int key) { return map.get(key); }
};
LINPOINT_TEST(ResizingMapTest, put, erase, get)
LINPOINT_VALUES(ResizingMapTest, "put",
                "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31], [1,2,3,4]")
LINPOINT_VALUES(ResizingMapTest, "erase",
                "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31]")
LINPOINT_VALUES(ResizingMapTest, "get",
                "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31]")
