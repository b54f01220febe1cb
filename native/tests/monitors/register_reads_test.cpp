// SPDX-License-Identifier: Apache-2.0
// Where one more read of a register fits: as if it were tried in every gap.
#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "monitors/register.hpp"
#include "tests/support/harness.hpp"
#include "tests/support/seeded_random.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::histories::kNone;
using linpoint::monitors::Access;
using linpoint::monitors::Act;
using linpoint::monitors::decide_register;
using linpoint::monitors::gaps_for_read;
using linpoint::monitors::Interval;
using linpoint::monitors::Status;

constexpr std::int32_t kInitial = 0;

/// Operations that a register allows in this order, each in the gaps around its place.
std::vector<Access> legal_run(Dice& dice, std::int32_t gaps) {
  std::vector<Access> accesses;
  std::int32_t value = kInitial;
  std::int32_t fresh = kInitial;
  std::int32_t gap = 0;
  const std::size_t stretch = 1 + dice.pick(5);
  for (std::int32_t op = 0; gap < gaps; ++op) {
    const auto first = gap - static_cast<std::int32_t>(dice.pick(stretch));
    const auto last = gap + static_cast<std::int32_t>(dice.pick(stretch));
    const Interval owns{std::max(0, first), std::min(gaps - 1, last)};
    const std::size_t kind = dice.pick(4);
    if (kind < 2) {
      accesses.push_back({Act::kRead, false, op, value, kNone, owns});
    } else {
      ++fresh;
      accesses.push_back({kind == 2 ? Act::kWrite : Act::kReplace, false, op, kind == 2 ? kNone : value, fresh, owns});
      value = fresh;
    }
    gap += static_cast<std::int32_t>(dice.pick(3));
  }
  return accesses;
}

void a_read_fits_where_trying_it_finds_an_order() {
  Dice dice(76);
  std::size_t fitted = 0;
  std::size_t runs = 0;
  for (int round = 0; round < 3'000 && !hopeless(); ++round) {
    const auto gaps = 2 + static_cast<std::int32_t>(dice.pick(10));
    std::vector<Access> accesses = legal_run(dice, gaps);
    std::set<std::int32_t> values{kInitial};
    for (const Access& access : accesses)
      if (changes(access)) values.insert(access.now);
    for (const std::int32_t value : values) {
      const std::vector<Interval> found = gaps_for_read(accesses, kInitial, gaps, value);
      for (std::int32_t gap = 0; gap < gaps; ++gap) {
        const bool fits = std::any_of(found.begin(), found.end(),
                                      [&](const Interval& each) { return each.first <= gap && gap <= each.last; });
        std::vector<Access> more = accesses;
        more.push_back({Act::kRead, false, static_cast<std::int32_t>(accesses.size()), value, kNone, {gap, gap}});
        EXPECT(fits == (decide_register(more, kInitial, gaps).status == Status::kLinearizable));
        fitted += fits ? 1 : 0;
      }
      for (std::size_t i = 1; i < found.size(); ++i) EXPECT(found[i - 1].last < found[i].first);
      runs += found.size();
    }
  }
  EXPECT(fitted > 10'000 && runs > 10'000);
}

}  // namespace

int main() {
  a_read_fits_where_trying_it_finds_an_order();
  return finish();
}
