// SPDX-License-Identifier: Apache-2.0
// States in storage: a row of narrow slots, its hash, and equality of two rows.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <cstdint>
#include <cstring>

#include "linpoint/refine/model_program.hpp"

namespace linpoint::refine {

/// The hash of a row, which is read up to 8 bytes beyond its end.
inline std::uint64_t hash_row(const std::uint8_t* row, std::uint32_t bytes) {
  // Two independent lanes, so that their latencies overlap.
  const auto word = [row](std::uint32_t at) {
    std::uint64_t found = 0;
    std::memcpy(&found, row + at, 8);
    return found;
  };
  std::uint64_t one = 0x9e3779b97f4a7c15ULL;
  std::uint64_t other = 0xc2b2ae3d27d4eb4fULL;
  std::uint32_t at = 0;
  for (; at + 16 <= bytes; at += 16) {
    one = (one ^ word(at)) * 0xff51afd7ed558ccdULL;
    other = (other ^ word(at + 8)) * 0x9fb21c651e98df25ULL;
    one ^= one >> 32U;
    other ^= other >> 32U;
  }
  if (at + 8 <= bytes) {
    one = (one ^ word(at)) * 0xff51afd7ed558ccdULL;
    at += 8;
  }
  if (at < bytes) {
    const std::uint64_t last = word(at) & (~std::uint64_t{0} >> (64 - 8 * (bytes - at)));
    other = (other ^ last) * 0x9fb21c651e98df25ULL;
  }
  std::uint64_t hash = (one ^ (one >> 32U)) * 0x9fb21c651e98df25ULL + (other ^ (other >> 29U)) * 0xc4ceb9fe1a85ec53ULL;
  hash ^= hash >> 33U;
  hash *= 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 32U);
}

/// A stored state: its slots, and last the number of the allowed configuration set. Rows may be read and written up to
/// 16 bytes beyond their end.
class Packing {
 public:
  explicit Packing(const Program& program)
      : slots_(program.slots - 1),
        slot_bytes_(program.slot_bytes),
        bytes_(4 + (program.slots - 1) * program.slot_bytes) {}

  [[nodiscard]] std::uint32_t bytes() const { return bytes_; }
  /// False if a value does not fit.
  bool pack(const Slot* state, std::uint8_t* row) const {
    bool fits = true;
    switch (slot_bytes_) {
      case 1:
        fits = pack_bytes(state + 1, row);
        break;
      case 2: {
        Slot all = 0;
        for (std::uint32_t i = 0; i < slots_; ++i) {
          all |= state[1 + i];
          const auto narrow = static_cast<std::uint16_t>(state[1 + i]);
          std::memcpy(row + std::size_t{2} * i, &narrow, 2);
        }
        fits = all <= 0xffffU;
        break;
      }
      default:
        std::memcpy(row, state + 1, slots_ * sizeof(Slot));
    }
    std::memcpy(row + bytes_ - 4, state, 4);
    return fits;
  }
  /// `state` has `kSlack` more slots than are written.
  void unpack(const std::uint8_t* row, Slot* state) const {
    std::memcpy(state, row + bytes_ - 4, 4);
    switch (slot_bytes_) {
      case 1:
        unpack_bytes(row, state + 1);
        return;
      case 2:
        for (std::uint32_t i = 0; i < slots_; ++i) {
          std::uint16_t narrow = 0;
          std::memcpy(&narrow, row + std::size_t{2} * i, 2);
          state[1 + i] = narrow;
        }
        return;
      default:
        std::memcpy(state + 1, row, slots_ * sizeof(Slot));
    }
  }

 private:
#ifdef __SSE2__
  bool pack_bytes(const Slot* from, std::uint8_t* to) const {
    __m128i all = _mm_setzero_si128();
    const auto load = [&](std::uint32_t i) {
      const __m128i four =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));  // NOLINT: required by intrinsics
      all = _mm_or_si128(all, four);
      return four;
    };
    for (std::uint32_t i = 0; i < slots_; i += 16) {
      const __m128i low = _mm_packs_epi32(load(i), load(i + 4));
      const __m128i high = _mm_packs_epi32(load(i + 8), load(i + 12));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm_packus_epi16(low, high));  // NOLINT
    }
    const __m128i large = _mm_andnot_si128(_mm_set1_epi32(0xff), all);
    return _mm_movemask_epi8(_mm_cmpeq_epi32(large, _mm_setzero_si128())) == 0xffff;
  }
  void unpack_bytes(const std::uint8_t* from, Slot* to) const {
    const __m128i none = _mm_setzero_si128();
    for (std::uint32_t i = 0; i < slots_; i += 16) {
      const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));  // NOLINT
      const __m128i low = _mm_unpacklo_epi8(all, none);
      const __m128i high = _mm_unpackhi_epi8(all, none);
      const auto store = [&](std::uint32_t at, __m128i four) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i + at), four);  // NOLINT
      };
      store(0, _mm_unpacklo_epi16(low, none));
      store(4, _mm_unpackhi_epi16(low, none));
      store(8, _mm_unpacklo_epi16(high, none));
      store(12, _mm_unpackhi_epi16(high, none));
    }
  }
#else
  bool pack_bytes(const Slot* from, std::uint8_t* to) const {
    Slot all = 0;
    for (std::uint32_t i = 0; i < slots_; ++i) {
      all |= from[i];
      to[i] = static_cast<std::uint8_t>(from[i]);
    }
    return all <= 0xffU;
  }
  void unpack_bytes(const std::uint8_t* from, Slot* to) const {
    for (std::uint32_t i = 0; i < slots_; ++i) to[i] = from[i];
  }
#endif

  std::uint32_t slots_;
  std::uint32_t slot_bytes_;
  std::uint32_t bytes_;
};

/// Whether two rows of at least 8 bytes are equal.
inline bool same_rows(const std::uint8_t* one, const std::uint8_t* other, std::uint32_t bytes) {
  const auto word = [](const std::uint8_t* from) {
    std::uint64_t found = 0;
    std::memcpy(&found, from, 8);
    return found;
  };
  for (std::uint32_t i = 0; i + 8 < bytes; i += 8)
    if (word(one + i) != word(other + i)) return false;
  return word(one + bytes - 8) == word(other + bytes - 8);
}

}  // namespace linpoint::refine
