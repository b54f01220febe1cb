// SPDX-License-Identifier: Apache-2.0
// Ways in which a program ends that nobody planned: each is a finding, and none takes the host down.
#pragma once

namespace linpoint::runtime {

void install_handlers();
/// Looks whether the program gets on. To be done again in another process.
void start_watchdog();

}  // namespace linpoint::runtime
