// SPDX-License-Identifier: Apache-2.0
// What the host says: lines of JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "linpoint/explore/explorer.hpp"
#include "scheduler.hpp"

namespace linpoint::runtime {

struct Result {
  std::string ended;
  bool exhaustive = false;
  explore::Progress progress;
  int completed = -1;
  std::uint64_t diverged_at = explore::Explorer::kNever;
  std::string reason;
  bool outcomes_asked = false;
  std::map<std::string, std::uint64_t> outcomes;
  std::optional<Finding> finding;
};

void say_progress(const explore::Explorer& explorer);
void say_result(const Result& result);

}  // namespace linpoint::runtime
