// SPDX-License-Identifier: Apache-2.0
// A file that was given to the host with what it is to run.
#pragma once

#include <string>
#include <vector>

namespace linpoint::runtime {

/// All of a file, in parts that end with a zero.
[[nodiscard]] std::vector<std::string> read_parts(int file);

}  // namespace linpoint::runtime
