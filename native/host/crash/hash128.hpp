// SPDX-License-Identifier: Apache-2.0
// Hashes of 128 bits, for what is too large to be kept: images of the pool, and outcomes of tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/base/host_memory.hpp"

namespace linpoint::runtime::crash {

__extension__ using Hash = unsigned __int128;

/// Of two numbers.
[[nodiscard]] Hash mixed(std::uint64_t one, std::uint64_t other);
[[nodiscard]] Hash hash_of(const void* bytes, std::size_t size, Hash seed);

/// A set of hashes with a bit for each.
class HashTable {
 public:
  /// Where the bit is; `known` says whether it was there before.
  [[nodiscard]] std::uint8_t& at(Hash hash, bool& known);
  [[nodiscard]] std::size_t size() const { return size_; }
  void clear();

 private:
  struct Slot {
    Hash hash = 0;
    std::uint8_t used = 0;
    std::uint8_t value = 0;
  };
  void grow();

  HostVector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace linpoint::runtime::crash
