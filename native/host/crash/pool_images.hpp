// SPDX-License-Identifier: Apache-2.0
// The content of the pool: the least image of a moment, and images of crashes, which are written over it and removed.
//
// Guarantee: images with the same bytes have the same hash, however they were made. Cost: for a crash, the bytes that
// it keeps and the lines written since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/crash/hash128.hpp"
#include "host/persistent/pool.hpp"
#include "linpoint/persistency/crash_states.hpp"

namespace linpoint::runtime::crash {

class Images {
 public:
  [[nodiscard]] bool prepare();
  /// Sets the least image, and the pool, to these bytes, with only zeros after them.
  void begin(std::span<const std::byte> initial);
  /// Replaces a line of the bytes passed to `begin`. The pool must equal them.
  void begin_line(std::uint64_t line, const std::byte* bytes);
  /// Restores the bytes that were passed to `begin`.
  void restart();

  /// A store that is certain from now on. The pool must be the least image.
  void settle(const persistency::Event& store);
  /// Writes a crash over the least image; returns the hash of the result.
  [[nodiscard]] Hash put(std::span<const persistency::Write> writes) const;
  /// Makes the pool the least image again, by restoring all marked lines.
  void restore();

  /// Whether the pool is the least image. Checks the used part, or everything.
  [[nodiscard]] bool intact(bool everything) const;
  /// Restores the whole pool once.
  void copy_once();
  /// From now on restores the whole pool each time.
  void copy_all() { copies_all_ = true; }
  [[nodiscard]] bool copies_all() const { return copies_all_; }
  [[nodiscard]] Hash hash() const { return hash_; }
  [[nodiscard]] std::size_t extent() const { return extent_; }
  /// The pool may be non-zero up to this address.
  void reach(std::uint64_t address);
  [[nodiscard]] const std::byte* least() const { return least_; }

 private:
  std::byte* least_ = nullptr;
  std::byte* initial_ = nullptr;
  std::size_t extent_ = 0;
  Hash hash_ = 0;  ///< of the least image
  Hash initial_hash_ = 0;
  bool copies_all_ = false;
  HostVector<std::uint32_t> settled_;  ///< lines, since the beginning
};

}  // namespace linpoint::runtime::crash
