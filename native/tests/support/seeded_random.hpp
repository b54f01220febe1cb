// SPDX-License-Identifier: Apache-2.0
// Random numbers for tests: the same each time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace linpoint::tests {

class Dice {
 public:
  explicit Dice(unsigned seed) : rng_(seed) {}
  std::size_t pick(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(rng_); }
  bool one_in(std::size_t bound) { return pick(bound) == 0; }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    std::shuffle(items.begin(), items.end(), rng_);
  }

 private:
  std::mt19937 rng_;
};

}  // namespace linpoint::tests
