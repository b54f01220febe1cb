// SPDX-License-Identifier: Apache-2.0
#include "monitors/intervals.hpp"

#include <algorithm>

namespace linpoint::monitors {

std::vector<Interval> intervals_of(const search::Problem& problem, std::int32_t offset, std::int32_t& gaps) {
  std::int64_t latest = -1;
  for (std::size_t op = 0; op < problem.size(); ++op) {
    latest = std::max(latest, problem.call[op]);
    if (problem.ret[op] != histories::kNever) latest = std::max(latest, problem.ret[op]);
  }
  enum : std::int32_t { kNothing = -2, kCall = -1 };  // other values are returns
  std::vector<std::int32_t> runs(static_cast<std::size_t>(latest + 1), kNothing);
  const auto rank = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  for (std::size_t op = 0; op < problem.size(); ++op) {
    runs[rank(problem.call[op])] = kCall;
    if (problem.ret[op] != histories::kNever) runs[rank(problem.ret[op])] = 0;
  }
  std::int32_t run = offset - 1;
  bool after_return = true;
  for (std::int32_t& each : runs) {
    if (each == kNothing) continue;
    const bool call = each == kCall;
    if (call && after_return) ++run;
    after_return = !call;
    each = run;
  }
  gaps = run + 2;
  std::vector<Interval> intervals(problem.size());
  for (std::size_t op = 0; op < problem.size(); ++op) {
    intervals[op].first = runs[rank(problem.call[op])];
    intervals[op].last = problem.ret[op] == histories::kNever ? run + 1 : runs[rank(problem.ret[op])];
  }
  return intervals;
}

std::vector<Interval> common(std::span<const Interval> a, std::span<const Interval> b) {
  std::vector<Interval> both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Interval shared{std::max(a[i].first, b[j].first), std::min(a[i].last, b[j].last)};
    if (shared.first <= shared.last) both.push_back(shared);
    ++(a[i].last < b[j].last ? i : j);
  }
  return both;
}

}  // namespace linpoint::monitors
