// SPDX-License-Identifier: Apache-2.0
// The command line of the host: `host TARGET.so [options] -- [argv of the program]`.
#pragma once

#include <string>
#include <string_view>

namespace linpoint::runtime {

/// Fills in `options`; what is wrong with the command line, or nothing.
[[nodiscard]] std::string read_arguments(int argc, char** argv);

/// What is wrong with the value of an option.
[[nodiscard]] std::string refused_value(std::string_view name, std::string_view value);

}  // namespace linpoint::runtime
