// SPDX-License-Identifier: Apache-2.0
// The heap of the program under control: the same addresses in every run, and every misuse of a block is detected.
//
// Guarantee: without reuse, the address of a block depends only on earlier allocations of its own thread, so runs that
// differ only in the order of independent steps have the same addresses. A freed block is not allocated again, unless
// reuse is requested: then the block freed last, by any thread, is the next one of its size. Cost: O(size / 16) to
// allocate and to free; O(1) to check whether bytes are live. Layout: one address region per thread; between blocks
// there are 16 bytes that belong to none; metadata is stored separately, where the program cannot overwrite it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "host/base/host_memory.hpp"

namespace linpoint::runtime {

struct ArenaOptions {
  std::size_t most = std::size_t{1} << 30;  ///< maximum bytes in all blocks of a run
  bool reuse = false;
};

struct Allocation {
  std::uint64_t number = 0;  ///< of the allocation, in order within this run, from 0
  std::uintptr_t begin = 0;
  std::size_t size = 0;
  bool live = false;
};

enum class Freed : std::uint8_t { kDone, kTwice, kNoBlock };

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// False if the machine has no address space available.
  [[nodiscard]] bool prepare(ArenaOptions options);

  /// nullptr if that would exceed the maximum. `thread` selects the region.
  [[nodiscard]] void* allocate(unsigned thread, std::size_t size, std::size_t alignment = kGranule);
  Freed release(void* block);

  [[nodiscard]] std::uintptr_t begin() const { return base_; }
  [[nodiscard]] std::uintptr_t end() const { return base_ + span_; }
  [[nodiscard]] bool contains(std::uintptr_t address) const { return address - base_ < span_; }
  /// Whether any of these bytes is in a freed block, or in no block. For addresses within the arena.
  [[nodiscard]] bool misused(std::uintptr_t address, std::size_t size) const {
    const std::size_t first = (address - base_) / kGranule;
    const std::size_t last = (address - base_ + (size == 0 ? 0 : size - 1)) / kGranule;
    for (std::size_t granule = first; granule <= last; ++granule)
      if (states_[granule] != kLive) return true;
    return false;
  }
  /// The block with this byte, live or freed; if there is none, the previous one.
  [[nodiscard]] std::optional<Allocation> block_at(std::uintptr_t address) const;

  /// Where memory is reused, blocks of the same capacity replace each other.
  [[nodiscard]] static std::size_t capacity_of(std::size_t size);
  [[nodiscard]] bool reuses() const { return options_.reuse; }
  [[nodiscard]] std::size_t in_use() const { return in_use_; }

  /// Makes the current state the one that every run begins with.
  void keep();
  void restore();

  static constexpr std::size_t kGranule = 16;
  static constexpr unsigned kRegions = 64;

 private:
  static constexpr std::uint8_t kLive = 1;
  static constexpr std::uint8_t kGone = 2;

  /// The place of a block, live or freed.
  struct Slot {
    std::uint64_t begin = 0;  ///< from the region's begin
    std::uint64_t size = 0;
    std::uint64_t capacity = 0;
    std::uint64_t number = 0;
  };
  struct Region {
    std::uint64_t used = 0;
    HostVector<Slot> slots;  ///< by `begin`
  };
  struct Free {
    std::uint32_t region = 0;
    std::uint32_t slot = 0;
    std::uint64_t capacity = 0;
  };
  struct Kept {
    std::array<std::uint64_t, kRegions> used{};
    std::array<HostVector<Slot>, kRegions> slots;
    HostVector<unsigned char> bytes;  ///< of all regions, one after the other
    HostVector<std::uint8_t> states;
    HostVector<Free> free;
    std::size_t in_use = 0;
    std::uint64_t allocations = 0;
  };

  [[nodiscard]] bool reserve(std::uintptr_t base, std::size_t stride);
  [[nodiscard]] unsigned char* memory(unsigned region) const {
    return reinterpret_cast<unsigned char*>(base_ + region * stride_);  // NOLINT(performance-no-int-to-ptr)
  }
  [[nodiscard]] void* take_free(std::size_t size, std::size_t alignment);
  void mark(std::uintptr_t begin, std::size_t size, std::uint8_t state);
  void* give(unsigned region, Slot& slot, std::size_t size);

  ArenaOptions options_;
  std::uintptr_t base_ = 0;
  std::size_t span_ = 0;
  std::size_t stride_ = 0;
  std::uint8_t* states_ = nullptr;  ///< one for each granule
  unsigned regions_used_ = 0;
  std::size_t in_use_ = 0;
  std::uint64_t allocations_ = 0;
  std::array<Region, kRegions> regions_;
  HostVector<Free> free_;  ///< the block freed last is at the end
  Kept kept_;
};

}  // namespace linpoint::runtime
