// SPDX-License-Identifier: Apache-2.0
// Keys for thread-specific values (pthread_key_create and the like).
#pragma once

namespace linpoint::runtime {

void keep_keys();
void restore_keys();
/// For the values of the running thread, as when it ends.
void run_key_destructors();

}  // namespace linpoint::runtime
