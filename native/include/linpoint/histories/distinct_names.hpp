// SPDX-License-Identifier: Apache-2.0
// Numbers of the names in objects that are being read: checks that the names of one object differ.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linpoint::histories {

class DistinctNames {
 public:
  /// Where the names of an object begin that is opened now.
  [[nodiscard]] std::size_t open() const { return names_.size(); }
  void add(std::int32_t name) { names_.push_back(name); }
  void clear() { names_.clear(); }

  /// Closes the innermost open object; whether its names differ.
  bool close(std::size_t from) {
    constexpr std::size_t kFew = 8;
    const std::span names = std::span(names_).subspan(from);
    bool all = true;
    if (names.size() <= kFew) {
      for (std::size_t i = 1; i < names.size(); ++i)
        all = all && std::ranges::find(names.first(i), names[i]) == names.begin() + static_cast<std::ptrdiff_t>(i);
    } else {
      std::ranges::sort(names);
      all = std::ranges::adjacent_find(names) == names.end();
    }
    names_.resize(from);
    return all;
  }

 private:
  std::vector<std::int32_t> names_;  // of the open objects
};

}  // namespace linpoint::histories
