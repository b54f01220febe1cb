// SPDX-License-Identifier: Apache-2.0
// The old values of bytes, for functions and transactions that must take effect entirely or not at all.
//
// The host stores the old values, like the allocations of the pool: a crash does not lose them, so crashes within
// PMDK's own logs are not tested. A word in the pool (Lane) identifies what must be undone: the last element of a
// chain, or 0. It is immediately durable, so undoing depends only on the crash state. All processes of the host share
// the journal.
//
// Cost: the bytes of each range that is added, until the trace is discarded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linpoint::runtime::pmdk {

class Journal {
 public:
  struct Entry {
    std::uint64_t before = 0;  ///< of the chain: its place; 0 for none
    std::uint64_t address = 0;
    std::uint64_t size = 0;
  };

  /// Called before other processes exist. False if there is no memory.
  [[nodiscard]] bool reserve();
  /// Saves the current value of these bytes at the end of a chain; returns its new end.
  [[nodiscard]] std::uint64_t keep(std::uint64_t chain, const void* address, std::size_t size);
  /// Whether something was saved there.
  [[nodiscard]] bool has(std::uint64_t place) const;
  [[nodiscard]] const Entry& entry(std::uint64_t place) const;
  [[nodiscard]] const std::byte* bytes(std::uint64_t place) const { return memory_ + place + sizeof(Entry); }
  /// Discards what runs that were not recorded have saved.
  void take_back();

 private:
  /// The header of the memory.
  struct Ends {
    std::uint64_t used = 0;
    std::uint64_t recorded = 0;
  };
  [[nodiscard]] Ends& ends() const { return *reinterpret_cast<Ends*>(memory_); }

  std::byte* memory_ = nullptr;
};
extern Journal the_journal;

}  // namespace linpoint::runtime::pmdk
