// SPDX-License-Identifier: Apache-2.0
// The program's threads as OS threads, one of which runs at a time, as in most tools of this kind; for comparison.
#pragma once

namespace linpoint::runtime {

class Fiber;

void begin_os_thread(const Fiber& fiber, void (*entry)());
void enter_os_thread(const Fiber& fiber);
void leave_os_thread(const Fiber& fiber);
/// Ends all of them, whether they have finished or not.
void end_os_threads();

}  // namespace linpoint::runtime
