// SPDX-License-Identifier: Apache-2.0
// Changes that happen wholly or not at all: what bytes were before is kept in the journal (undo_journal.hpp) under a
// word of the pool, its lane, and is written back after a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/base/host_memory.hpp"
#include "host/pmdk/pmdk.hpp"

namespace linpoint::runtime::pmdk {

/// Keeps a range for the case of a crash, from now on.
void protect(std::uint64_t& lane, const void* address, std::size_t size, const void* caller);
/// What was protected stays as it is: durable, if all of it was flushed and fenced before.
void release(std::uint64_t& lane, const void* caller);
/// Writes back all that was protected, and makes that durable. `spared` are bytes to leave as they are.
struct Spared {
  const void* address = nullptr;
  std::size_t size = 0;
};
void undo(std::uint64_t& lane, const void* caller, std::span<const Spared> spared = {});

/// Stores that happen wholly or not at all, with all else that the lane protects, and are durable at the end.
class AtomicSection {
 public:
  AtomicSection(std::uint64_t& lane, const void* caller) : lane_(lane), caller_(caller) {}
  AtomicSection(const AtomicSection&) = delete;
  AtomicSection& operator=(const AtomicSection&) = delete;
  ~AtomicSection();

  /// Of a word that may lie outside of the pool. Stores when the section ends, in this order.
  void set(std::uint64_t& word, std::uint64_t value);
  void set(Oid& oid, Oid value) {
    set(oid.pool_uuid_lo, value.pool_uuid_lo);
    set(oid.off, value.off);
  }
  /// What the word will be.
  [[nodiscard]] std::uint64_t value_of(const std::uint64_t& word) const;
  [[nodiscard]] Oid value_of(const Oid& oid) const { return {value_of(oid.pool_uuid_lo), value_of(oid.off)}; }

 private:
  struct Change {
    std::uint64_t* word = nullptr;
    std::uint64_t value = 0;
  };

  std::uint64_t& lane_;
  const void* caller_;
  HostVector<Change> changes_;
};

}  // namespace linpoint::runtime::pmdk
