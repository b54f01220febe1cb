// SPDX-License-Identifier: Apache-2.0
// The interface of the program's heap for the parts of the library.
#pragma once

#include <cstddef>

#include "host/base/real_functions.hpp"
#include "host/interpose/process/program_heap.hpp"

namespace linpoint::runtime {

extern Arena the_heap;
[[nodiscard]] inline Arena& heap() { return the_heap; }

/// Restores the state in which the program was loaded.
void restore_heap();

/// Like malloc and free for the current caller: the program, from its arena, or the host.
[[nodiscard]] void* allocate(std::size_t size, std::size_t alignment, const void* caller);
void release(void* block, const void* caller);

}  // namespace linpoint::runtime
