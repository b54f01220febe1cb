// SPDX-License-Identifier: Apache-2.0
// What is in the pool: the least image of a moment, and images of crashes, which are put over it and taken back.
//
// Guarantee: images with the same bytes have the same hash, whatever led to them. Cost: of a crash, the bytes that it
// keeps and the lines that were written since.
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
  /// The least image, and the pool, are these bytes, with nothing but zeros behind them.
  void begin(std::span<const std::byte> initial);
  /// A line of what `begin` was given is another one. The pool must be that.
  void begin_line(std::uint64_t line, const std::byte* bytes);
  /// Goes back to the bytes that `begin` was given.
  void restart();

  /// A store that is certain from now on. The pool must be the least image.
  void settle(const persistency::Event& store);
  /// Puts a crash over the least image; the hash of what there is then.
  [[nodiscard]] Hash put(std::span<const persistency::Write> writes) const;
  /// The pool is the least image again, whatever was written in lines that are marked.
  void restore();

  /// Whether the pool is the least image. Looks at what is in use, or at everything.
  [[nodiscard]] bool intact(bool everything) const;
  /// Restores all of the pool, this time.
  void copy_once();
  /// From now on all of the pool is restored.
  void copy_all() { copies_all_ = true; }
  [[nodiscard]] bool copies_all() const { return copies_all_; }
  [[nodiscard]] Hash hash() const { return hash_; }
  [[nodiscard]] std::size_t extent() const { return extent_; }
  /// So much of the pool may be other than zero.
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
