// SPDX-License-Identifier: Apache-2.0
// Unexpected ends of a program: each is a finding, and none ends the host.
#pragma once

namespace linpoint::runtime {

void install_handlers();
/// Checks that the program makes progress. Must be called again in another process.
void start_watchdog();

}  // namespace linpoint::runtime
