// SPDX-License-Identifier: Apache-2.0
// The command line of the host: `host TARGET.so [options] -- [argv of the program]`.
#pragma once

#include <string>
#include <string_view>

namespace linpoint::runtime {

/// Fills in `options`; returns an error message, or nothing.
[[nodiscard]] std::string read_arguments(int argc, char** argv);

/// The error message for the value of an option.
[[nodiscard]] std::string refused_value(std::string_view name, std::string_view value);

}  // namespace linpoint::runtime
