// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <linpoint/test.hpp>
#include <optional>

#include "hash_table.hpp"
#include "twin.hpp"

struct HashTableTest {
  zoo::HashTable<2, zoo::kTwin<zoo::HashTableFlaw>> table;
  void put(std::size_t key, int value) { table.put(key, value); }
  std::optional<int> get(std::size_t key) { return table.get(key); }
};
LINPOINT_TEST(HashTableTest, put, get)
LINPOINT_VALUES(HashTableTest, "put", "[0, 1], [1, 2]")
LINPOINT_VALUES(HashTableTest, "get", "[0, 1]")
