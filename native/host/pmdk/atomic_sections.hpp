// SPDX-License-Identifier: Apache-2.0
// Changes that take effect entirely or not at all: old values are saved in the journal (undo_journal.hpp) under a word
// of the pool, its lane, and are written back after a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/base/host_memory.hpp"
#include "host/pmdk/pmdk.hpp"

namespace linpoint::runtime::pmdk {

/// Saves a range, which a crash will restore from now on.
void protect(std::uint64_t& lane, const void* address, std::size_t size, const void* caller);
/// Makes the protected ranges permanent: durable, if all of them were flushed and fenced before.
void release(std::uint64_t& lane, const void* caller);
/// Writes back all protected ranges, and makes that durable. `spared` are bytes to leave unchanged.
struct Spared {
  const void* address = nullptr;
  std::size_t size = 0;
};
void undo(std::uint64_t& lane, const void* caller, std::span<const Spared> spared = {});

/// Stores that take effect entirely or not at all, together with everything the lane protects, and are durable at the
/// end.
class AtomicSection {
 public:
  AtomicSection(std::uint64_t& lane, const void* caller) : lane_(lane), caller_(caller) {}
  AtomicSection(const AtomicSection&) = delete;
  AtomicSection& operator=(const AtomicSection&) = delete;
  ~AtomicSection();

  /// Sets a word, possibly outside the pool, when the section ends; in the order of the calls.
  void set(std::uint64_t& word, std::uint64_t value);
  void set(Oid& oid, Oid value) {
    set(oid.pool_uuid_lo, value.pool_uuid_lo);
    set(oid.off, value.off);
  }
  /// The value that the word will have.
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
