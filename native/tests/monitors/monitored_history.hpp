// SPDX-License-Identifier: Apache-2.0
// The history of one object, whose operations are written by name, for monitors and what certifies them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linpoint/certificates/object_replay.hpp"
#include "linpoint/certificates/refutation_scope.hpp"
#include "linpoint/monitors/monitor.hpp"
#include "tests/histories/written_histories.hpp"
#include "tests/specs/machine_values.hpp"
#include "tests/support/harness.hpp"

namespace linpoint::tests {

using Positions = std::vector<std::int32_t>;

inline std::int32_t number(std::size_t size) { return static_cast<std::int32_t>(size); }

class Recording {
 public:
  explicit Recording(const std::string& kind) : blueprint_(blueprint_of(kind, {})) {}

  specs::Blueprint& blueprint() { return blueprint_; }

  /// The position of an operation with this result.
  std::int32_t op(std::string_view name, std::vector<std::int32_t> args, std::int32_t result = kNull) {
    ops_.push_back({.ret = 1, .name = name_of(name), .args = std::move(args), .result = result});
    return number(ops_.size()) - 1;
  }
  std::int32_t lost(std::string_view name, std::vector<std::int32_t> args) {
    ops_.push_back({.outcome = Outcome::kUnknown, .name = name_of(name), .args = std::move(args)});
    return number(ops_.size()) - 1;
  }

  /// How many operations of the order are legal, one after the other.
  [[nodiscard]] std::size_t replayed(const Positions& order, const std::vector<std::int64_t>& content) const {
    const verdicts::Finding found = verdicts::check_replay(columns_of(ops_), order, blueprint_, content);
    if (found.flaw == verdicts::Flaw::kNone) return order.size();
    EXPECT(found.flaw == verdicts::Flaw::kRejected);
    return static_cast<std::size_t>(std::find(order.begin(), order.end(), found.position) - order.begin());
  }
  /// All operations, of which each must be legal but the last.
  [[nodiscard]] bool rejects_last(const std::vector<std::int64_t>& content) const {
    return replayed(everything(columns_of(ops_)), content) == ops_.size() - 1;
  }
  [[nodiscard]] bool accepts(const std::vector<std::int64_t>& content) const {
    return replayed(everything(columns_of(ops_)), content) == ops_.size();
  }
  /// What must not be left out of a scope; kNone if nothing.
  [[nodiscard]] std::int32_t needed(const Positions& scope) const {
    const verdicts::Finding found =
        verdicts::check_scope(columns_of(ops_), everything(columns_of(ops_)), scope, blueprint_, 0);
    EXPECT(found.flaw == verdicts::Flaw::kNone || found.flaw == verdicts::Flaw::kNeeded);
    return found.flaw == verdicts::Flaw::kNone ? kNone : found.position;
  }
  [[nodiscard]] verdicts::Flaw flaw(const Positions& positions, const Positions& scope) const {
    return verdicts::check_scope(columns_of(ops_), positions, scope, blueprint_, 0).flaw;
  }
  [[nodiscard]] monitors::Outcome decide(const search::Problem& problem,
                                         const std::vector<std::int64_t>& content) const {
    search::StopToken stop;
    return monitors::decide(columns_of(ops_), problem, blueprint_, content, stop);
  }

 private:
  std::int32_t name_of(std::string_view name) {
    auto& names = blueprint_.names;
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) found = names.emplace(names.end(), name);
    return number(static_cast<std::size_t>(found - names.begin()));
  }
  specs::Blueprint blueprint_;
  std::vector<Op> ops_;
};

}  // namespace linpoint::tests
