// SPDX-License-Identifier: Apache-2.0
// What the program prints: kept for each run, up to a bound, and shown to nobody else.
#pragma once

#include <cstddef>
#include <string_view>

namespace linpoint::runtime {

/// From here on nothing but the host reaches the streams that it was started with, and there is nothing to read.
/// `results`: the descriptor for what the host says; the one to use from now on is returned.
[[nodiscard]] int take_streams(int results);
/// The descriptor for complaints of the host itself.
[[nodiscard]] int complaints();

/// A step, since the order of what threads print can be seen.
void print(std::string_view text, const void* caller);

void keep_output();
void restore_output();

}  // namespace linpoint::runtime
