// SPDX-License-Identifier: Apache-2.0
// Fences, whoever asks for one: the compiler's hook, or an instruction that was found in assembler text.
#pragma once

namespace linpoint::runtime {

/// As compilers number memory orders.
enum Order : int { kRelaxed, kConsume, kAcquire, kRelease, kAcquireRelease, kSequential };

/// A fence of the running thread, by the code at `caller`.
void fence(int order, const void* caller);

}  // namespace linpoint::runtime
