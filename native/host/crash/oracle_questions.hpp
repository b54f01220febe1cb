// SPDX-License-Identifier: Apache-2.0
// Decides whether an outcome after a crash is allowed, by querying the general checker once for each outcome.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/crash/crash_plan.hpp"
#include "host/crash/expected_results.hpp"
#include "host/crash/pool_images.hpp"
#include "host/crash/recovery_runs.hpp"
#include "host/protocol/json.hpp"

namespace linpoint::runtime::crash {

enum class Class : std::uint8_t { kDl1, kDl2, kC2, kDl3, kExhaustive, kRecovery };
inline constexpr std::size_t kClasses = 6;
[[nodiscard]] const char* name_of(Class kind);

/// What had been done at a crash.
struct Context {
  std::size_t completed = 0;                           ///< number of completed operations of the workload
  std::vector<unsigned> order;                         ///< these operations instead, if there are any
  std::vector<std::string> order_results;              ///< their results
  std::vector<unsigned> open;                          ///< numbers of operations that had begun
  std::vector<std::pair<unsigned, std::string>> done;  ///< operations outside the workload that had returned
  std::vector<unsigned> probes;

  [[nodiscard]] Hash hash() const;
};

class Oracle {
 public:
  explicit Oracle(const Scenario& scenario) : expected_results(scenario), scenario_(scenario) {}

  ExpectedResults expected_results;

  [[nodiscard]] bool allows(Class kind, const Context& context, const Outcome& outcome);
  /// Writes the part of an outcome that judgements and violations have in common.
  void put(Json& json, Class kind, const Context& context, const Outcome& outcome) const;
  [[nodiscard]] std::uint64_t asked() const { return asked_; }

 private:
  /// Whether it is certainly allowed.
  [[nodiscard]] bool is_expected(const Context& context, const Outcome& outcome);
  [[nodiscard]] const std::string& text_of(const std::vector<unsigned>& probes) const;

  const Scenario& scenario_;
  HashTable answers_;
  mutable std::vector<unsigned> last_probes_;  ///< rarely different from the last ones
  mutable std::string last_text_ = "[]";
  std::uint64_t asked_ = 0;
};

}  // namespace linpoint::runtime::crash
