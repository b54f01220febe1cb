// SPDX-License-Identifier: Apache-2.0
// Non-atomic accesses of any size, for the replacements of the C library's memory functions. The caller must be a hook
// (see hook_entry.hpp).
#pragma once

#include <cstddef>

namespace linpoint::runtime {

/// Treats an access as if the compiler had instrumented it: checked for races and invalid memory, and a step if plain
/// accesses are steps.
void plain_range(const volatile void* address, std::size_t size, bool writes);
/// Like memmove.
void* plain_copy(void* to, const void* from, std::size_t size);

}  // namespace linpoint::runtime
