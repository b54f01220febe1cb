// SPDX-License-Identifier: Apache-2.0
// Files of persistent memory, and the pools of libpmemobj in them.
//
// A path names a part of the host's single pool. The table of paths is in the host's own page, which is as durable as
// the program's data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/pmdk/pmdk.hpp"

namespace linpoint::runtime::pmdk {

enum class FileKind : std::uint8_t { kMapped, kObjects };

struct File {
  std::uint64_t name = 0;  ///< a hash of the path; 0: end of the table
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t objects = 0;  ///< whether it is a pool of libpmemobj

  [[nodiscard]] bool has_objects() const { return objects != 0; }
};

/// nullptr if there is none.
[[nodiscard]] const File* find_file(const char* path);
/// nullptr, with errno set, if there is no room. `size` 0 or larger than what is available: for pools of objects, the
/// remaining memory. The file is found once `publish_file` is called.
[[nodiscard]] File* add_file(const char* path, std::size_t size, FileKind kind, const void* caller);
void publish_file(File& file, const char* path, const void* caller);

/// Both are ends of journal chains: unless 0, they are undone when the pool is opened.
struct alignas(64) Lane {
  std::uint64_t transaction = 0;
  std::uint64_t atomic = 0;  ///< one function that takes effect entirely or not at all
};

/// The header of a pool of libpmemobj.
struct PoolHeader {
  static constexpr std::uint64_t kSize = 8192;
  static constexpr std::size_t kLongestLayout = 1024;  ///< including its terminator: PMEMOBJ_MAX_LAYOUT

  std::uint64_t uuid = 0;
  std::uint64_t size = 0;
  std::uint64_t root = 0;  ///< an offset
  std::uint64_t root_size = 0;
  /// In a line of its own: the number of the current opening, 0 if the pool is closed. A crash loses it.
  alignas(64) std::uint64_t run = 0;
  alignas(64) std::array<char, kLongestLayout> layout{};
  std::array<Lane, kMostThreads> lanes{};
};
static_assert(sizeof(PoolHeader) <= PoolHeader::kSize);

[[nodiscard]] inline PoolHeader& header_of(pmemobjpool* pop) { return *reinterpret_cast<PoolHeader*>(pop); }
[[nodiscard]] inline void* at_offset(pmemobjpool* pop, std::uint64_t offset) {
  return reinterpret_cast<std::byte*>(pop) + offset;
}
[[nodiscard]] inline std::uint64_t offset_of(pmemobjpool* pop, const void* address) {
  return number_of(address) - number_of(pop);
}
[[nodiscard]] inline Oid oid_at(pmemobjpool* pop, std::uint64_t offset) {
  return offset == 0 ? kNullOid : Oid{header_of(pop).uuid, offset};
}
/// The lane of the running thread.
[[nodiscard]] inline Lane& lane_of(pmemobjpool* pop) { return header_of(pop).lanes[current_thread() % kMostThreads]; }

/// The open pool of an address; nullptr if there is none.
[[nodiscard]] pmemobjpool* pool_of(const void* address);
[[nodiscard]] pmemobjpool* pool_of(Oid oid);
/// Refuses to continue with anything but an open pool, for example one that was not opened after a crash.
void check_open(pmemobjpool* pop, const char* function, const void* caller);

}  // namespace linpoint::runtime::pmdk
