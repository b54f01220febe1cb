// SPDX-License-Identifier: Apache-2.0
// linpoint: --spec map
//
// libcuckoo::cuckoohash_map: two buckets for each key, with a spin lock for each.
#include <libcuckoo/cuckoohash_map.hh>
#include <linpoint/test.hpp>
#include <optional>

struct CuckooMap {
  libcuckoo::cuckoohash_map<int, int> map{4};

  bool insert(int key, int value) { return map.insert(key, value); }
  bool erase(int key) { return map.erase(key); }
  std::optional<int> get(int key) {
    int value = 0;
    if (!map.find(key, value)) return std::nullopt;
    return value;
  }
};
LINPOINT_TEST(CuckooMap, insert, erase, get)
LINPOINT_VALUES(CuckooMap, "insert", "[1], [1, 2]")
LINPOINT_VALUES(CuckooMap, "erase", "[1]")
LINPOINT_VALUES(CuckooMap, "get", "[1]")
