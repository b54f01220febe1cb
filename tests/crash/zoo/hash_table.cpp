// SPDX-License-Identifier: Apache-2.0
// A test in C++ of a hash table in C, hash_table.c, which is built beside it and has the twins.
//
// zoo: spec=map sources=hash_table.c kind=BUG_RESIZE:DL1,C2 BUG_CHAIN:DL1,C2
// zoo: kind=BUG_READ_SLOT:DL3 BUG_READ_GONE:DL3 BUG_READ_LINK:DL3
#include "hash_table.h"

#include <linpoint/crash.hpp>
#include <optional>

namespace {

void* from_pool(void* pool, size_t bytes) { return static_cast<linpoint::Pool*>(pool)->allocate(bytes); }

class HashTable {
 public:
  explicit HashTable(linpoint::Pool& pool) : table_(hash_table_open(pool.root(), from_pool, &pool)) {}

  static HashTable* create(linpoint::Pool& pool) {
    void* root = nullptr;
    hash_table_format(&root, from_pool, &pool);
    pool.set_root(root);
    return new HashTable(pool);
  }
  static HashTable* recover(linpoint::Pool& pool) { return new HashTable(pool); }

  std::optional<int> get(int key) {
    int value = 0;
    if (!hash_table_get(table_, key, &value)) return std::nullopt;
    return value;
  }
  void put(int key, int value) { hash_table_put(table_, key, value); }
  bool remove(int key) { return hash_table_remove(table_, key); }

 private:
  hash_table* table_;
};

}  // namespace

LINPOINT_CRASH_TEST(HashTable, get, put, remove)
