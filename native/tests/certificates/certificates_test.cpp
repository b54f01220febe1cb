// SPDX-License-Identifier: Apache-2.0
// The certificates: each flaw provoked, and nothing else found.
#include <array>
#include <cstdint>
#include <vector>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/specs/transition_table.hpp"
#include "tests/histories/written_histories.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::search::Alphabet;
using linpoint::search::Condition;
using linpoint::search::StopToken;
using linpoint::specs::State;
using linpoint::specs::Symbol;
using linpoint::specs::TransitionTable;
using linpoint::verdicts::check_alphabet;
using linpoint::verdicts::check_members;
using linpoint::verdicts::check_run;
using linpoint::verdicts::check_times;
using linpoint::verdicts::Finding;
using linpoint::verdicts::Flaw;

using Positions = std::vector<std::int32_t>;

constexpr std::array kConditions{
    Condition::kLinearizable, Condition::kStrict,          Condition::kRecoverable,
    Condition::kDurable,      Condition::kBufferedDurable, Condition::kSequential,
};

bool is(const Finding& finding, Flaw flaw, std::int32_t position = kNone) {
  return finding.flaw == flaw && finding.position == position;
}

Finding times(const Columns& columns, const Positions& order, Condition condition = Condition::kLinearizable,
              bool key_argument = false) {
  return check_times(columns, order, condition, key_argument);
}

void members_are_there_once_and_all() {
  const Columns columns = columns_of({
      {.call = 1, .ret = 2},
      {.call = 3, .ret = 4, .outcome = Outcome::kFailed},
      {.call = 5, .outcome = Outcome::kUnknown},
      {.call = 7, .ret = 8},
  });
  const Positions part{0, 1, 2};
  EXPECT(is(check_members(columns, part, Positions{0, 2}, true), Flaw::kNone));
  EXPECT(is(check_members(columns, part, Positions{0}, true), Flaw::kNone));  // unknown ones may be missing
  EXPECT(is(check_members(columns, part, Positions{0, 0}, true), Flaw::kNotThere));
  EXPECT(is(check_members(columns, part, Positions{0, 3}, true), Flaw::kNotThere));
  EXPECT(is(check_members(columns, part, Positions{0, 4}, true), Flaw::kNotThere));
  EXPECT(is(check_members(columns, part, Positions{-1}, true), Flaw::kNotThere));
  EXPECT(is(check_members(columns, part, Positions{0, 1}, true), Flaw::kFailed, 1));
  EXPECT(is(check_members(columns, part, Positions{2}, true), Flaw::kLeftOut, 0));
  EXPECT(is(check_members(columns, part, Positions{2}, false), Flaw::kNone));
}

/// A: |--0--|
/// B:         |--1--|
void what_returned_earlier_may_not_come_later() {
  const Columns columns = columns_of({{.process = 0, .call = 1, .ret = 2}, {.process = 1, .call = 3, .ret = 4}});
  for (const Condition condition : kConditions) {
    EXPECT(is(times(columns, {0, 1}, condition), Flaw::kNone));
    const bool real_time = condition != Condition::kSequential;
    EXPECT(
        is(times(columns, {1, 0}, condition), real_time ? Flaw::kReturnedEarlier : Flaw::kNone, real_time ? 0 : kNone));
  }
  // Intervals are closed, and skew makes them longer.
  const std::vector<Op> touching{{.process = 0, .call = 1, .ret = 3}, {.process = 1, .call = 3, .ret = 4}};
  EXPECT(is(times(columns_of(touching), {1, 0}), Flaw::kNone));
  const std::vector<Op> apart{{.process = 0, .call = 1, .ret = 2}, {.process = 1, .call = 4, .ret = 5}};
  EXPECT(is(times(columns_of(apart, {}, 1), {1, 0}), Flaw::kReturnedEarlier, 0));
  EXPECT(is(times(columns_of(apart, {}, 2), {1, 0}), Flaw::kNone));
}

/// A: |--0---- X            A call at the crash's own time comes after it too.
/// B:          |--1--|
void what_a_crash_ended_may_not_come_later() {
  const std::vector<Op> ops{
      {.process = 0, .call = 1, .outcome = Outcome::kUnknown},
      {.process = 1, .call = 3, .ret = 4},
  };
  const Columns columns = columns_of(ops, {{.time = 3, .process = 0}});
  EXPECT(is(times(columns, {1, 0}, Condition::kStrict), Flaw::kEndedAtCrash, 0));
  for (const Condition condition :
       {Condition::kLinearizable, Condition::kRecoverable, Condition::kDurable, Condition::kSequential})
    EXPECT(is(times(columns, {1, 0}, condition), Flaw::kNone));
  // Nor may what returned at that time.
  const std::vector<Op> returned{{.process = 0, .call = 1, .ret = 3}, {.process = 1, .call = 3, .ret = 4}};
  EXPECT(is(times(columns_of(returned, {{.time = 3}}), {1, 0}, Condition::kDurable), Flaw::kEndedAtCrash, 0));
  EXPECT(is(times(columns_of(returned, {{.time = 3}}), {1, 0}, Condition::kLinearizable), Flaw::kNone));
  EXPECT(is(times(columns_of(returned, {{.time = 3}}, 1), {1, 0}, Condition::kDurable), Flaw::kNone));
  // A crash of another process ends nothing.
  EXPECT(is(times(columns_of(ops, {{.time = 3, .process = 1}}), {1, 0}, Condition::kStrict), Flaw::kNone));
}

/// A: |--0----      X            Under buffered durability nothing crosses a crash of the system.
/// B:                  |--1--|
void eras_do_not_mix() {
  const std::vector<Op> ops{
      {.process = 0, .call = 1, .outcome = Outcome::kUnknown},
      {.process = 1, .call = 5, .ret = 6},
  };
  EXPECT(is(times(columns_of(ops, {{.time = 3}}), {1, 0}, Condition::kBufferedDurable), Flaw::kEarlierEra, 0));
  EXPECT(is(times(columns_of(ops, {{.time = 3}}), {0, 1}, Condition::kBufferedDurable), Flaw::kNone));
  EXPECT(is(times(columns_of(ops, {{.time = 3}}), {1, 0}, Condition::kDurable), Flaw::kNone));
  EXPECT(is(times(columns_of(ops, {{.time = 3, .process = 0}}), {1, 0}, Condition::kBufferedDurable), Flaw::kNone));
  EXPECT(is(times(columns_of(ops, {{.time = 7}}), {1, 0}, Condition::kBufferedDurable), Flaw::kNone));
}

void processes_keep_their_order() {
  // What touches is sequential in one process, instants too, in the order of the log if nothing else tells.
  const Columns touching = columns_of({{.call = 1, .ret = 3}, {.call = 3, .ret = 3}, {.call = 3, .ret = 5}});
  for (const Condition condition : kConditions) {
    EXPECT(is(times(touching, {0, 1, 2}, condition), Flaw::kNone));
    EXPECT(is(times(touching, {1, 0, 2}, condition), Flaw::kProcessOrder, 0));
    EXPECT(is(times(touching, {0, 2, 1}, condition), Flaw::kProcessOrder, 1));
  }
  // What was cut off may come late, unless the condition says no.
  const Columns cut_off =
      columns_of({{.call = 1, .outcome = Outcome::kUnknown}, {.call = 5, .ret = 6}}, {{.time = 3, .process = 0}});
  EXPECT(is(times(cut_off, {1, 0}, Condition::kLinearizable), Flaw::kNone));
  EXPECT(is(times(cut_off, {1, 0}, Condition::kDurable), Flaw::kNone));
  EXPECT(is(times(cut_off, {1, 0}, Condition::kRecoverable), Flaw::kProcessOrder, 0));
  EXPECT(is(times(cut_off, {1, 0}, Condition::kSequential), Flaw::kProcessOrder, 0));
  EXPECT(times(cut_off, {1, 0}, Condition::kStrict).flaw != Flaw::kNone);
  // Skew is of clocks of different processes.
  const Columns skewed = columns_of({{.call = 1, .ret = 2}, {.call = 3, .ret = 4}}, {}, 10);
  EXPECT(is(times(skewed, {1, 0}), Flaw::kProcessOrder, 0));
}

void hints_are_kept() {
  std::vector<Op> ops{
      {.process = 0, .call = 1, .ret = 9, .args = {4}, .key = 5, .hint = 2},
      {.process = 1, .call = 1, .ret = 9, .args = {4}, .key = 5, .hint = 1},
      {.process = 2, .call = 1, .ret = 9, .args = {4}, .key = 5},
  };
  for (const Condition condition : kConditions) {
    EXPECT(is(times(columns_of(ops), {0, 2, 1}, condition), Flaw::kHint, 1));
    EXPECT(is(times(columns_of(ops), {1, 2, 0}, condition), Flaw::kNone));
  }
  ops[1].hint = 2;
  EXPECT(is(times(columns_of(ops), {0, 2, 1}), Flaw::kNone));
  ops[1].hint = 1;
  ops[1].key = 6;
  EXPECT(is(times(columns_of(ops), {0, 2, 1}), Flaw::kNone));
  for (Op& op : ops) op.key = kNone;
  EXPECT(is(times(columns_of(ops), {0, 2, 1}, Condition::kLinearizable, true), Flaw::kHint, 1));
  ops[1].args = {3};
  EXPECT(is(times(columns_of(ops), {0, 2, 1}, Condition::kLinearizable, true), Flaw::kNone));
  EXPECT(is(times(columns_of(ops), {0, 2, 1}, Condition::kLinearizable, false), Flaw::kHint, 1));
  // Hints begin anew after a crash of the system where it takes back what was done.
  const Columns eras = columns_of(
      {{.process = 0, .call = 1, .ret = 2, .hint = 2}, {.process = 0, .call = 5, .ret = 6, .hint = 1}}, {{.time = 3}});
  EXPECT(is(times(eras, {0, 1}, Condition::kBufferedDurable), Flaw::kNone));
  EXPECT(is(times(eras, {0, 1}, Condition::kDurable), Flaw::kHint, 1));
}

/// Symbol 0 leads from 0 to 1 or 2, symbol 1 from 2 to 3; symbol 2 is what is loose: legal everywhere.
void branching(State state, Symbol symbol, std::vector<State>& out) {
  if (symbol == 0 && state == 0) out = {1, 2};
  if (symbol == 1 && state == 2) out = {3};
  if (symbol == 2) out = {state};
}

void the_spec_has_the_last_word() {
  const Columns columns =
      columns_of({{.call = 1, .ret = 2}, {.call = 3, .ret = 4}, {.call = 5, .outcome = Outcome::kUnknown}});
  const Alphabet alphabet{.exact = {0, 1, 1}, .loose = {2, 2, 2}};
  StopToken stop;
  TransitionTable steps(branching, stop);
  EXPECT(is(check_run(columns, Positions{0, 2, 1}, alphabet, steps, 0), Flaw::kNone));
  EXPECT(is(check_run(columns, Positions{0, 1}, alphabet, steps, 0), Flaw::kNone));  // by the second state
  EXPECT(is(check_run(columns, Positions{1, 0}, alphabet, steps, 0), Flaw::kRejected, 1));
  EXPECT(is(check_run(columns, Positions{2, 0}, alphabet, steps, 1), Flaw::kRejected, 0));
  EXPECT(is(check_run(columns, {}, alphabet, steps, 0), Flaw::kNone));
}

void symbols_stand_for_what_is_alike() {
  const std::array<std::int32_t, 3> names{0, 0, 2};  // the second is an alias of the first
  const Alphabet one{.exact = {0, 0}, .loose = {1, 1}};
  const auto found = [&](const Op& a, const Op& b) {
    return check_alphabet(columns_of({a, b}), names, Positions{0, 1}, one);
  };
  const Op op{.name = 0, .args = {4, 5}, .result = 6};
  EXPECT(is(found(op, op), Flaw::kNone));
  EXPECT(is(found(op, {.name = 1, .args = {4, 5}, .result = 6}), Flaw::kNone));
  EXPECT(is(found(op, {.name = 2, .args = {4, 5}, .result = 6}), Flaw::kUnlike, 1));
  EXPECT(is(found(op, {.name = 0, .args = {4, 6}, .result = 6}), Flaw::kUnlike, 1));
  EXPECT(is(found(op, {.name = 0, .args = {4}, .result = 6}), Flaw::kUnlike, 1));
  EXPECT(is(found(op, {.name = 0, .args = {4, 5}, .result = 7}), Flaw::kUnlike, 1));
  // What has no result is not compared by it; and it has symbols of its own.
  const Op unknown{.outcome = Outcome::kUnknown, .name = 0, .args = {4, 5}, .result = 6};
  Op other = unknown;
  other.result = 7;
  EXPECT(is(found(unknown, other), Flaw::kNone));
  const Alphabet mixed{.exact = {0, 0}, .loose = {0, 0}};
  EXPECT(is(check_alphabet(columns_of({op, unknown}), names, Positions{0, 1}, mixed), Flaw::kUnlike, 1));
}

}  // namespace

int main() {
  members_are_there_once_and_all();
  what_returned_earlier_may_not_come_later();
  what_a_crash_ended_may_not_come_later();
  eras_do_not_mix();
  processes_keep_their_order();
  hints_are_kept();
  the_spec_has_the_last_word();
  symbols_stand_for_what_is_alike();
  return finish();
}
