// SPDX-License-Identifier: Apache-2.0
// The persistent memory of the program: one private mapping at a fixed address, the same in each process.
//
// Guarantee: blocks are allocated in the order of their addresses and never twice; the host records the allocations,
// and a crash does not lose them. Layout: a page of the host, which begins with the root, then the memory that the
// program sees, from `base` on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/base/host_memory.hpp"

namespace linpoint::runtime::crash {

class Pool {
 public:
  static constexpr std::uint64_t kBase = 0x6000'0000'0000;
  static constexpr std::uint64_t kHeader = 4096;
  static constexpr std::uint64_t kBegin = kBase - kHeader;

  /// Maps it, and prepares the hooks. False if there is no room.
  [[nodiscard]] bool reserve(std::size_t size);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Including the host's page.
  [[nodiscard]] std::size_t span() const { return size_ + kHeader; }
  [[nodiscard]] std::byte* memory() const { return memory_; }
  [[nodiscard]] std::byte* at(std::uint64_t address) const { return memory_ + (address - kBegin); }
  [[nodiscard]] bool contains(std::uint64_t address) const { return address - kBegin < span(); }
  [[nodiscard]] static std::uint64_t root_address() { return kBegin; }

  static constexpr std::size_t kPage = 4096;
  /// Calls `each(offset)` for all pages that were ever accessed; others are zero, and stay untouched.
  template <typename Each>
  void for_each_page(Each&& each) const {
    HostVector<bool> touched;
    collect_pages(touched);
    for (std::size_t page = 0; page < touched.size(); ++page)
      if (touched[page]) each(page * kPage);
  }

  /// nullptr if there is no room.
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment);
  /// The size of the block that begins here; 0 if there is none.
  [[nodiscard]] std::size_t size_of(std::uint64_t begin) const;
  /// The first address that has not been allocated.
  [[nodiscard]] std::uint64_t cursor() const { return cursor_; }
  /// Makes the allocations so far the ones of which crashes restore a part.
  void keep() { since_.clear(); }
  /// Goes back to a moment before `keep`, and forgets later allocations.
  void take_back(std::uint64_t cursor);
  /// In a separate process: hides its allocations from other processes.
  [[nodiscard]] bool separate();

 private:
  static constexpr std::uint64_t kGranule = 16;
  void collect_pages(HostVector<bool>& touched) const;
  struct Before {
    std::uint64_t granule = 0;
    std::uint32_t size = 0;
  };

  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t cursor_ = 0;
  std::uint32_t* sizes_ = nullptr;  ///< of the block that begins in each granule; all processes see it
  HostVector<Before> since_;        ///< the sizes before `keep`
};
extern Pool the_pool;

/// Zeroed memory for the host; nullptr if there is none.
[[nodiscard]] std::byte* map_memory(std::size_t size);

/// Whether the program's current allocations belong in the pool: `--persistent-heap`.
[[nodiscard]] bool heap_is_persistent();
/// Like malloc and free by the program, in the pool.
[[nodiscard]] void* allocate_persistent(std::size_t size, std::size_t alignment, const void* caller);
void free_persistent(void* block, const void* caller);

}  // namespace linpoint::runtime::crash
