// SPDX-License-Identifier: Apache-2.0
// Where in the program a step comes from that went through a library, as creating a thread goes through libstdc++.
#pragma once

namespace linpoint::runtime {

/// The innermost address of code of the program from which the running fiber came here; `caller` itself if it is of the
/// program, or if nothing on the way is. It unwinds the stack, which is slow: for traces alone.
[[nodiscard]] const void* caller_in_program(const void* caller);

}  // namespace linpoint::runtime
