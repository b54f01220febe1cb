// SPDX-License-Identifier: Apache-2.0
// The program's threads as OS threads, one of which goes at a time: what most tools of this kind do, for comparison.
#pragma once

namespace linpoint::runtime {

class Fiber;

void begin_os_thread(const Fiber& fiber, void (*entry)());
void enter_os_thread(const Fiber& fiber);
void leave_os_thread(const Fiber& fiber);
/// Whether they have come to their end or not.
void end_os_threads();

}  // namespace linpoint::runtime
