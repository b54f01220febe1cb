// SPDX-License-Identifier: Apache-2.0
// Accesses that are not atomic and have any size, for what stands in for the C library's functions on memory. The
// caller must be a hook (see hook_entry.hpp).
#pragma once

#include <cstddef>

namespace linpoint::runtime {

/// As if the compiler had instrumented it: checked for races and for memory that is gone, and a step if plain accesses
/// are.
void plain_range(const volatile void* address, std::size_t size, bool writes);
/// As memmove.
void* plain_copy(void* to, const void* from, std::size_t size);

}  // namespace linpoint::runtime
