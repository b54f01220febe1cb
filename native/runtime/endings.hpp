// SPDX-License-Identifier: Apache-2.0
// Ways in which a program ends that nobody planned: each is a finding, and none takes the host down.
#pragma once

#include "shared_objects.hpp"

namespace linpoint::runtime {

void install_handlers();
/// The code of the program: only there it is safe to stop what computes without end.
void watch_code(const SharedObjects& modules);

}  // namespace linpoint::runtime
