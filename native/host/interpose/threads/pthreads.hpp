// SPDX-License-Identifier: Apache-2.0
// Threads of POSIX: of the program's, each is a fiber.
#pragma once

namespace linpoint::runtime {

void restore_threads();

/// Runs what a thread is to do, up to its end or pthread_exit; what that gives is its result.
void run_body(void* (*function)(void*), void* argument);

}  // namespace linpoint::runtime
