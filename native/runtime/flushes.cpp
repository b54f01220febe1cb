// SPDX-License-Identifier: Apache-2.0
// The hooks of instructions that are found in assembler text (see targets/instructions.py and targets/stubs.py).
//
// They are called with all registers kept, and `code` is where the program goes on. What only matters to persistent
// memory is nothing that other threads could see: a flush changes no value, and the instructions that are announced
// here and stay are in no target whose schedules are explored.
#include "fences.hpp"

namespace rt = linpoint::runtime;

extern "C" {

/// `sfence` (0), or `mfence` and what is as strong (1).
void __linpoint_fence(int kind, const void* code) { rt::fence(kind == 0 ? rt::kRelease : rt::kSequential, code); }

/// `clflush`, or one that is done only at the next fence (`later`). The instruction itself is left out.
void __linpoint_flush(void* /*address*/, int /*later*/, const void* /*code*/) {}

/// Before a store past the caches.
void __linpoint_non_temporal(void* /*address*/, unsigned /*size*/, const void* /*code*/) {}

/// Before a locked instruction, or an exchange with memory.
void __linpoint_locked(void* /*address*/, unsigned /*size*/, const void* /*code*/) {}
}
