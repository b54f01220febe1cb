// SPDX-License-Identifier: Apache-2.0
// What crashes of processes and of the object mean to each condition, by hand.
#include <cstdint>
#include <vector>

#include "linpoint/histories/operation_grouping.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "tests/histories/written_histories.hpp"
#include "tests/search/condition_orders.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;

/// At a crash's own time returns come before it and calls after.
void the_instant_of_a_crash_divides() {
  const std::vector<Op> ops{{.process = 0, .call = 1, .ret = 5}, {.process = 1, .call = 5, .ret = 9}};
  EXPECT(allows(columns_of(ops), Condition::kDurable, {1, 0}));  // without a crash they overlap
  for (const Condition condition : kConditions) {
    const bool divided = condition != Condition::kLinearizable && condition != Condition::kSequential;
    EXPECT(allows(columns_of(ops, {{.time = 5}}), condition, {1, 0}) == !divided);
  }
  // Uncertain clocks know no such instant, but eras stay as recorded.
  EXPECT(allows(columns_of(ops, {{.time = 5}}, 1), Condition::kDurable, {1, 0}));
  EXPECT(!allows(columns_of(ops, {{.time = 5}}, 1), Condition::kBufferedDurable, {1, 0}));
  // The crash of one process divides its own operations from others, but nothing of others; that of the object nothing.
  for (const Condition condition : kConditions) {
    const bool divided = condition != Condition::kLinearizable && condition != Condition::kSequential;
    EXPECT(allows(columns_of(ops, {{.time = 5, .process = 0}}), condition, {1, 0}) == !divided);
    for (const std::int32_t crashed : {1, 7, kObject})
      EXPECT(allows(columns_of(ops, {{.time = 5, .process = crashed}}), condition, {1, 0}));
  }
}

/// A: |--0---O-----|      O is a crash of the object; 0 and 1 are before or after it, 2 was interrupted.
/// B:     |--1--|
/// C:   |--2--...
void clients_live_on_when_the_object_crashes() {
  std::vector<Op> ops{
      {.process = 0, .call = 1, .ret = 9},
      {.process = 1, .call = 4, .ret = 6},
      {.process = 2, .call = 2, .outcome = Outcome::kUnknown},
      {.process = 2, .call = 7, .ret = 8},
  };
  const Columns columns = columns_of(ops, {{.time = 5, .process = kObject}});
  EXPECT(linpoint::histories::well_formed(columns));
  EXPECT(!linpoint::histories::well_formed(columns_of(ops, {{.time = 5}})));
  EXPECT(!linpoint::histories::well_formed(columns_of(ops)));
  for (const Condition condition : kConditions) {
    EXPECT(allows(columns, condition, {0, 1, 3}));
    EXPECT(allows(columns, condition, {1, 3, 0}));
    EXPECT(allows(columns, condition, {2, 1, 3, 0}));
    EXPECT(allows(columns, condition, {1, 2, 3, 0}));
  }
  ops[3].process = 3;
  const Columns another = columns_of(ops, {{.time = 5, .process = kObject}});
  for (const Condition condition : kConditions) {
    EXPECT(allows(another, condition, {1, 3, 2, 0}) == (condition != Condition::kStrict));
    const bool late =
        condition != Condition::kStrict && condition != Condition::kRecoverable && condition != Condition::kSequential;
    EXPECT(allows(columns, condition, {1, 3, 2, 0}) == late);
  }
}

/// Eras and hints where the object crashes alone: what spans the crash has no order by hints, what lies on a side has.
void hints_count_within_eras_that_the_object_ends() {
  std::vector<Op> ops{
      {.process = 0, .call = 1, .ret = 4, .hint = 2},
      {.process = 1, .call = 1, .ret = 4, .hint = 1},
  };
  const std::vector<CrashOf> after{{.time = 5, .process = kObject}};
  const std::vector<CrashOf> touching{{.time = 4, .process = kObject}};
  EXPECT(!allows(columns_of(ops, after), Condition::kBufferedDurable, {0, 1}));
  EXPECT(allows(columns_of(ops, touching), Condition::kBufferedDurable, {0, 1}));
  EXPECT(allows(columns_of(ops, after, 1), Condition::kBufferedDurable, {0, 1}));
  EXPECT(!allows(columns_of(ops, touching), Condition::kDurable, {0, 1}));
}

/// A: |--0--|   X   |--1--|     Each era has a persist within it and a crash at its end.
void eras_persist_and_crash() {
  const Columns columns =
      columns_of({{.process = 0, .call = 1, .ret = 2}, {.process = 0, .call = 5, .ret = 6}}, {{.time = 3}});
  const Problem problem = problem_of(columns, Condition::kBufferedDurable);
  using linpoint::search::kCrashOperation;
  using linpoint::search::kPersist;
  EXPECT((problem.position == Positions{kPersist, 0, kCrashOperation, 1}));
  EXPECT((problem.symbol == std::vector<Symbol>{200, 0, 201, 1}));
  EXPECT(problem.ret[0] < problem.call[2] && problem.ret[1] < problem.call[2] && problem.ret[2] < problem.call[3]);
  EXPECT(problem.ret[0] > problem.call[1]);  // at any moment of the era
  // Two crashes at one time are one, and those of one process make no era.
  const Columns twice = columns_of(
      {}, {{.time = 3}, {.time = 3, .process = kObject}, {.time = 4, .process = 0}, {.time = 5, .process = kObject}});
  EXPECT((problem_of(twice, Condition::kBufferedDurable).position ==
          Positions{kPersist, kCrashOperation, kPersist, kCrashOperation}));
}

}  // namespace

int main() {
  the_instant_of_a_crash_divides();
  clients_live_on_when_the_object_crashes();
  hints_count_within_eras_that_the_object_ends();
  eras_persist_and_crash();
  return finish();
}
