// SPDX-License-Identifier: Apache-2.0
// Records a trace of the program's accesses to its pool.
//
// The hook of a plain store comes before the store, and does not know its value; some compilers announce a destination,
// then a source, then copy. So announced bytes are compared with a shadow of the pool at each later hook. Changed bytes
// become an event with their value; unchanged bytes stay announced until the program accesses the same bytes, flushes,
// fences, or ends the operation. A store that changes nothing is not an event.
//
// Guarantee: events are in program order; changes that no hook announces are not events, and differ from the shadow at
// the end. Cost: comparing the announced bytes, of which there are few, at each hook.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/base/host_memory.hpp"
#include "host/core/scheduling_points.hpp"
#include "host/persistent/standard_library_code.hpp"
#include "linpoint/persistency/pool_trace.hpp"

namespace linpoint::runtime::crash {

using persistency::Event;

/// A set of code addresses.
class CodeSet {
 public:
  void add(std::uint64_t code);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  HostVector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

class Recorder {
 public:
  /// Functions that were entered, each with its caller; 0 is none.
  struct Frame {
    std::uint32_t outer = 0;
    std::uint64_t caller = 0;
  };

  [[nodiscard]] bool prepare();
  /// Starts a trace: the pool has its current content, with only zeros after `extent` bytes. `keeps`: saves the content
  /// before the first operation.
  void restart(std::size_t extent, bool keeps = false);

  // Called by hooks. Addresses may lie outside the pool, where they are ignored.
  void write(std::uint64_t address, std::uint64_t size, const void* code);
  void read(std::uint64_t address, std::uint64_t size, const void* code);
  void non_temporal(std::uint64_t address, std::uint64_t size, const void* code);
  /// A locked instruction that is still to come.
  void locked(std::uint64_t address, std::uint64_t size, const void* code);
  /// A store that is already in memory. Earlier announcements were settled before it.
  void stored(std::uint64_t address, std::uint64_t size, persistency::Kind kind, const void* code);
  void flush(std::uint64_t address, bool later, const void* code);
  /// `loads`: it also orders loads.
  void fence(const void* code, bool loads = false);
  void allocate(std::uint64_t address, std::uint64_t size, const void* code);
  void free(std::uint64_t address, const void* code);
  void call(std::uint32_t operation);
  void returns(std::uint32_t operation);
  void lock(std::uint64_t address, bool takes, const void* code);
  void compare(std::uint64_t one, std::uint64_t other, const void* code);
  /// A library object occupies, or begins at, these bytes: its changes there are not events.
  void library_object(std::uint64_t address, std::uint64_t size);
  void enter(const void* caller);
  void leave();
  void edge(const void* code) { edges_.add(reinterpret_cast<std::uint64_t>(code)); }

  /// Announced stores that have not happened will never happen.
  void settle_all();
  /// Attributes events of the standard library's code to its callers. Called at the end.
  void blame_callers(const StandardCode& standard);

  [[nodiscard]] std::span<const Event> events() const { return events_; }
  /// The event with which the first operation began, and the content of the pool before it.
  [[nodiscard]] std::uint32_t first_call() const { return first_call_; }
  [[nodiscard]] std::span<const std::byte> initial() const { return {initial_, initial_extent_}; }
  [[nodiscard]] std::span<const std::uint32_t> frames_of_events() const { return frames_of_events_; }
  [[nodiscard]] std::span<const Frame> frames() const { return frames_; }
  [[nodiscard]] std::size_t edges() const { return edges_.size(); }
  /// Whether the pool has bytes that no event has written.
  [[nodiscard]] bool differs();
  /// Whether there were so many reads that some were left out.
  [[nodiscard]] bool left_out() const { return left_out_; }

  std::uint32_t operation = persistency::kNoOperation;

  /// Calls `pause` after `stores` more stores, outside the recorder's own processing. 0: never.
  void pause_after(std::uint64_t stores, void (*pause)());
  /// Within operations: the maximum number of consecutive hooks without a store.
  [[nodiscard]] std::int64_t longest_silence() const { return longest_silence_; }
  /// From now on an operation without a store for `within` hooks runs out of fuel: it waits for something that never
  /// happens. `fuel` is its total limit.
  void expect_stores(std::int64_t within, std::int64_t fuel);
  /// Removes all events. A line of the pool is restored to its content before them.
  void rewind();
  void rewind_line(std::uint64_t line, const std::byte* bytes);

 private:
  struct Announced {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::uint64_t code = 0;
    persistency::Kind kind = persistency::Kind::kStore;
    unsigned age = 0;
  };
  struct Bytes {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
  };

  void settle();
  void end_silence();
  void pause_if_asked();
  /// False if it has not happened yet.
  [[nodiscard]] bool settle_one(const Announced& each);
  void forget(std::uint64_t address, std::uint64_t size);
  [[nodiscard]] bool changed(std::uint64_t address, std::uint64_t size) const;
  Event& add(persistency::Kind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code);
  void add_store(persistency::Kind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code);

  std::byte* shadow_ = nullptr;  ///< the pool as events have made it
  std::size_t extent_ = 0;       ///< the shadow is zero beyond it
  std::byte* initial_ = nullptr;
  std::size_t initial_extent_ = 0;
  std::uint32_t first_call_ = 0;
  bool called_ = false;
  HostVector<Event> events_;
  HostVector<std::uint32_t> frames_of_events_;
  HostVector<Frame> frames_;
  HostVector<std::uint32_t> frame_slots_;  ///< by outer frame and caller, with open addressing
  std::uint32_t frame_ = 0;
  HostVector<Announced> announced_;
  HostVector<Bytes> volatile_;
  CodeSet edges_;
  std::size_t reads_ = 0;
  bool left_out_ = false;
  std::uint64_t until_pause_ = 0;
  bool pauses_ = false;
  void (*pause_)() = nullptr;
  std::int64_t longest_silence_ = 0;
  std::int64_t fuel_then_ = 0;  ///< at the beginning of a silence
  std::int64_t within_ = 0;     ///< 0: stores are not expected
  std::int64_t fuel_left_ = 0;  ///< otherwise: the fuel beyond that granted until the next store
};
extern Recorder the_recorder;

}  // namespace linpoint::runtime::crash
