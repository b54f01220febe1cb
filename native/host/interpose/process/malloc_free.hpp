// SPDX-License-Identifier: Apache-2.0
// The heap of the program under control, as the parts of the library know it.
#pragma once

#include <cstddef>

#include "host/base/real_functions.hpp"
#include "host/interpose/process/program_heap.hpp"

namespace linpoint::runtime {

extern Arena the_heap;
[[nodiscard]] inline Arena& heap() { return the_heap; }

/// As it was when the program was loaded.
void restore_heap();

/// As malloc and free by whoever runs: the program, from its arena, or the host.
[[nodiscard]] void* allocate(std::size_t size, std::size_t alignment, const void* caller);
void release(void* block, const void* caller);

}  // namespace linpoint::runtime
