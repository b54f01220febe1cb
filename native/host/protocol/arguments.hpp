// SPDX-License-Identifier: Apache-2.0
// The command line of the host: `host TARGET.so [options] -- [argv of the program]`.
#pragma once

#include <memory>
#include <string>

#include "host/core/scheduling_points.hpp"
#include "linpoint/explore/schedulers.hpp"

namespace linpoint::runtime {

/// Fills in `options`; what is wrong with the command line, or nothing.
[[nodiscard]] std::string read_arguments(int argc, char** argv);

/// What `--search` asks for; nullptr if it means nothing.
[[nodiscard]] std::unique_ptr<explore::Explorer> make_search();

}  // namespace linpoint::runtime
