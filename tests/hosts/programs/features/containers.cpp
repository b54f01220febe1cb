// SPDX-License-Identifier: Apache-2.0
// The standard library around: strings, maps, vectors, output.
#include <cassert>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::map<std::string, std::vector<int>> table;

void add(const std::string& key, int value) {
  const std::lock_guard guard(mutex);
  table[key].push_back(value);
}

}  // namespace

int main() {
  std::thread other(add, "a long key that needs memory of its own", 1);
  add("a long key that needs memory of its own", 2);
  other.join();
  assert(table.begin()->second.size() == 2);
  std::cout << table.begin()->second.front() << '\n';
}
