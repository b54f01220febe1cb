// SPDX-License-Identifier: Apache-2.0
// A model of PMDK's public interface (libpmem and libpmemobj 1.12) on the pool of the crash engine.
//
// The host is the executable, so its functions take precedence over those of the libraries, which are never called.
// Nothing is mapped and no file is written: a path names a part of the pool, which is found again after a crash.
//
// Guarantee: at each moment a function leaves in the pool exactly what the real one promises. Changes to PMDK's own
// data are immediately durable; changes that must take effect as a whole are undone by pmemobj_open (undo_journal.hpp).
// Flushing, and adding ranges to a transaction, remain the user's responsibility. The model assumes that PMDK itself is
// correct, and the result states so.
//
// The state of a pool is in its memory, so it is restored with that memory; the host only stores open transactions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/core/scheduling_points.hpp"

// Part of the C interface: the tags are those of the real headers, which machines that build the host may not have.
extern "C" {
struct pmemobjpool;
struct pmemoid {
  std::uint64_t pool_uuid_lo;
  std::uint64_t off;
};
}

namespace linpoint::runtime::pmdk {

using Oid = pmemoid;
using Constructor = int (*)(pmemobjpool* pop, void* block, void* argument);

inline constexpr Oid kNullOid{0, 0};

/// Flags of allocations and of ranges in transactions.
inline constexpr std::uint64_t kZero = 1U << 0U;
inline constexpr std::uint64_t kNoFlush = 1U << 1U;
inline constexpr std::uint64_t kNoSnapshot = 1U << 2U;
inline constexpr std::uint64_t kAssumeInitialized = 1U << 3U;
inline constexpr std::uint64_t kNoAbort = 1U << 4U;
inline constexpr std::uint64_t kArenaMask = std::uint64_t{0xffff} << 32U;
inline constexpr std::uint64_t kClassMask = std::uint64_t{0xffff} << 48U;

// ---- Calls of the program -------------------------------------------------------------------------------------------

/// Whether the program has called any function of PMDK.
[[nodiscard]] bool in_use();
/// Called first by each function: consumes fuel, and adds the model's assumption to the result. Refuses programs that
/// run without a pool, such as those of `linpoint explore`.
void called(const char* function, const void* caller);
/// Like `called`, for functions that the model does not cover.
[[noreturn]] void not_modelled(const char* function);
/// The real library would print this and abort.
[[noreturn]] void fatal(const char* function, std::string_view why, const void* caller);

/// Sets errno and the text of pmemobj_errormsg. Returns -1.
int error(int number, std::string_view message);
/// The text of the last error.
[[nodiscard]] const char* error_message();

// ---- Memory ---------------------------------------------------------------------------------------------------------
// All of these may lie outside the pool, where nothing is recorded.

[[nodiscard]] inline std::uint64_t number_of(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

/// The caller of flushes and fences of PMDK's own, whose redundancy is not reported to the user.
inline constexpr const void* kOwn = nullptr;

/// Plain stores. May overlap.
void copy(void* to, const void* from, std::size_t size, const void* caller);
void fill(void* to, int value, std::size_t size, const void* caller);
/// clwb for each line; `at_once`: clflush, for PMDK's own data.
void flush(const void* address, std::size_t size, const void* caller, bool at_once = false);
void fence(const void* caller);

inline void persist(const void* address, std::size_t size, const void* caller) {
  flush(address, size, caller);
  fence(caller);
}
/// Sets a word of PMDK's own: durable when it returns.
void put(std::uint64_t& word, std::uint64_t value, const void* caller);
/// Sets a word that a crash loses, and whose changes are not events.
void put_volatile(std::uint64_t& word, std::uint64_t value);

/// Like pmem_memmove and pmem_memset, with their flags, which pmemobj_memmove shares.
void* copy_by_flags(void* to, const void* from, std::size_t size, unsigned flags, const void* caller);
void* fill_by_flags(void* to, int value, std::size_t size, unsigned flags, const void* caller);

}  // namespace linpoint::runtime::pmdk
