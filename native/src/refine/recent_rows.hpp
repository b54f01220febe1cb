// SPDX-License-Identifier: Apache-2.0
// Rows that one thread has found lately, so that most of what is found again need not be looked up in all of memory:
// two steps that do not meet lead to the same state in either order, and the second one comes soon after the first.
// Guarantee: what it had, it was given. Memory: within the cache of a core.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "refine/state_store.hpp"

namespace linpoint::refine {

class RecentRows {
 public:
  explicit RecentRows(std::uint32_t row_bytes)
      : row_bytes_(row_bytes),
        stride_((std::size_t{row_bytes} + 15) / 16 * 16),
        mask_(std::bit_floor(kBytes / (stride_ + sizeof(std::uint64_t))) - 1),
        hashes_(mask_ + 1),
        rows_((mask_ + 1) * stride_) {
    // Where nothing is yet, a hash that belongs elsewhere.
    for (std::size_t i = 0; i <= mask_; ++i) hashes_[i] = (i ^ 1U) << kShift;
  }

  /// Whether it had the row; it has it from now on. Rows are read 16 bytes beyond their end.
  bool had(const std::uint8_t* row, std::uint64_t hash) {
    const std::size_t at = (hash >> kShift) & mask_;
    std::uint8_t* const own = rows_.data() + at * stride_;
    if (hashes_[at] == hash && same_rows(own, row, row_bytes_)) return true;
    hashes_[at] = hash;
    for (std::uint32_t i = 0; i < stride_; i += 16) std::memcpy(own + i, row + i, 16);
    return false;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{512} << 10U;
  static constexpr unsigned kShift = 20;

  std::uint32_t row_bytes_;
  std::size_t stride_;
  std::size_t mask_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint8_t> rows_;
};

}  // namespace linpoint::refine
