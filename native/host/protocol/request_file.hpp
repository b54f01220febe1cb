// SPDX-License-Identifier: Apache-2.0
// Reads a file passed to the host that contains what it is to run.
#pragma once

#include <string>
#include <vector>

namespace linpoint::runtime {

/// The contents of a file, in parts that end with a zero byte.
[[nodiscard]] std::vector<std::string> read_parts(int file);

}  // namespace linpoint::runtime
