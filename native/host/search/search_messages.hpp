// SPDX-License-Identifier: Apache-2.0
// The messages of searches: progress and results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/core/scheduler.hpp"
#include "host/protocol/json.hpp"
#include "linpoint/explore/explorer.hpp"

namespace linpoint::runtime {

struct SearchResult {
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

[[nodiscard]] const char* fault_name(Fault fault);
void put_schedule(Json& json, const std::vector<explore::Deviation>& schedule);
void send_progress(const explore::Explorer& explorer);
void send_result(const SearchResult& result);

}  // namespace linpoint::runtime
