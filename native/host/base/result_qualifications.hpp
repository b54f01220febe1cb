// SPDX-License-Identifier: Apache-2.0
// Statements about the whole exploration, in addition to findings.
#pragma once

#include <string>
#include <vector>

namespace linpoint::runtime {

extern std::string refused_for;             ///< why the exploration ended early
extern std::vector<std::string> qualified;  ///< why a run without findings proves less

}  // namespace linpoint::runtime
