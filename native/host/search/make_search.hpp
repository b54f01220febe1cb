// SPDX-License-Identifier: Apache-2.0
// The explorer that the text of `--search` specifies.
#pragma once

#include <memory>

#include "linpoint/explore/schedulers.hpp"

namespace linpoint::runtime {

/// nullptr if the text is invalid.
[[nodiscard]] std::unique_ptr<explore::Explorer> make_search();

}  // namespace linpoint::runtime
