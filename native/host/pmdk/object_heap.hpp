// SPDX-License-Identifier: Apache-2.0
// Objects of a pool: blocks one after the other, each with a header of 16 bytes in front, as libpmemobj has it. So
// objects begin 16 bytes after the beginning of a line, and share lines as the real ones do.
//
// Guarantee: whether a block is allocated is in its header, and changes with what else its function does. A block that
// was only reserved is free after a crash. Freed blocks are given out again.
// Cost: all headers for each allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/pmdk/atomic_sections.hpp"
#include "host/pmdk/pool_files.hpp"

namespace linpoint::runtime::pmdk {

enum class BlockState : std::uint64_t { kFree, kAllocated, kReserved, kRoot };

struct Block {
  static constexpr std::uint64_t kStates = 63;

  std::uint64_t word = 0;  ///< its size with the header, a multiple of 64, and its state; 0 behind the last
  std::uint64_t type = 0;  ///< of the object; of a reserved block, in which opening of the pool that was

  [[nodiscard]] std::uint64_t size() const { return word & ~kStates; }
  [[nodiscard]] BlockState state() const { return static_cast<BlockState>(word & kStates); }
  [[nodiscard]] std::uint64_t usable() const { return size() - sizeof(Block); }
};

/// Of the object at this offset.
[[nodiscard]] Block& block_of(pmemobjpool* pop, std::uint64_t offset);
/// Whether an object that is allocated, or the root, begins at this offset.
[[nodiscard]] bool is_object(pmemobjpool* pop, std::uint64_t offset);
/// The same for an object that a function gets: fails if not, as when it was freed.
void check_object(pmemobjpool* pop, std::uint64_t offset, const char* function, const void* caller);

/// A block for so many bytes that nobody else gets; the offset of the object. 0, with errno set, if there is no room.
/// The object is filled with 0 and flushed if `zero`.
[[nodiscard]] std::uint64_t reserve(pmemobjpool* pop, std::size_t size, bool zero, const void* caller);
/// Gives back what was reserved.
void cancel(pmemobjpool* pop, std::uint64_t offset, const void* caller);
/// To be set in a section: it becomes an object, or is freed.
void allocate_in(AtomicSection& section, pmemobjpool* pop, std::uint64_t offset, std::uint64_t type,
                 BlockState state = BlockState::kAllocated);
void free_in(AtomicSection& section, pmemobjpool* pop, std::uint64_t offset, const void* caller);

/// The first object that begins behind this offset; 0 if none does. The root is none of them.
[[nodiscard]] std::uint64_t next_object(pmemobjpool* pop, std::uint64_t offset);

}  // namespace linpoint::runtime::pmdk
