// SPDX-License-Identifier: Apache-2.0
// Stores that have been issued and have not reached memory: x86-TSO and PSO.
//
// TSO (Owens, Sarkar, Sewell: A Better x86 Memory Model, TPHOLs 2009): each thread has one queue of stores. PSO (SPARC
// V8): one queue for each location, that
// is, address; a barrier makes later stores wait for all earlier ones, and so does an overlap. A thread sees its own
// stores at once, whatever part of them it reads. Under SC there are no buffers, and nobody calls anything here.
//
// For an explorer each queue is a process whose steps are flushes, and issuing is no step: the step in which a store is
// issued releases a place of its own, which the flush acquires, so that it comes after it. A flush releases a place of
// its queue; whoever needs empty buffers acquires the places of all queues of its thread. A store that must wait for
// stores of other queues acquires what just these release: if it acquired more, those that it need not wait for would
// seem to come before it in any case.
//
// While a thread runs, its stores lie over the memory, so that code that knows nothing of buffers reads them:
// `lay_over` before it runs, `lift` after. What reaches memory is decided by the flushes alone.
//
// Cost: linear in the stores of a thread that wait, usually few.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::memory {

enum class Model : std::uint8_t { kSc, kTso, kPso };

/// A thread t is the process `t << bits`, and its queues are the next ones.
[[nodiscard]] constexpr unsigned family_bits(Model model) {
  if (model == Model::kSc) return 0;
  return model == Model::kTso ? 1 : 4;
}

inline constexpr std::size_t kWidest = 16;                                   ///< bytes of a store
inline constexpr unsigned kMostQueues = 15;                                  ///< of a thread
inline constexpr std::uint64_t kDrainedPlaces = std::uint64_t{0x90} << 56U;  ///< above all addresses of memory
inline constexpr std::uint64_t kIssuedPlaces = std::uint64_t{0x91} << 56U;
inline constexpr std::uint64_t kFlushedPlaces = std::uint64_t{0x92} << 56U;

struct Store {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::uint64_t number = 0;  ///< among all of a run
  std::uint32_t queue = 0;
  std::uint32_t index = 0;       ///< among those of its thread
  std::uint32_t waits_from = 0;  ///< it comes after the stores of its thread from this one on
  std::uint32_t waits_to = 0;    ///< and before this one
  std::uint32_t note = 0;        ///< whatever the caller wants back at the flush
  std::array<std::byte, kWidest> value{};
  std::array<std::byte, kWidest> beneath{};  ///< what it lies over while it does
};

/// Of one thread.
class StoreBuffer {
 public:
  /// Begins a run.
  void restart(Model model, std::uint32_t thread);

  [[nodiscard]] bool empty() const { return stores_.empty(); }
  [[nodiscard]] std::span<const Store> stores() const { return stores_; }  ///< the oldest first
  [[nodiscard]] bool overlaps(std::uint64_t address, std::size_t size) const;

  /// A store whose value is in memory already, since the thread runs and its stores lie over it: `beneath` is what was
  /// there before. `number` is fresh. False if more is kept in order than PSO asks for, since there are too many
  /// locations, or stores overlap and begin at different addresses.
  bool issue(std::uint64_t address, std::size_t size, const std::byte* beneath, std::uint64_t number,
             std::uint32_t note);
  /// Later stores wait for the ones so far, as those of TSO do anyway.
  void barrier() { barrier_ = issued_; }

  /// Makes memory as the thread sees it, and as the others do.
  void lay_over();
  void lift();

  /// The same, and tells what no longer lay there as it was laid: the thread has written over it in a way that nobody
  /// was told of, as to a variable of its own that has the place of an atomic one on the stack.
  struct Overwritten {
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    std::array<std::byte, kWidest> value{};
  };
  void lift(std::vector<Overwritten>& found);

  /// The bytes as the thread sees them while its stores do not lie over memory.
  void look(std::uint64_t address, std::size_t size, std::byte* seen) const;

  [[nodiscard]] unsigned queues() const { return queues_; }
  /// The store that this queue would flush next: its index, or kNone if there is none or it must wait.
  [[nodiscard]] std::size_t next(unsigned queue) const;
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// The first store of a queue, whether it must wait or not.
  [[nodiscard]] std::size_t first(unsigned queue) const;
  /// Writes a store to memory and forgets it. The stores must not lie over memory.
  void flush(std::size_t index);

  /// What the flush of a store does.
  static constexpr std::size_t kMostAccesses = 5;
  [[nodiscard]] std::size_t accesses(const Store& store, explore::Access* into) const;
  /// What issuing one adds to the step.
  [[nodiscard]] static explore::Access issued(std::uint64_t number) {
    return {kIssuedPlaces + number, kIssuedPlaces + number + 1, explore::Mode::kRelease};
  }
  /// What comes after all flushes so far.
  [[nodiscard]] explore::Access drained() const {
    const std::uint64_t begin = kDrainedPlaces + std::uint64_t{thread_} * (kMostQueues + 1);
    return {begin, begin + kMostQueues + 1, explore::Mode::kAcquire};
  }

 private:
  [[nodiscard]] unsigned queue_of(std::uint64_t address, bool& own);

  Model model_ = Model::kTso;
  std::uint32_t thread_ = 0;
  std::uint32_t issued_ = 0;
  std::uint32_t barrier_ = 0;  ///< so many were issued before the last one
  unsigned queues_ = 0;
  std::vector<Store> stores_;
  std::array<std::uint64_t, kMostQueues> locations_{};  ///< of the queues
};

}  // namespace linpoint::memory
