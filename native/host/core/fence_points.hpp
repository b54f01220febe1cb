// SPDX-License-Identifier: Apache-2.0
// Fences from either source: the compiler's hook, or an instruction found in assembler text.
#pragma once

namespace linpoint::runtime {

/// Numbered as in compilers' memory orders.
enum Order : int { kRelaxed, kConsume, kAcquire, kRelease, kAcquireRelease, kSequential };

/// A fence of the running thread, by the code at `caller`.
void fence(int order, const void* caller);

}  // namespace linpoint::runtime
