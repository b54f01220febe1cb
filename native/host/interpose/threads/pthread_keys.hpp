// SPDX-License-Identifier: Apache-2.0
// Keys for thread-specific values (pthread_key_create and related functions).
#pragma once

namespace linpoint::runtime {

void keep_keys();
void restore_keys();
/// Runs the destructors of the running thread's values, as at its end.
void run_key_destructors();

}  // namespace linpoint::runtime
