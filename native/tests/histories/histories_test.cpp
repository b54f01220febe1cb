// SPDX-License-Identifier: Apache-2.0
// Ranks, classes and well-formedness, each against its definition on random histories and on those made by hand.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/operation_grouping.hpp"
#include "linpoint/histories/time_ranking.hpp"
#include "tests/histories/written_histories.hpp"
#include "tests/search/small_problems.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::histories::by_first_argument;
using linpoint::histories::by_object;
using linpoint::histories::Chain;
using linpoint::histories::Classes;
using linpoint::histories::classify;
using linpoint::histories::kCall;
using linpoint::histories::kCrash;
using linpoint::histories::kEarlyReturn;
using linpoint::histories::kRecovery;
using linpoint::histories::kReturn;
using linpoint::histories::Likeness;
using linpoint::histories::Order;
using linpoint::histories::overlaps;
using linpoint::histories::rank;
using linpoint::histories::Span;
using linpoint::histories::split;
using linpoint::histories::well_formed;

using Positions = std::vector<std::int32_t>;

/// What ranks and chains say.
bool ordered(const Order& order, std::size_t a, std::size_t b) {
  if (order.returns[a] < order.calls[b]) return true;
  return std::any_of(order.chains.begin(), order.chains.end(), [&](const Chain& chain) {
    const auto first = std::find(chain.begin(), chain.end(), static_cast<std::int32_t>(a));
    return first != chain.end() && std::find(first + 1, chain.end(), static_cast<std::int32_t>(b)) != chain.end();
  });
}

/// The definition: a ends before b begins; or in one process a ends as b begins.
bool precedes(const std::vector<Span>& spans, std::size_t a, std::size_t b) {
  const Span& x = spans[a];
  const Span& y = spans[b];
  if (x.ret == kNever) return false;
  const std::pair end(x.ret, x.return_phase);
  const std::pair begin(y.call, y.call_phase);
  if (end < begin) return true;
  if (x.process == kNone || x.process != y.process || x.ret != y.call || x.return_phase != kReturn) return false;
  const auto place = [](const Span& span, std::size_t index) { return std::tuple(span.call, span.ret, index); };
  return place(x, a) < place(y, b);
}

/// Distinct ranks, and an order that is the definition's.
void expect_exact(const std::vector<Span>& spans) {
  const int before = failures;
  const Order order = rank(spans);
  std::vector<std::int64_t> ranks = order.calls;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    EXPECT((order.returns[i] == kNever) == (spans[i].ret == kNever));
    EXPECT(order.calls[i] < order.returns[i]);
    if (order.returns[i] != kNever) ranks.push_back(order.returns[i]);
  }
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT(std::cmp_equal(ranks[i], i));
  for (std::size_t a = 0; a < spans.size(); ++a)
    for (std::size_t b = 0; b < spans.size(); ++b)
      if (a != b) EXPECT(ordered(order, a, b) == precedes(spans, a, b));
  if (failures == before) return;
  for (const Span& span : spans)
    std::printf("  process %d [%lld, %lld] phases %d, %d\n", span.process, static_cast<long long>(span.call),
                static_cast<long long>(span.ret), span.call_phase, span.return_phase);
}

/// Processes that do one thing after the other at few instants, so that many touch.
std::vector<Span> random_spans_of_processes(Dice& dice) {
  std::vector<Span> spans;
  const auto processes = static_cast<std::int32_t>(1 + dice.pick(4));
  for (std::int32_t process = 0; process < processes; ++process) {
    auto now = static_cast<std::int64_t>(dice.pick(3));
    for (std::size_t many = dice.pick(5); many > 0; --many) {
      const std::int64_t call = now + (dice.one_in(2) ? 0 : static_cast<std::int64_t>(dice.pick(2)));
      now = call + static_cast<std::int64_t>(dice.pick(3));
      const bool crashes = call != now && now == 4;  // returns at the time of a crash
      spans.push_back({process, call, now, kCall, crashes ? kEarlyReturn : kReturn});
    }
    if (!spans.empty() && dice.one_in(4) && spans.back().process == process) {
      spans.back().ret = kNever;
      spans.back().return_phase = kReturn;
    }
  }
  if (dice.one_in(3)) {
    spans.push_back({kNone, 0, 4, kRecovery, kEarlyReturn});
    spans.push_back({kNone, 4, 4, kCrash, kCrash});
  }
  dice.shuffle(spans);
  return spans;
}

/// Operations of one process that begin and end at one instant have the order in which they are given.
bool keeps_twins_in_order(const std::vector<Span>& spans) {
  for (std::size_t a = 0; a < spans.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (spans[a].process == spans[b].process && spans[a].call == spans[b].call && spans[a].ret == spans[b].ret)
        return true;
  return false;
}

void ranks_are_the_order_of_times() {
  Dice dice(41);
  int twins = 0;
  int chained = 0;
  for (int round = 0; round < 20'000 && !hopeless(); ++round) {
    const std::vector<Span> spans = random_spans_of_processes(dice);
    twins += keeps_twins_in_order(spans) ? 1 : 0;
    chained += rank(spans).chains.empty() ? 0 : 1;
    expect_exact(spans);
  }
  EXPECT(twins > 500);
  EXPECT(chained > 500);
  expect_exact({});
}

/// A: |--a--|--b--|   One process that touches itself is ranked exactly, and everybody else overlaps all of it.
/// B: |--c--|
/// C:       |--d--|
void one_process_that_touches_has_no_chains() {
  const std::vector<Span> spans{{0, 1, 5}, {0, 5, 9}, {1, 1, 5}, {2, 5, 9}};
  expect_exact(spans);
  EXPECT(rank(spans).chains.empty());
  expect_exact({{0, 1, 5}, {0, 5, 5}, {0, 5, 5}, {0, 5, 9}, {1, 5, 5}, {2, 2, 5}, {3, 5, 7}});
}

/// A: |--a--|--b--|   Two processes that touch at one instant cannot be: a < b and c < d, but neither a < d nor c < b.
/// B: |--c--|--d--|
void two_processes_that_touch_are_chains() {
  const std::vector<Span> spans{{0, 1, 5}, {0, 5, 9}, {1, 1, 5}, {1, 5, 9}};
  expect_exact(spans);
  const std::vector<Chain> chains = rank(spans).chains;
  EXPECT((chains == std::vector<Chain>{{0, 1}, {2, 3}}));
  const std::vector<Span> apart{{0, 1, 5}, {0, 5, 9}, {1, 1, 6}, {1, 6, 9}};  // at two instants they can
  expect_exact(apart);
  EXPECT(rank(apart).chains.empty());
}

std::vector<Op> random_operations(Dice& dice, std::size_t many, std::size_t values) {
  std::vector<Op> ops;
  const auto number = [&](std::size_t bound) { return static_cast<std::int32_t>(dice.pick(bound)); };
  for (; many > 0; --many) {
    Op op{.process = number(3), .name = number(3), .result = number(values), .key = number(2)};
    if (dice.one_in(4)) op.outcome = Outcome::kUnknown;
    for (std::size_t arity = dice.pick(3); arity > 0; --arity) op.args.push_back(number(values));
    ops.push_back(op);
  }
  return ops;
}

constexpr std::array<std::int32_t, 3> kNames{0, 0, 2};  // the second is an alias of the first

/// The definition of a class: the same in all that the likeness looks at.
bool alike(const Op& a, const Op& b, const Likeness& likeness) {
  const bool certain = a.outcome == Outcome::kOk;
  const bool same_result = certain == (b.outcome == Outcome::kOk) && (!certain || a.result == b.result);
  return kNames.at(static_cast<std::size_t>(a.name)) == kNames.at(static_cast<std::size_t>(b.name)) &&
         (!likeness.arity || a.args.size() == b.args.size()) && (!likeness.arguments || a.args == b.args) &&
         (!likeness.result || same_result) && (!likeness.process || a.process == b.process) &&
         (!likeness.key || a.key == b.key);
}

void expect_classes(const std::vector<Op>& ops, const Likeness& likeness) {
  const Classes classes = classify(columns_of(ops), kNames, likeness);
  std::int32_t next = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto found = std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return alike(op, ops[i], likeness); });
    const auto first = static_cast<std::int32_t>(found - ops.begin());
    if (std::cmp_equal(first, i)) EXPECT(classes.of[i] == next++);
    EXPECT(classes.first.at(static_cast<std::size_t>(classes.of[i])) == first);
  }
  EXPECT(std::cmp_equal(classes.first.size(), next));
}

void classes_are_those_of_the_definition() {
  Dice dice(43);
  for (int round = 0; round < 400 && !hopeless(); ++round) {
    const std::size_t bits = dice.pick(32);
    const Likeness likeness{
        .arity = (bits & 1U) != 0,
        .arguments = (bits & 2U) != 0,
        .result = (bits & 4U) != 0,
        .process = (bits & 8U) != 0,
        .key = (bits & 16U) != 0,
    };
    const bool large = round % 10 == 0;  // many classes make the table grow
    expect_classes(random_operations(dice, large ? 300 : dice.pick(30), large ? 1000 : 3), likeness);
  }
}

void operations_belong_to_objects() {
  const Columns keyed = columns_of({{.args = {7}, .key = 5}, {.args = {7}, .key = 6}, {.args = {8}, .key = 5}});
  EXPECT((by_object(keyed, false).of == Positions{0, 1, 0}));
  EXPECT((by_object(keyed, true).of == Positions{0, 1, 0}));
  EXPECT((by_first_argument(keyed).of == Positions{0, 0, 1}));
  const Columns bare = columns_of({{.args = {7, 1}}, {.args = {8}}, {.args = {7}}});
  EXPECT((by_object(bare, false).of == Positions{0, 0, 0}));
  EXPECT((by_object(bare, true).of == Positions{0, 1, 0}));
  EXPECT((by_object(bare, true).first == Positions{0, 1}));
}

void positions_are_split_by_class() {
  const Classes classes{{0, 1, 2, 1, 0}, {0, 1, 2}};
  const Positions some{4, 3, 1, 0};
  EXPECT((split(some, classes) == std::vector<Positions>{{4, 0}, {3, 1}}));
  EXPECT(split({}, classes).empty());
  Classes many;  // of which few are asked for
  for (std::int32_t i = 0; i < 100; ++i) {
    many.of.push_back(i / 2);
    if (i % 2 == 0) many.first.push_back(i);
  }
  const Positions few{99, 1, 98, 0};
  EXPECT((split(few, many) == std::vector<Positions>{{99, 98}, {1, 0}}));
}

void histories_are_well_formed_or_not() {
  EXPECT(well_formed(columns_of({})));
  EXPECT(well_formed(columns_of({{.call = 1, .ret = 5}, {.call = 5, .ret = 5}, {.call = 5, .ret = 9}})));
  EXPECT(well_formed(columns_of({{.call = 5, .ret = 9}, {.call = 5, .ret = 5}, {.call = 1, .ret = 5}})));
  EXPECT(!well_formed(columns_of({{.call = 1, .ret = 5}, {.call = 4, .ret = 9}})));
  EXPECT(!well_formed(columns_of({{.call = 5, .ret = 4}})));
  EXPECT(!well_formed(columns_of({{.call = 5, .ret = kNever}})));
  EXPECT(well_formed(columns_of({{.call = 5, .ret = kNever, .outcome = Outcome::kUnknown}})));
  EXPECT(well_formed(columns_of({{.process = 0, .call = 1, .ret = 5}, {.process = 1, .call = 4, .ret = 9}})));
  // Failed operations take their time too.
  EXPECT(!well_formed(columns_of({{.call = 1, .ret = 5, .outcome = Outcome::kFailed}, {.call = 4, .ret = 9}})));
  // Keys for all or for none.
  EXPECT(well_formed(columns_of({{.call = 1, .ret = 2, .key = 0}, {.call = 3, .ret = 4, .key = 1}})));
  EXPECT(!well_formed(columns_of({{.call = 1, .ret = 2, .key = 0}, {.call = 3, .ret = 4}})));
}

void crashes_end_what_was_open() {
  const std::vector<Op> cut_off{{.call = 1, .outcome = Outcome::kUnknown}, {.call = 5, .ret = 6}};
  EXPECT(!well_formed(columns_of(cut_off)));
  EXPECT(well_formed(columns_of(cut_off, {{.time = 3}})));
  EXPECT(well_formed(columns_of(cut_off, {{.time = 5, .process = 0}})));
  EXPECT(!well_formed(columns_of(cut_off, {{.time = 3, .process = 1}})));
  EXPECT(!well_formed(columns_of(cut_off, {{.time = 1}})));
  EXPECT(!well_formed(columns_of(cut_off, {{.time = 6}})));
  // A certain operation may end or begin at a crash of its process but not span it.
  const std::vector<Op> certain{{.call = 1, .ret = 5}};
  EXPECT(!well_formed(columns_of(certain, {{.time = 3}})));
  EXPECT(well_formed(columns_of(certain, {{.time = 1}, {.time = 5}})));
  EXPECT(well_formed(columns_of(certain, {{.time = 3, .process = 1}})));
}

/// The definition: two that may have had an effect, open at one instant; in one process skew does not count, and
/// what touches is sequential.
bool overlap(const std::vector<Op>& ops, std::int64_t skew) {
  const auto end = [&](const Op& op, bool own) {
    return op.outcome != Outcome::kOk ? kNever : op.ret + (own ? 0 : skew);
  };
  for (const Op& a : ops)
    for (const Op& b : ops) {
      if (&a == &b || a.outcome == Outcome::kFailed || b.outcome == Outcome::kFailed) continue;
      const bool own = a.process == b.process;
      if (own && a.call == b.call) continue;  // one of them is an instant, or the history is none
      if (a.call <= b.call && (own ? b.call < end(a, own) : b.call <= end(a, own))) return true;
    }
  return false;
}

void overlaps_are_those_of_the_definition() {
  Dice dice(47);
  int overlapping = 0;
  int histories = 0;
  constexpr int kRounds = 30'000;
  for (int round = 0; round < kRounds && !hopeless(); ++round) {
    std::vector<Op> ops;
    for (std::size_t many = 1 + dice.pick(4); many > 0; --many) {
      const auto call = static_cast<std::int64_t>(dice.pick(16));
      Op op{
          .process = static_cast<std::int32_t>(dice.pick(2)),
          .call = call,
          .ret = call + static_cast<std::int64_t>(dice.pick(4)),
      };
      if (dice.one_in(6)) op.outcome = Outcome::kFailed;
      if (dice.one_in(10)) {
        op.outcome = Outcome::kUnknown;
        op.ret = kNever;
      }
      ops.push_back(op);
    }
    const std::int64_t skew = dice.one_in(3) ? 2 : 0;
    const std::vector<CrashOf> crashes = dice.one_in(3) ? std::vector<CrashOf>{{.time = 8}} : std::vector<CrashOf>{};
    if (dice.one_in(2)) std::sort(ops.begin(), ops.end(), [](const Op& a, const Op& b) { return a.call < b.call; });
    const Columns columns = columns_of(ops, crashes, skew);
    if (!well_formed(columns)) continue;
    ++histories;
    const bool expected = overlap(ops, skew);
    overlapping += expected ? 1 : 0;
    EXPECT(overlaps(columns) == expected);
  }
  EXPECT(overlapping > histories / 5);
  EXPECT(overlapping < histories - histories / 5);
}

}  // namespace

int main() {
  ranks_are_the_order_of_times();
  one_process_that_touches_has_no_chains();
  two_processes_that_touch_are_chains();
  classes_are_those_of_the_definition();
  operations_belong_to_objects();
  positions_are_split_by_class();
  histories_are_well_formed_or_not();
  crashes_end_what_was_open();
  overlaps_are_those_of_the_definition();
  return finish();
}
