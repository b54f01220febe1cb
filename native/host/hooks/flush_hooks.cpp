// SPDX-License-Identifier: Apache-2.0
// The hooks of instructions found in assembler text (see targets/x86_instructions.py and
// targets/assembly_rewriting.py).
//
// They preserve all registers, and `code` is the address where the program continues. Instructions that only matter to
// persistent memory concern the crash engine alone: a flush changes no value that other threads could see, and the
// instructions that are announced here and kept occur in no target whose schedules are explored.
#include <cstdint>

#include "host/core/crash_mode.hpp"
#include "host/core/fence_points.hpp"

namespace rt = linpoint::runtime;
namespace crash = linpoint::runtime::crash;

extern "C" {

/// `sfence` (0), or `mfence` and equally strong instructions (1).
void __linpoint_fence(int kind, const void* code) {
  if (crash::on())
    crash::fence(kind != 0, code);
  else
    rt::fence(kind == 0 ? rt::kRelease : rt::kSequential, code);
}

/// `clflush`, or a flush that completes only at the next fence (`later`). The instruction itself is removed.
void __linpoint_flush(void* address, int later, const void* code) {
  if (crash::on()) crash::flush(address, later != 0, code);
}

/// Before a store that bypasses the caches.
void __linpoint_non_temporal(void* address, unsigned size, const void* code) {
  if (crash::on()) crash::non_temporal(address, size, code);
}

/// Before a plain store without a compiler hook.
void __linpoint_store(void* address, unsigned size, const void* code) {
  if (crash::on()) crash::plain_range(address, size, true, code);
}

/// Before a locked instruction, or an exchange with memory.
void __linpoint_locked(void* address, unsigned size, const void* code) {
  if (crash::on()) crash::locked(address, size, code);
}

/// `rdtsc`: advances by a constant at each read, so that runs are equal and no thread waits for long.
std::uint64_t __linpoint_time(int /*kind*/, const void* /*code*/) {
  constexpr std::uint64_t kLook = 1'000'000;
  static std::uint64_t time = 0;
  return time += kLook;
}
}
