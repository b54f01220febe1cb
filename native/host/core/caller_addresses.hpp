// SPDX-License-Identifier: Apache-2.0
// The place in the program that caused a step through a library, as creating a thread goes through libstdc++.
#pragma once

namespace linpoint::runtime {

/// The innermost address of the program's code on the path of the running fiber to this call; `caller` itself if it
/// belongs to the program, or if nothing on the path does. It unwinds the stack, which is slow: only for traces.
[[nodiscard]] const void* caller_in_program(const void* caller);

}  // namespace linpoint::runtime
