// SPDX-License-Identifier: Apache-2.0
// Rows that one thread has found recently, so that most states found again need no lookup in the full table: two
// independent steps lead to the same state in either order, and the second one comes soon after the first. Guarantee:
// every row it reports was given to it before. Memory: fits in a core's cache.
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
    // Empty entries contain a hash that belongs elsewhere.
    for (std::size_t i = 0; i <= mask_; ++i) {
      const std::uint64_t elsewhere = (i ^ 1U) << kShift;
      std::memcpy(entries_.data() + i * stride_, &elsewhere, sizeof elsewhere);
    }
  }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(entries_.data() + place(hash)); }
  /// Whether it had the row; adds the row. Rows are read up to 16 bytes beyond their end.
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
  static constexpr std::size_t kRow = 16;  // in an entry, after the hash
  static constexpr unsigned kShift = 20;

  [[nodiscard]] std::size_t place(std::uint64_t hash) const { return ((hash >> kShift) & mask_) * stride_; }

  std::uint32_t row_bytes_;
  std::size_t stride_;
  std::size_t mask_;
  std::vector<std::uint8_t> entries_;
};

}  // namespace linpoint::refine
