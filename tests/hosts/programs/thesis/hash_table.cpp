// SPDX-License-Identifier: Apache-2.0
// A hash table without collisions, and two threads which each put one value and look for the other's. That both miss is
// no behaviour of a table whose calls are atomic.
//
// -DFENCED makes a put wait until it is seen.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <thread>

namespace {

class HashTable {
 public:
  void put(std::size_t key, int value) {
#ifdef FENCED
    data_[key].store(value);
#else
    data_[key].store(value, std::memory_order_relaxed);
#endif
  }
  int get(std::size_t key) { return data_[key].load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kSize = 64;
  std::atomic<int> data_[kSize]{};
};

}  // namespace

int main() {
  const auto table = std::make_unique<HashTable>();
  bool first_found = false;
  bool second_found = false;
  std::thread first([&] {
    table->put(0, 1);
    first_found = table->get(1) == 2;
  });
  std::thread second([&] {
    table->put(1, 2);
    second_found = table->get(0) == 1;
  });
  first.join();
  second.join();
  std::printf("%d %d\n", first_found ? 1 : 0, second_found ? 1 : 0);
}
