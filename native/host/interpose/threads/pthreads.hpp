// SPDX-License-Identifier: Apache-2.0
// POSIX threads: each thread of the program is a fiber.
#pragma once

namespace linpoint::runtime {

void restore_threads();

/// Runs the function of a thread, up to its return or pthread_exit; either gives the thread's result.
void run_body(void* (*function)(void*), void* argument);

}  // namespace linpoint::runtime
