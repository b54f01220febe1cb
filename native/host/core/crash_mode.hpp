// SPDX-License-Identifier: Apache-2.0
// The hooks while a persistent object runs: nothing is a step, and a global mode selects what is recorded.
//
// Lean: records written lines of the pool, so that they can be restored, and counts down fuel; running out of it counts
// as hanging. Recovery and probes run in this mode, thousands of times per second, at a few nanoseconds per hook.
// Watching: also records lines that are read. Tracing: every event goes to the recorder (pool_trace_recorder.hpp).
//
// The mode is checked before the phase: it is off unless crashes were requested.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/core/scheduling_points.hpp"

extern "C" {
[[gnu::visibility("hidden")]] extern std::uint8_t linpoint_crashing;  ///< a `crash::Hooks`
/// Each hook decrements it. Lean: the remaining fuel. In other modes it is exhausted, so that each hook takes the slow
/// path.
[[gnu::visibility("hidden")]] extern std::int64_t linpoint_countdown;
}

namespace linpoint::runtime::crash {

enum Hooks : std::uint8_t { kOff, kLean, kWatching, kTracing };

[[nodiscard]] inline bool on() { return linpoint_crashing != kOff; }
[[nodiscard]] inline bool tracing() { return linpoint_crashing == kTracing; }

inline constexpr std::uint64_t kLine = 64;

/// The data that lean hooks use, in one place.
struct Hot {
  std::int64_t fuel = 0;    ///< while hooks are not lean
  std::uint64_t begin = 0;  ///< of the pool
  std::uint64_t span = 0;
  std::uint8_t* marks = nullptr;     ///< of each line: whether it is in one of the lists
  std::uint32_t* written = nullptr;  ///< lines, each at most once
  std::uint32_t* read = nullptr;
  std::size_t written_count = 0;
  std::size_t read_count = 0;
};
extern Hot hot;

inline constexpr std::uint8_t kWritten = 1;
inline constexpr std::uint8_t kRead = 2;

/// Out of fuel, or hooks are not lean.
void spent(const void* caller);

[[gnu::always_inline]] inline void spend(const void* caller) {
  if (--linpoint_countdown < 0) [[unlikely]]
    spent(caller);
}

inline void mark_written(std::uint64_t line) {
  if ((hot.marks[line] & kWritten) != 0) return;
  hot.marks[line] |= kWritten;
  hot.written[hot.written_count++] = static_cast<std::uint32_t>(line);
}
inline void mark_read(std::uint64_t line) {
  if ((hot.marks[line] & kRead) != 0) return;
  hot.marks[line] |= kRead;
  hot.read[hot.read_count++] = static_cast<std::uint32_t>(line);
}

[[nodiscard]] inline bool in_pool(std::uint64_t address) { return address - hot.begin < hot.span; }

/// Records the lines of the pool that are about to be written; of at most a line's size, or any size.
[[gnu::always_inline]] inline void lean_write(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t offset = address - hot.begin;
  if (offset >= hot.span) return;
  const std::uint64_t first = offset / kLine;
  const std::uint64_t last = (offset + size - 1) / kLine;
  mark_written(first);
  if (last != first) [[unlikely]]
    mark_written(last);
}
/// Bytes outside the pool are ignored.
void note_written(std::uint64_t address, std::uint64_t size);
void note_read(std::uint64_t address, std::uint64_t size);

// ---- Hooks that are not performance-critical ------------------------------------------------------------------------

void plain_range(const volatile void* address, std::size_t size, bool writes, const void* caller);
void* plain_copy(void* to, const void* from, std::size_t size, const void* caller);
void* plain_fill(void* to, int value, std::size_t size, const void* caller);
/// An instruction that orders flushes; `loads`: also reads.
void fence(bool loads, const void* caller);
/// clflush, or a flush that completes by the next fence.
void flush(void* address, bool later, const void* caller);
/// A store that bypasses the caches, and a locked instruction: both are still to come.
void non_temporal(void* address, std::size_t size, const void* caller);
void locked(void* address, std::size_t size, const void* caller);
/// A lock, or another object of the library, is about to be used. In the pool such an object is not persistent.
void library_call(const StepInfo& info);
/// While tracing.
void enter_function(const void* caller);
void leave_function();

// ---- Operations of the program, reported by linpoint/crash.hpp ------------------------------------------------------

void operation_begins(unsigned number);
void operation_ends(unsigned number);
void operation_result(unsigned number, const char* text, std::size_t size);

}  // namespace linpoint::runtime::crash
