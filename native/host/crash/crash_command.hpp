// SPDX-License-Identifier: Apache-2.0
// Crashes of a persistent object: a program that includes linpoint/crash.hpp, and what it is to do.
#pragma once

namespace linpoint::runtime {

/// Does what `--crash` asks for, and says what comes of it.
void explore_crashes(void* handle);

}  // namespace linpoint::runtime
