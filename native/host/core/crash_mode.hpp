// SPDX-License-Identifier: Apache-2.0
// What hooks do while a persistent object runs: nothing is a step, and a global mode says what is noted.
//
// Lean: lines of the pool that are written, so that they can be restored, and fuel, since who uses it up hangs. That is
// what recovery and probes run with, thousands of times a second: a few nanoseconds for each hook. Watching: lines that
// are read, too. Tracing: every event goes to the recorder (pool_trace_recorder.hpp).
//
// The mode is looked at before the phase: it is off unless the host was asked for crashes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/core/scheduling_points.hpp"

extern "C" {
[[gnu::visibility("hidden")]] extern std::uint8_t linpoint_crashing;  ///< a `crash::Hooks`
/// Each hook counts it down. Lean: the fuel that is left. Else there is none, and each hook looks further.
[[gnu::visibility("hidden")]] extern std::int64_t linpoint_countdown;
}

namespace linpoint::runtime::crash {

enum Hooks : std::uint8_t { kOff, kLean, kWatching, kTracing };

[[nodiscard]] inline bool on() { return linpoint_crashing != kOff; }
[[nodiscard]] inline bool tracing() { return linpoint_crashing == kTracing; }

inline constexpr std::uint64_t kLine = 64;

/// What lean hooks use, all in one place.
struct Hot {
  std::int64_t fuel = 0;    ///< while hooks are not lean
  std::uint64_t begin = 0;  ///< of the pool
  std::uint64_t span = 0;
  std::uint8_t* marks = nullptr;     ///< of each line: whether it is in one of the lists
  std::uint32_t* written = nullptr;  ///< lines, each once
  std::uint32_t* read = nullptr;
  std::size_t written_count = 0;
  std::size_t read_count = 0;
};
extern Hot hot;

inline constexpr std::uint8_t kWritten = 1;
inline constexpr std::uint8_t kRead = 2;

/// There is no fuel, or hooks are not lean.
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

/// Lines of the pool that are about to be written; of at most a line's size, or any.
[[gnu::always_inline]] inline void lean_write(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t offset = address - hot.begin;
  if (offset >= hot.span) return;
  const std::uint64_t first = offset / kLine;
  const std::uint64_t last = (offset + size - 1) / kLine;
  mark_written(first);
  if (last != first) [[unlikely]]
    mark_written(last);
}
/// Bytes outside of the pool are left out.
void note_written(std::uint64_t address, std::uint64_t size);
void note_read(std::uint64_t address, std::uint64_t size);

// ---- Hooks that are not hot ----------------------------------------------------------------------------------------

void plain_range(const volatile void* address, std::size_t size, bool writes, const void* caller);
void* plain_copy(void* to, const void* from, std::size_t size, const void* caller);
void* plain_fill(void* to, int value, std::size_t size, const void* caller);
/// What orders flushes; `loads`: also what is read.
void fence(bool loads, const void* caller);
/// clflush, or what does its work by the next fence.
void flush(void* address, bool later, const void* caller);
/// A store past the caches, and an instruction that is locked: both are still to come.
void non_temporal(void* address, std::size_t size, const void* caller);
void locked(void* address, std::size_t size, const void* caller);
/// A lock, or another object of the library, is about to be used. In the pool such an object is not persistent.
void library_call(const StepInfo& info);
/// While tracing.
void enter_function(const void* caller);
void leave_function();

// ---- Operations of the program, reported by linpoint/crash.hpp
// -----------------------------------------------------------

void operation_begins(unsigned number);
void operation_ends(unsigned number);
void operation_result(unsigned number, const char* text, std::size_t size);

}  // namespace linpoint::runtime::crash
