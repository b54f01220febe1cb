// SPDX-License-Identifier: Apache-2.0
// Inserts operations that observed a different value into an order of the others. Cost: O(n log n).
//
// Such an operation can be placed after an operation of the order if nothing before it starts after its end, nothing
// after it ends before its start, and the value there is a different one. Places are filled by start, and not before
// those of operations that had ended.
#include <algorithm>
#include <limits>

#include "monitors/register.hpp"

namespace linpoint::monitors {

bool insert_differing(std::span<const Access> differing, std::span<const Interval> owns, std::int32_t initial,
                      std::span<const std::int32_t> values, std::vector<std::int32_t>& order) {
  // After the i-th operation (0: before all): the latest start so far, the earliest end to come, and where the value
  // changes.
  const std::size_t n = owns.size();
  std::vector<std::int32_t> latest(n + 1, -1);
  std::vector<std::int32_t> least(n + 1, std::numeric_limits<std::int32_t>::max());
  std::vector<std::size_t> change(n + 1, n + 1);
  const auto value = [&](std::size_t place) { return place == 0 ? initial : values[place - 1]; };
  for (std::size_t i = 0; i < n; ++i) latest[i + 1] = std::max(latest[i], owns[i].first);
  for (std::size_t i = n; i-- > 0;) {
    least[i] = std::min(least[i + 1], owns[i].last);
    change[i] = value(i + 1) == value(i) ? change[i + 1] : i + 1;
  }
  std::vector<std::size_t> by_start(differing.size());
  std::vector<std::size_t> by_end(differing.size());
  for (std::size_t i = 0; i < differing.size(); ++i) by_start[i] = by_end[i] = i;
  std::sort(by_start.begin(), by_start.end(),
            [&](std::size_t a, std::size_t b) { return differing[a].owns.first < differing[b].owns.first; });
  std::sort(by_end.begin(), by_end.end(),
            [&](std::size_t a, std::size_t b) { return differing[a].owns.last < differing[b].owns.last; });
  std::vector<std::size_t> place(differing.size());
  struct Placed {
    std::size_t place;
    std::size_t turn;
    std::int32_t op;
  };
  std::vector<Placed> placed;
  std::size_t ended = 0;
  std::size_t at_least = 0;  // not before operations that had ended
  for (const std::size_t i : by_start) {
    const Access& access = differing[i];
    for (; ended < by_end.size() && differing[by_end[ended]].owns.precedes(access.owns); ++ended)
      at_least = std::max(at_least, place[by_end[ended]]);
    const auto first = std::lower_bound(least.begin(), least.end(), access.owns.first) - least.begin();
    std::size_t found = std::max(at_least, static_cast<std::size_t>(first));
    if (value(found) == access.old) found = change[found];
    if (found > n || latest[found] > access.owns.last) return false;
    place[i] = found;
    placed.push_back({found, placed.size(), access.op});
  }
  std::sort(placed.begin(), placed.end(),
            [](const Placed& a, const Placed& b) { return a.place != b.place ? a.place < b.place : a.turn < b.turn; });
  std::vector<std::int32_t> merged;
  merged.reserve(order.size() + placed.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    for (; next < placed.size() && placed[next].place == i; ++next) merged.push_back(placed[next].op);
    if (i < n) merged.push_back(order[i]);
  }
  order = std::move(merged);
  return true;
}

}  // namespace linpoint::monitors
