// SPDX-License-Identifier: Apache-2.0
// Random numbers for one thread (xorshift64*): a few instructions, so that choosing is cheap compared with the
// operation.
#pragma once

#include <cstdint>

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(scrambled(seed)) {}

  std::uint64_t next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545F4914F6CDD1DULL;
  }

  // A number below the bound, which is small: the high half of a product is nearly uniform and needs no division.
  std::uint64_t below(std::uint64_t bound) { return ((next() >> 32U) * bound) >> 32U; }

  // True with the given probability, between 0 and 1.
  bool chance(double share) { return static_cast<double>(next() >> 11U) * 0x1.0p-53 < share; }

 private:
  // Neighbouring seeds must not give neighbouring streams, and zero would stay zero forever (splitmix64's step).
  static std::uint64_t scrambled(std::uint64_t seed) {
    seed += 0x9E3779B97F4A7C15ULL;
    seed = (seed ^ (seed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    seed = (seed ^ (seed >> 27U)) * 0x94D049BB133111EBULL;
    seed ^= seed >> 31U;
    return seed == 0 ? 1 : seed;
  }

  std::uint64_t state_;
};
