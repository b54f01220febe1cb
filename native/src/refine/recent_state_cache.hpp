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
        stride_((kRow + std::size_t{row_bytes} + 15) / 16 * 16),
        mask_(std::bit_floor(kBytes / stride_) - 1),
        entries_((mask_ + 1) * stride_) {
    // Where nothing is yet, a hash that belongs elsewhere.
    for (std::size_t i = 0; i <= mask_; ++i) {
      const std::uint64_t elsewhere = (i ^ 1U) << kShift;
      std::memcpy(entries_.data() + i * stride_, &elsewhere, sizeof elsewhere);
    }
  }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(entries_.data() + place(hash)); }
  /// Whether it had the row; it has it from now on. Rows are read 16 bytes beyond their end.
  bool had(const std::uint8_t* row, std::uint64_t hash) {
    std::uint8_t* const own = entries_.data() + place(hash);
    std::uint64_t known = 0;
    std::memcpy(&known, own, sizeof known);
    if (known == hash && same_rows(own + kRow, row, row_bytes_)) return true;
    std::memcpy(own, &hash, sizeof hash);
    for (std::size_t i = 0; kRow + i < stride_; i += 16) std::memcpy(own + kRow + i, row + i, 16);
    return false;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{512} << 10U;
  static constexpr std::size_t kRow = 16;  // in an entry; before it is the hash
  static constexpr unsigned kShift = 20;

  [[nodiscard]] std::size_t place(std::uint64_t hash) const { return ((hash >> kShift) & mask_) * stride_; }

  std::uint32_t row_bytes_;
  std::size_t stride_;
  std::size_t mask_;
  std::vector<std::uint8_t> entries_;
};

}  // namespace linpoint::refine
