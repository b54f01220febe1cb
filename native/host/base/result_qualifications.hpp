// SPDX-License-Identifier: Apache-2.0
// What is said of the whole exploration besides a finding.
#pragma once

#include <string>
#include <vector>

namespace linpoint::runtime {

extern std::string refused_for;             ///< why the exploration ended
extern std::vector<std::string> qualified;  ///< why a clean end proves less

}  // namespace linpoint::runtime
