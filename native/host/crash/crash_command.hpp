// SPDX-License-Identifier: Apache-2.0
// Crashes of a persistent object: a program that includes linpoint/crash.hpp, and the operations to run.
#pragma once

namespace linpoint::runtime {

/// Runs the tests that `--crash` requests, and reports the results.
void explore_crashes(void* handle);

}  // namespace linpoint::runtime
