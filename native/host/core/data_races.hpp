// SPDX-License-Identifier: Apache-2.0
// Data races: conflicting accesses of two threads, not both atomic, that C++ does not order.
//
// Happens-before is that of C++20: program order, creation and joining, locks, release stores read by acquire loads,
// release sequences through read-modify-writes, fences. There are vector clocks for threads and for published values,
// and for each eight bytes the accesses that a later one may race with (FastTrack, Flanagan and Freund, PLDI 2009, per
// byte, with as many records as necessary). A buffered store publishes its clock when it reaches memory.
//
// Cost: a clock has kMostThreads numbers; an access reads the records of its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/base/resettable_map.hpp"
#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

struct PastAccess {
  const void* caller = nullptr;
  std::uint32_t clock = 0;
  std::uint32_t step = 0;  ///< in the trace
  std::uint16_t thread = 0;
  std::uint8_t bytes = 0;  ///< a mask
  bool writes = false;
  bool atomic = false;
};

struct NewAccess {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  const void* caller = nullptr;
  std::uint32_t step = 0;
  bool writes = false;
  bool atomic = false;
};

class RaceDetector {
 public:
  using Clock = std::uint32_t;  ///< an index; 0 is the empty clock

  void restart();
  void begin(Thread child, Thread parent);
  void join(Thread thread, Thread other);
  void release(Thread thread, std::uint64_t object);
  void acquire(Thread thread, std::uint64_t object);

  /// The clock that a store publishes.
  [[nodiscard]] Clock message(Thread thread, bool release);
  /// The store reaches memory.
  void publish(std::uint64_t address, std::size_t size, Clock message);
  /// A read-modify-write continues the release sequence that it reads.
  void publish_further(std::uint64_t address, std::size_t size, Clock message);
  /// Whether a read-modify-write that stores the value already there changes what others learn from it. Then it counts
  /// as a write, since a thread that reads before it may race with earlier accesses of this thread.
  [[nodiscard]] bool would_tell(Thread thread, std::uint64_t address, std::size_t size, bool release);
  void load(Thread thread, std::uint64_t address, std::size_t size, bool acquire);
  void fence(Thread thread, bool acquire, bool release);

  /// Records an access; returns an earlier one that it races with, or nullptr.
  [[nodiscard]] const PastAccess* access(Thread thread, const NewAccess& access);
  void forget(std::uint64_t address, std::size_t size);

 private:
  using Times = std::array<std::uint32_t, kMostThreads>;
  /// The clock published by the last store to each byte: stores and loads of different sizes may share bytes.
  using Published = std::array<Clock, 8>;
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};

  struct Record {
    PastAccess access;
    std::uint32_t next = kEnd;
  };

  [[nodiscard]] Clock fresh();
  void join_times(Times& into, const Times& from) const;
  [[nodiscard]] const PastAccess* access_unit(Thread thread, std::uint64_t unit, std::uint8_t bytes,
                                              const NewAccess& access);
  [[nodiscard]] bool supersedes(const PastAccess& later, const PastAccess& earlier) const;

  std::array<Times, kMostThreads> threads_{};
  std::array<Clock, kMostThreads> released_{};      ///< by a fence, for later relaxed stores
  std::array<Clock, kMostThreads> seen_{};          ///< by relaxed loads, for a later fence
  std::array<std::uint32_t, kMostThreads> last_{};  ///< the time of the thread's last access
  std::vector<Times> clocks_;
  std::uint32_t used_ = 1;
  std::uint32_t width_ = 1;
  GenerationTable<Published> published_;     ///< by unit of eight bytes
  GenerationTable<Clock> objects_;           ///< by object
  GenerationTable<std::uint32_t> accesses_;  ///< by unit of eight bytes: the first record
  std::vector<Record> records_;
  PastAccess found_;
};

}  // namespace linpoint::runtime
