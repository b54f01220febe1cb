// SPDX-License-Identifier: Apache-2.0
// Mixing of 64-bit words (the finaliser of MurmurHash3), private to the native libraries.
#pragma once

#include <cstdint>

namespace linpoint {

inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33U;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33U;
  x *= 0xc4ceb9fe1a85ec53ULL;
  x ^= x >> 33U;
  return x;
}

}  // namespace linpoint
