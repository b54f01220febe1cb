// SPDX-License-Identifier: Apache-2.0
// What tests of native machines share: the values of their histories, and blueprints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linpoint/specs/native_machine.hpp"

namespace linpoint::tests {

// Values as histories number them: null, true and false first.
inline constexpr std::int32_t kNull = 0;
inline constexpr std::int32_t kYes = 1;
inline constexpr std::int32_t kNo = 2;
inline constexpr std::int32_t kA = 3;
inline constexpr std::int32_t kB = 4;
inline constexpr std::int32_t kC = 5;

inline specs::Blueprint blueprint_of(const std::string& kind, const std::vector<std::string>& names) {
  specs::Blueprint blueprint;
  blueprint.kind = kind;
  blueprint.names = names;
  blueprint.constants = {.null = kNull, .yes = kYes, .no = kNo};
  return blueprint;
}

}  // namespace linpoint::tests
