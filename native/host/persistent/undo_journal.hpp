// SPDX-License-Identifier: Apache-2.0
// What bytes were before functions and transactions that must happen wholly or not at all.
//
// The bytes are kept by the host, like what the pool has given out: a crash does not lose them, so no crash inside of
// PMDK's own logs is tested. A word in the pool (Lane) says what of them is to be undone: where the last of a chain is,
// or 0. It is durable at once, so undoing depends on nothing but the crash state. All processes of the host see them.
//
// Cost: the bytes of each range that is added, until the trace is forgotten.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linpoint::runtime::pmdk {

class Journal {
 public:
  struct Entry {
    std::uint64_t before = 0;  ///< of the chain: where it is; 0 for none
    std::uint64_t address = 0;
    std::uint64_t size = 0;
  };

  /// Before there are other processes. False if there is no memory.
  [[nodiscard]] bool reserve();
  /// Keeps what these bytes are now, at the end of a chain; returns its new end.
  [[nodiscard]] std::uint64_t keep(std::uint64_t chain, const void* address, std::size_t size);
  /// Whether something was kept there.
  [[nodiscard]] bool has(std::uint64_t place) const;
  [[nodiscard]] const Entry& entry(std::uint64_t place) const;
  [[nodiscard]] const std::byte* bytes(std::uint64_t place) const { return memory_ + place + sizeof(Entry); }
  /// What was kept by runs that were not recorded is forgotten.
  void take_back();

 private:
  /// What the memory begins with.
  struct Ends {
    std::uint64_t used = 0;
    std::uint64_t recorded = 0;
  };
  [[nodiscard]] Ends& ends() const { return *reinterpret_cast<Ends*>(memory_); }

  std::byte* memory_ = nullptr;
};
extern Journal the_journal;

}  // namespace linpoint::runtime::pmdk
