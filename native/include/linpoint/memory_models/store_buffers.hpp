// SPDX-License-Identifier: Apache-2.0
// Stores that have been issued and have not reached memory: x86-TSO and PSO.
//
// TSO (Owens, Sarkar, Sewell: A Better x86 Memory Model, TPHOLs 2009): each thread has one queue of stores. PSO (SPARC
// V8): each thread has one queue per location (address); a barrier makes later stores wait for all earlier ones, and an
// overlap does too. A thread sees its own stores immediately, whichever part of them it reads. Under SC there are no
// buffers, and nothing here is called.
//
// For an explorer each queue is a process whose steps are flushes, and issuing a store is not a step of its own: the
// step that issues a store releases a place of that store, which the flush acquires, so that the flush comes after it.
// A flush releases a place of its queue; a step that needs empty buffers acquires the places of all queues of its
// thread. A store that must wait for stores of other queues acquires exactly what these release: if it acquired more,
// stores that it need not wait for would always seem to come before it.
//
// While a thread runs, its stores are overlaid on memory, so that code that knows nothing of buffers reads them:
// `lay_over` before it runs, `lift` after. Only flushes decide what reaches memory.
//
// Cost: linear in the waiting stores of a thread, usually few.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::memory {

enum class Model : std::uint8_t { kSc, kTso, kPso };

/// Thread t is the process `t << bits`; the next numbers are its queues.
[[nodiscard]] constexpr unsigned family_bits(Model model) {
  if (model == Model::kSc) return 0;
  return model == Model::kTso ? 1 : 4;
}

inline constexpr std::size_t kWidest = 16;                                   ///< maximum size of a store in bytes
inline constexpr unsigned kMostQueues = 15;                                  ///< per thread
inline constexpr std::uint64_t kDrainedPlaces = std::uint64_t{0x90} << 56U;  ///< above all addresses of memory
inline constexpr std::uint64_t kIssuedPlaces = std::uint64_t{0x91} << 56U;
inline constexpr std::uint64_t kFlushedPlaces = std::uint64_t{0x92} << 56U;

struct Store {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::uint64_t number = 0;  ///< unique within a run
  std::uint32_t queue = 0;
  std::uint32_t index = 0;       ///< among the stores of its thread
  std::uint32_t waits_from = 0;  ///< it comes after the stores of its thread from this one on
  std::uint32_t waits_to = 0;    ///< and before this one
  std::uint32_t note = 0;        ///< returned to the caller at the flush
  std::array<std::byte, kWidest> value{};
  std::array<std::byte, kWidest> beneath{};  ///< the bytes it covers while it is overlaid
};

/// The store buffer of one thread.
class StoreBuffer {
 public:
  /// Begins a run.
  void restart(Model model, std::uint32_t thread);

  [[nodiscard]] bool empty() const { return stores_.empty(); }
  [[nodiscard]] std::span<const Store> stores() const { return stores_; }  ///< the oldest first
  [[nodiscard]] bool overlaps(std::uint64_t address, std::size_t size) const;

  /// Issues a store whose value is already in memory, since the thread runs with its stores overlaid: `beneath` holds
  /// the previous bytes. `number` is unused so far. False if more order is kept than PSO requires, because there are
  /// too many locations, or stores overlap and begin at different addresses.
  bool issue(std::uint64_t address, std::size_t size, const std::byte* beneath, std::uint64_t number,
             std::uint32_t note);
  /// Makes later stores wait for the earlier ones, which TSO does anyway.
  void barrier() { barrier_ = issued_; }

  /// Makes memory as the thread sees it, and (`lift`) as other threads see it.
  void lay_over();
  void lift();

  /// The same as `lift`, and reports stores whose overlaid bytes have changed: the thread overwrote them without a
  /// hook, for example through a variable of its own that reuses the stack slot of an atomic one.
  struct Overwritten {
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    std::array<std::byte, kWidest> value{};
  };
  void lift(std::vector<Overwritten>& found);

  /// Reads bytes as the thread sees them while its stores are not overlaid.
  void look(std::uint64_t address, std::size_t size, std::byte* seen) const;

  [[nodiscard]] unsigned queues() const { return queues_; }
  /// The store that this queue would flush next: its index, or kNone if there is none or it must wait.
  [[nodiscard]] std::size_t next(unsigned queue) const;
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// The first store of a queue, whether or not it must wait.
  [[nodiscard]] std::size_t first(unsigned queue) const;
  /// Writes a store to memory and removes it. The stores must not be overlaid.
  void flush(std::size_t index);

  /// The accesses of a store's flush.
  static constexpr std::size_t kMostAccesses = 5;
  [[nodiscard]] std::size_t accesses(const Store& store, explore::Access* into) const;
  /// The access that issuing a store adds to the step.
  [[nodiscard]] static explore::Access issued(std::uint64_t number) {
    return {kIssuedPlaces + number, kIssuedPlaces + number + 1, explore::Mode::kRelease};
  }
  /// The access that comes after all flushes so far.
  [[nodiscard]] explore::Access drained() const {
    const std::uint64_t begin = kDrainedPlaces + std::uint64_t{thread_} * (kMostQueues + 1);
    return {begin, begin + kMostQueues + 1, explore::Mode::kAcquire};
  }

 private:
  [[nodiscard]] unsigned queue_of(std::uint64_t address, bool& own);

  Model model_ = Model::kTso;
  std::uint32_t thread_ = 0;
  std::uint32_t issued_ = 0;
  std::uint32_t barrier_ = 0;  ///< number of stores issued before the last barrier
  unsigned queues_ = 0;
  std::vector<Store> stores_;
  std::array<std::uint64_t, kMostQueues> locations_{};  ///< of the queues
};

}  // namespace linpoint::memory
