// SPDX-License-Identifier: Apache-2.0
// The output of the program: recorded for each run, up to a limit, and not passed on.
#pragma once

#include <cstddef>
#include <string_view>

namespace linpoint::runtime {

/// From here on only the host uses the streams that it was started with, and there is no input. `results`: the
/// descriptor for the host's messages; returns the one to use from now on.
[[nodiscard]] int take_streams(int results);
/// The descriptor for error messages of the host itself.
[[nodiscard]] int complaints();

/// A step, since the order of printed output is observable.
void print(std::string_view text, const void* caller);

void keep_output();
void restore_output();

}  // namespace linpoint::runtime
