// SPDX-License-Identifier: Apache-2.0
// 128-bit hashes of data that is too large to be stored: images of the pool, and outcomes of tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/base/host_memory.hpp"

namespace linpoint::runtime::crash {

__extension__ using Hash = unsigned __int128;

/// The hash of two numbers.
[[nodiscard]] Hash mixed(std::uint64_t one, std::uint64_t other);
[[nodiscard]] Hash hash_of(const void* bytes, std::size_t size, Hash seed);

/// A set of hashes with flags for each.
class HashTable {
 public:
  /// The flags of a hash; `known` is set to whether it was there before.
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
