// SPDX-License-Identifier: Apache-2.0
// The hooks of instructions that are found in assembler text (see targets/instructions.py and targets/stubs.py).
//
// They are called with all registers kept, and `code` is where the program goes on. What only matters to persistent
// memory is for the crash engine alone: a flush changes no value that other threads could see, and the instructions
// that are announced here and stay are in no target whose schedules are explored.
#include <cstdint>

#include "host/core/crash_mode.hpp"
#include "host/core/fence_points.hpp"

namespace rt = linpoint::runtime;
namespace crash = linpoint::runtime::crash;

extern "C" {

/// `sfence` (0), or `mfence` and what is as strong (1).
void __linpoint_fence(int kind, const void* code) {
  if (crash::on())
    crash::fence(kind != 0, code);
  else
    rt::fence(kind == 0 ? rt::kRelease : rt::kSequential, code);
}

/// `clflush`, or one that is done only at the next fence (`later`). The instruction itself is left out.
void __linpoint_flush(void* address, int later, const void* code) {
  if (crash::on()) crash::flush(address, later != 0, code);
}

/// Before a store past the caches.
void __linpoint_non_temporal(void* address, unsigned size, const void* code) {
  if (crash::on()) crash::non_temporal(address, size, code);
}

/// Before a plain store that the compiler has no hook for.
void __linpoint_store(void* address, unsigned size, const void* code) {
  if (crash::on()) crash::plain_range(address, size, true, code);
}

/// Before a locked instruction, or an exchange with memory.
void __linpoint_locked(void* address, unsigned size, const void* code) {
  if (crash::on()) crash::locked(address, size, code);
}

/// `rdtsc`: goes on by the same at each look, so that runs are alike and nobody waits for long.
std::uint64_t __linpoint_time(int /*kind*/, const void* /*code*/) {
  constexpr std::uint64_t kLook = 1'000'000;
  static std::uint64_t time = 0;
  return time += kLook;
}
}
