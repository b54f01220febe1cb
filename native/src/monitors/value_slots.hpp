// SPDX-License-Identifier: Apache-2.0
// A slot for each number of a value: an array where the numbers are dense, else a hash map.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"

namespace linpoint::monitors {

class Slots {
 public:
  /// For the numbers that `number` returns for each of `items`. Slots begin with kNone.
  template <typename Items, typename Number>
  Slots(const Items& items, Number number) {
    std::int64_t least = std::numeric_limits<std::int32_t>::max();
    std::int64_t most = std::numeric_limits<std::int32_t>::min();
    std::int64_t count = 0;
    for (const auto& item : items) {
      const std::int64_t value = number(item);
      least = std::min(least, value);
      most = std::max(most, value);
      ++count;
    }
    if (count == 0 || most - least >= 8 * count + 64) return;
    least_ = least;
    dense_.assign(static_cast<std::size_t>(most - least + 1), histories::kNone);
  }

  std::int32_t& operator[](std::int32_t number) {
    if (!dense_.empty()) return dense_[static_cast<std::size_t>(number - least_)];
    return sparse_.try_emplace(number, histories::kNone).first->second;
  }

 private:
  std::int64_t least_ = 0;
  std::vector<std::int32_t> dense_;
  std::unordered_map<std::int32_t, std::int32_t> sparse_;
};

}  // namespace linpoint::monitors
