// SPDX-License-Identifier: Apache-2.0
// When each operation of a history may take effect under a condition, and in which era.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/time_ranking.hpp"
#include "linpoint/search/condition_problems.hpp"

namespace linpoint::search {

class OperationTimes {
 public:
  static constexpr std::int64_t kStart = std::numeric_limits<std::int64_t>::min();

  OperationTimes(const histories::Columns& columns, const Part& part, Condition condition);

  /// The crashes that end eras, one for each time: that of everything if there are several. Only buffered durability
  /// has eras.
  [[nodiscard]] const std::vector<histories::Crash>& ends() const { return ends_; }

  /// Whether an operation that returned is treated as if it never did.
  [[nodiscard]] bool open(std::int32_t position) const;

  /// When an operation may take effect. At the time of a crash, returns of crashed operations come before it and calls
  /// after it; an operation that touches a crash of the object may come before or after it.
  [[nodiscard]] histories::Span span(std::size_t op) const;

  /// Operations that its process calls from this time on come after the operation. An unknown outcome may come late,
  /// unless the condition forbids it.
  [[nodiscard]] std::int64_t in_turn_since(std::size_t op) const;

  /// The only era in which an operation may take effect, or kNone if it spans a crash of the object.
  [[nodiscard]] std::int32_t only_era(std::size_t op) const;

 private:
  void collect_ends();
  [[nodiscard]] bool crashes_at(std::int64_t time, std::size_t op) const;
  [[nodiscard]] const histories::Crash* interruption(std::size_t op) const;

  const histories::Columns& columns_;
  const Part& part_;
  Condition condition_;
  std::vector<std::int64_t> system_;  // times of crashes of everything
  std::vector<histories::Crash> ends_;
};

}  // namespace linpoint::search
