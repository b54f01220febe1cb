// SPDX-License-Identifier: Apache-2.0
// Objects of a pool: consecutive blocks, each preceded by a header of 16 bytes, as in libpmemobj. So objects begin 16
// bytes after the beginning of a line, and share lines like the real ones.
//
// Guarantee: the header of a block contains its state, which changes together with the other effects of a function. A
// block that was only reserved is free after a crash. Freed blocks are reused. Cost: scanning all headers for each
// allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/pmdk/atomic_sections.hpp"
#include "host/pmdk/pool_files.hpp"

namespace linpoint::runtime::pmdk {

enum class BlockState : std::uint64_t { kFree, kAllocated, kReserved, kRoot };

struct Block {
  static constexpr std::uint64_t kStates = 63;

  std::uint64_t word = 0;  ///< its size with the header, a multiple of 64, and its state; 0 after the last
  std::uint64_t type = 0;  ///< of the object; for a reserved block, the opening of the pool in which it was reserved

  [[nodiscard]] std::uint64_t size() const { return word & ~kStates; }
  [[nodiscard]] BlockState state() const { return static_cast<BlockState>(word & kStates); }
  [[nodiscard]] std::uint64_t usable() const { return size() - sizeof(Block); }
};

/// The block of the object at this offset.
[[nodiscard]] Block& block_of(pmemobjpool* pop, std::uint64_t offset);
/// Whether an allocated object, or the root, begins at this offset.
[[nodiscard]] bool is_object(pmemobjpool* pop, std::uint64_t offset);
/// The same for an object passed to a function: fails otherwise, for example if it was freed.
void check_object(pmemobjpool* pop, std::uint64_t offset, const char* function, const void* caller);

/// Reserves a block for `size` bytes; returns the offset of the object. 0, with errno set, if there is no room. If
/// `zero`, the object is filled with 0 and flushed.
[[nodiscard]] std::uint64_t reserve(pmemobjpool* pop, std::size_t size, bool zero, const void* caller);
/// Releases a reservation.
void cancel(pmemobjpool* pop, std::uint64_t offset, const void* caller);
/// To be set in a section: it becomes an object, or is freed.
void allocate_in(AtomicSection& section, pmemobjpool* pop, std::uint64_t offset, std::uint64_t type,
                 BlockState state = BlockState::kAllocated);
void free_in(AtomicSection& section, pmemobjpool* pop, std::uint64_t offset, const void* caller);

/// The first object that begins after this offset; 0 if there is none. The root does not count.
[[nodiscard]] std::uint64_t next_object(pmemobjpool* pop, std::uint64_t offset);

}  // namespace linpoint::runtime::pmdk
