// SPDX-License-Identifier: Apache-2.0
// Conditions as problems: what they allow is what the definition allows; and cases that tell them apart, by hand.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>
#include <vector>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/histories/operation_grouping.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/specs/integer_spec.hpp"
#include "tests/histories/written_histories.hpp"
#include "tests/search/condition_orders.hpp"
#include "tests/search/small_problems.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::search::build;
using linpoint::verdicts::check_times;
using linpoint::verdicts::Flaw;

/// Every order of all operations that must be there and some that need not, if the certifier finds no flaw in it.
Orders by_definition(const Columns& columns, Condition condition, const Positions& relaxed, bool key_argument) {
  Orders orders;
  const std::size_t operations = columns.size();
  for (Mask mask = 0; mask < (Mask{1} << operations); ++mask) {
    Positions order;
    bool whole = true;
    for (const std::int32_t position : everything(columns)) {
      const bool certain = columns.certain(static_cast<std::size_t>(position)) &&
                           !std::binary_search(relaxed.begin(), relaxed.end(), position);
      if (has(mask, static_cast<std::size_t>(position)))
        order.push_back(position);
      else
        whole = whole && !certain;
    }
    if (!whole) continue;
    do {
      if (check_times(columns, order, condition, key_argument).flaw == Flaw::kNone) orders.insert(order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return orders;
}

void print(const std::vector<Op>& ops, const std::vector<CrashOf>& crashes, std::int64_t skew, Condition condition) {
  std::printf("condition %d, skew %lld\n", static_cast<int>(condition), static_cast<long long>(skew));
  for (const Op& op : ops)
    std::printf("  process %d [%lld, %lld] outcome %d key %d hint %lld\n", op.process, static_cast<long long>(op.call),
                op.ret == kNever ? -1LL : static_cast<long long>(op.ret), static_cast<int>(op.outcome), op.key,
                op.hint == kNoHint ? -1LL : static_cast<long long>(op.hint));
  for (const CrashOf& crash : crashes)
    std::printf("  crash of %d at %lld\n", crash.process, static_cast<long long>(crash.time));
}

struct RandomHistory {
  std::vector<Op> ops;
  std::vector<CrashOf> crashes;
  std::int64_t skew = 0;
};

/// Few processes, few instants: much touches, and much happens at the time of a crash.
RandomHistory random_history(Dice& dice) {
  RandomHistory history;
  const auto time = [&dice] { return static_cast<std::int64_t>(dice.pick(7)); };
  const bool hinted = dice.one_in(3);
  const bool keyed = dice.one_in(2);
  for (std::size_t many = 1 + dice.pick(5); many > 0; --many) {
    Op op{.process = static_cast<std::int32_t>(dice.pick(3)), .call = time()};
    op.args = {static_cast<std::int32_t>(dice.pick(2))};
    if (dice.one_in(3))
      op.outcome = Outcome::kUnknown;
    else
      op.ret = op.call + static_cast<std::int64_t>(dice.pick(4));
    if (keyed) op.key = static_cast<std::int32_t>(dice.pick(2));
    if (hinted && !dice.one_in(3)) op.hint = static_cast<std::int64_t>(dice.pick(3));
    history.ops.push_back(op);
  }
  for (std::size_t many = dice.pick(3); many > 0; --many)
    history.crashes.push_back({.time = time(), .process = static_cast<std::int32_t>(dice.pick(4)) - 2});
  std::sort(history.crashes.begin(), history.crashes.end(),
            [](const CrashOf& a, const CrashOf& b) { return a.time < b.time; });
  if (dice.one_in(3)) history.skew = 1 + static_cast<std::int64_t>(dice.pick(2));
  return history;
}

void problems_allow_what_the_conditions_do() {
  Dice dice(53);
  std::array<int, kConditions.size()> constrained{};
  int histories = 0;
  for (int round = 0; round < 30'000 && !hopeless(); ++round) {
    const RandomHistory history = random_history(dice);
    const Columns columns = columns_of(history.ops, history.crashes, history.skew);
    if (!linpoint::histories::well_formed(columns)) continue;
    ++histories;
    Positions relaxed;
    for (const std::int32_t position : everything(columns))
      if (dice.one_in(8)) relaxed.push_back(position);
    const bool key_argument = dice.one_in(2);
    for (const Condition condition : kConditions) {
      const Problem problem = problem_of(columns, condition, relaxed, key_argument);
      constrained.at(static_cast<std::size_t>(condition)) += problem.excluded.empty() ? 0 : 1;
      const bool same = Allowed(problem).orders() == by_definition(columns, condition, relaxed, key_argument);
      EXPECT(same);
      if (!same) print(history.ops, history.crashes, history.skew, condition);
    }
  }
  EXPECT(histories > 3000);
  EXPECT(constrained.at(static_cast<std::size_t>(Condition::kRecoverable)) > 100);
}

/// A: |--0--|          Only the real-time order tells linearizable from sequential.
/// B:         |--1--|
void real_time_counts_but_not_for_sequential() {
  const Columns columns = columns_of({{.process = 0, .call = 1, .ret = 2}, {.process = 1, .call = 3, .ret = 4}});
  for (const Condition condition : kConditions)
    EXPECT(allows(columns, condition, {1, 0}) == (condition == Condition::kSequential));
  const Columns own = columns_of({{.process = 0, .call = 1, .ret = 2}, {.process = 0, .call = 3, .ret = 4}});
  for (const Condition condition : kConditions) EXPECT(!allows(own, condition, {1, 0}));
}

/// A: |--0---- X    |--1--|          0 was cut off by a crash of A. When may it take effect?
/// B:                        |--2--|
void an_operation_cut_off_by_a_crash() {
  const Columns columns = columns_of(
      {
          {.process = 0, .call = 1, .outcome = Outcome::kUnknown},
          {.process = 0, .call = 5, .ret = 6},
          {.process = 1, .call = 7, .ret = 8},
      },
      {{.time = 3, .process = 0}});
  for (const Condition condition : kConditions) {
    EXPECT(allows(columns, condition, {1, 2}));  // never
    EXPECT(allows(columns, condition, {0, 1, 2}));
  }
  // Between later operations of its process and after all: durable, but not for those that end it.
  for (const Positions& late : {Positions{1, 0, 2}, Positions{1, 2, 0}}) {
    EXPECT(allows(columns, Condition::kLinearizable, late));
    EXPECT(allows(columns, Condition::kDurable, late));
    EXPECT(allows(columns, Condition::kBufferedDurable, late));  // nobody but A crashed
    EXPECT(!allows(columns, Condition::kStrict, late));
    EXPECT(!allows(columns, Condition::kRecoverable, late));
    EXPECT(!allows(columns, Condition::kSequential, late));
  }
}

/// A: |--0---- X            Recoverable lets what was cut off take effect after the crash, strict does not.
/// B:             |--1--|
void recoverable_is_later_than_strict() {
  const Columns columns = columns_of(
      {{.process = 0, .call = 1, .outcome = Outcome::kUnknown}, {.process = 1, .call = 5, .ret = 6}}, {{.time = 3}});
  EXPECT(!allows(columns, Condition::kStrict, {1, 0}));
  EXPECT(allows(columns, Condition::kRecoverable, {1, 0}));
  EXPECT(allows(columns, Condition::kDurable, {1, 0}));
  EXPECT(!allows(columns, Condition::kBufferedDurable, {1, 0}));
  const Problem strict = problem_of(columns, Condition::kStrict);
  EXPECT(strict.optional[0] != 0 && strict.ret[0] != kNever && strict.ret[0] < strict.call[1]);
  const Problem recoverable = problem_of(columns, Condition::kRecoverable);
  EXPECT(recoverable.ret[0] == kNever && recoverable.symbol[0] == 100);
}

/// A: |--0(hint 2)--|     Overlapping operations on one object take effect in the order of their hints.
/// B: |--1(hint 1)--|
void hints_order_what_overlaps() {
  std::vector<Op> ops{
      {.process = 0, .call = 1, .ret = 9, .key = 7, .hint = 2},
      {.process = 1, .call = 1, .ret = 9, .key = 7, .hint = 1},
  };
  for (const Condition condition : kConditions) {
    EXPECT(!allows(columns_of(ops), condition, {0, 1}));
    EXPECT(allows(columns_of(ops), condition, {1, 0}));
  }
  ops[0].hint = 1;  // equal hints say nothing
  EXPECT(allows(columns_of(ops), Condition::kLinearizable, {0, 1}));
  ops[0].hint = 2;
  ops[0].key = 8;  // nor do those of different objects
  EXPECT(allows(columns_of(ops), Condition::kLinearizable, {0, 1}));
  ops[0].key = ops[1].key = kNone;  // where the first argument is the key
  ops[0].args = ops[1].args = {3};
  ops[1].args = {4};
  const Problem apart = problem_of(columns_of(ops), Condition::kLinearizable, {}, true);
  EXPECT(apart.before.empty() && apart.excluded.empty());
  const Problem together = problem_of(columns_of(ops), Condition::kLinearizable, {}, false);
  EXPECT(together.before.size() == 1 && together.before[0].first == 1 && together.before[0].second == 0);
  // What may be left out is not waited for, but may not come late.
  ops[1].outcome = Outcome::kUnknown;
  ops[1].ret = kNever;
  const Problem optional = problem_of(columns_of(ops), Condition::kLinearizable);
  EXPECT(optional.before.empty() && optional.excluded.size() == 1);
  EXPECT(optional.excluded[0].first == 1 && optional.excluded[0].second == 0);
}

/// A: |--0--|--1--|           With clocks a little apart what is near in time overlaps, but no process overlaps itself.
/// B:             |--2--|
void skew_makes_returns_late() {
  const std::vector<Op> ops{
      {.process = 0, .call = 1, .ret = 2},
      {.process = 0, .call = 3, .ret = 4},
      {.process = 1, .call = 6, .ret = 7},
  };
  EXPECT(!allows(columns_of(ops), Condition::kLinearizable, {0, 2, 1}));
  EXPECT(!allows(columns_of(ops, {}, 1), Condition::kLinearizable, {0, 2, 1}));
  EXPECT(allows(columns_of(ops, {}, 2), Condition::kLinearizable, {0, 2, 1}));
  EXPECT(!allows(columns_of(ops, {}, 2), Condition::kLinearizable, {2, 0, 1}));
  EXPECT(allows(columns_of(ops, {}, 4), Condition::kLinearizable, {2, 0, 1}));
  EXPECT(!allows(columns_of(ops, {}, 4), Condition::kLinearizable, {1, 0, 2}));
}

/// Knows of every symbol the same.
class Known final : public linpoint::specs::Machine {
 public:
  explicit Known(std::vector<linpoint::specs::Trait> traits) : Machine(std::move(traits)) {}
  [[nodiscard]] std::unique_ptr<linpoint::specs::Steps> steps(StopToken& /*stop*/) const override { return nullptr; }
};

Problem with_traits(const Columns& columns, const linpoint::specs::Trait& exact, const linpoint::specs::Trait& loose,
                    Condition condition = Condition::kLinearizable) {
  std::vector<linpoint::specs::Trait> traits(202, exact);
  std::fill(traits.begin() + 100, traits.end(), loose);
  const Positions positions = everything(columns);
  const Known machine(std::move(traits));
  return build(columns, {positions, {}, false}, condition, letters(columns), &machine, 0);
}

/// Whatever nobody can tell from being left out is left out; reads are marked.
void what_cannot_matter_is_left_out() {
  const Columns columns = columns_of({
      {.process = 0, .call = 1, .ret = 9, .hint = 1},
      {.process = 1, .call = 2, .outcome = Outcome::kUnknown, .hint = 2},
      {.process = 2, .call = 3, .ret = 9, .hint = 3},
  });
  EXPECT(with_traits(columns, {}, {}).size() == 3);
  for (const linpoint::specs::Trait& loose :
       {linpoint::specs::Trait{.reads = true}, linpoint::specs::Trait{.idle = true}}) {
    const Problem problem = with_traits(columns, {.reads = true}, loose);
    EXPECT((problem.position == Positions{0, 2}));
    EXPECT((problem.reads == std::vector<std::uint8_t>{1, 1}));
    EXPECT(problem.excluded.empty());  // with it go its pairs, but not those of others
    EXPECT(problem.before.size() == 1 && problem.before[0].first == 0 && problem.before[0].second == 1);
  }
}

/// A: |--0--|   |--2--|         |--4--|   Alone and leaving one state: 0 and 4 settle, but not where 3 overlaps or
/// B:               |----3----|           after an operation that never ends.
void what_is_alone_settles() {
  const linpoint::specs::Trait determines{.determines = true};
  std::vector<Op> ops{
      {.process = 0, .call = 1, .ret = 2}, {.process = 0, .call = 3, .ret = 4},   {.process = 0, .call = 5, .ret = 8},
      {.process = 1, .call = 6, .ret = 9}, {.process = 0, .call = 10, .ret = 11},
  };
  using Flags = std::vector<std::uint8_t>;
  EXPECT((with_traits(columns_of(ops), determines, {}).settles == Flags{1, 1, 0, 0, 1}));
  EXPECT((with_traits(columns_of(ops), {}, determines).settles == Flags{0, 0, 0, 0, 0}));
  EXPECT((problem_of(columns_of(ops), Condition::kLinearizable).settles == Flags{0, 0, 0, 0, 0}));
  EXPECT((with_traits(columns_of(ops), determines, {}, Condition::kSequential).settles == Flags{0, 0, 0, 0, 0}));
  ops[0].hint = 3;  // pairs reach across such moments
  ops[2].hint = 2;
  EXPECT((with_traits(columns_of(ops), determines, {}).settles == Flags{0, 0, 0, 0, 0}));
  ops[0].hint = ops[2].hint = kNoHint;
  ops[1].outcome = Outcome::kUnknown;
  ops[1].process = 2;
  ops[1].ret = kNever;
  EXPECT((with_traits(columns_of(ops), determines, determines).settles == Flags{1, 0, 0, 0, 0}));
  // Under strict it ends at the crash: then it is over.
  const Columns crashed = columns_of(ops, {{.time = 4}});
  EXPECT((with_traits(crashed, determines, determines, Condition::kStrict).settles == Flags{1, 0, 0, 0, 1}));
  EXPECT((with_traits(crashed, determines, determines, Condition::kDurable).settles == Flags{1, 0, 0, 0, 0}));
}

/// A part of a history is decided without the rest of it, and in the order of its calls wherever they stand.
void a_part_keeps_its_positions() {
  const Columns columns = columns_of({
      {.process = 0, .call = 9, .ret = 10},
      {.process = 1, .call = 1, .ret = 8},
      {.process = 2, .call = 2, .ret = 3},
      {.process = 3, .call = 4, .ret = 5},
  });
  const Positions positions{0, 2, 3};
  const Positions relaxed{3};
  const Problem problem =
      build(columns, {positions, relaxed, false}, Condition::kLinearizable, letters(columns), nullptr, 42);
  EXPECT((problem.position == Positions{2, 3, 0}));
  EXPECT((problem.symbol == std::vector<Symbol>{2, 103, 0}));
  EXPECT((problem.optional == std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT(problem.initial == 42);
  EXPECT((Allowed(problem).orders() == Orders{{2, 0}, {2, 3, 0}}));
  EXPECT(problem_of(columns_of({}), Condition::kStrict).size() == 0);
}

}  // namespace

int main() {
  problems_allow_what_the_conditions_do();
  real_time_counts_but_not_for_sequential();
  an_operation_cut_off_by_a_crash();
  recoverable_is_later_than_strict();
  hints_order_what_overlaps();
  skew_makes_returns_late();
  what_cannot_matter_is_left_out();
  what_is_alone_settles();
  a_part_keeps_its_positions();
  return finish();
}
