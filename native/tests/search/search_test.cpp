// SPDX-License-Identifier: Apache-2.0
// The searches against the definition on random small problems, paused and not; and windows wider than a word.
#include "linpoint/search/search.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "tests/search/all_searches.hpp"
#include "tests/search/small_problems.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::specs::TransitionTable;

struct Answer {
  Status status;
  std::vector<std::int32_t> order;
  std::uint64_t configurations;
};

Answer run(const Algorithm& algorithm, const Problem& problem, const Automaton& automaton) {
  StopToken stop;
  const auto search = algorithm.begin(problem, automaton.steps(stop), stop);
  const Answer answer{search->run(kNoLimit), search->order(), search->configurations()};
  EXPECT(stop.configurations() == answer.configurations);
  EXPECT(search->run(kNoLimit) == answer.status);  // an answer stays, and nothing more is looked at
  EXPECT(search->order() == answer.order && search->configurations() == answer.configurations);
  return answer;
}

/// The same with a pause after every few configurations.
Answer run_in_turns(const Algorithm& algorithm, const Problem& problem, const Automaton& automaton,
                    std::uint64_t allowance) {
  StopToken stop;
  const auto search = algorithm.begin(problem, automaton.steps(stop), stop);
  EXPECT(search->run(0) != Status::kStopped);
  Status status = Status::kPaused;
  for (int turns = 0; status == Status::kPaused && turns < 1'000'000; ++turns) {
    status = search->run(allowance);
    EXPECT(legal(problem, search->order(), false, automaton));
  }
  return {status, search->order(), search->configurations()};
}

void print(const Problem& problem) {
  for (std::size_t op = 0; op < problem.size(); ++op)
    std::printf("  %zu: symbol %d [%lld, %lld]%s%s%s\n", op, problem.symbol[op],
                static_cast<long long>(problem.call[op]),
                static_cast<long long>(problem.ret[op] == kNever ? -1 : problem.ret[op]),
                problem.optional[op] != 0 ? " optional" : "", problem.reads[op] != 0 ? " reads" : "",
                problem.settles[op] != 0 ? " settles" : "");
  for (const Pair& pair : problem.before) std::printf("  %d before %d\n", pair.first, pair.second);
  for (const Pair& pair : problem.excluded) std::printf("  %d not after %d\n", pair.first, pair.second);
}

/// How many of the operations of an order must be in it: of prefixes the longest by that is kept.
std::ptrdiff_t placed(const Problem& problem, const std::vector<std::int32_t>& order) {
  return std::count_if(order.begin(), order.end(),
                       [&](std::int32_t op) { return problem.optional[static_cast<std::size_t>(op)] == 0; });
}

void agrees(const Problem& problem, const Automaton& automaton, bool expected) {
  for (const Algorithm& algorithm : kAlgorithms) {
    const int before = failures;
    const Status status = expected ? Status::kLinearizable : Status::kViolation;
    const Answer whole = run(algorithm, problem, automaton);
    EXPECT(whole.status == status);
    EXPECT(legal(problem, whole.order, whole.status == Status::kLinearizable, automaton));
    for (const std::uint64_t allowance : {1U, 3U}) {
      const Answer turns = run_in_turns(algorithm, problem, automaton, allowance);
      EXPECT(turns.status == status);
      if (expected) EXPECT(turns.order == whole.order);
      EXPECT(placed(problem, turns.order) == placed(problem, whole.order));
      EXPECT(turns.configurations == whole.configurations);
    }
    if (failures == before) continue;
    std::printf("%s, from state %d:\n", algorithm.name, problem.initial);
    print(problem);
  }
}

void searches_agree_with_the_definition() {
  Dice dice(7);
  int violations = 0;
  int settled = 0;
  constexpr int kRounds = 12000;
  for (int round = 0; round < kRounds && !hopeless(); ++round) {
    const Automaton automaton(dice);
    const Features features{.optional = round % 4 != 0, .lasting = round % 3 != 0, .pairs = round % 2 != 0};
    const Problem problem = random_problem(dice, automaton, 1 + static_cast<std::size_t>(round) % 8, features);
    const bool expected = linearizable(problem, automaton);
    violations += expected ? 0 : 1;
    settled += std::count(problem.settles.begin(), problem.settles.end(), 1) != 0 ? 1 : 0;
    agrees(problem, automaton, expected);
  }
  EXPECT(violations > kRounds / 5);
  EXPECT(violations < kRounds - kRounds / 5);
  EXPECT(settled > kRounds / 10);
}

/// Reads of values that optional operations leave, which must not be left out too soon: longer problems with writes and
/// reads of three values only, where most configurations differ in optional operations alone.
void optional_operations_are_used_when_needed() {
  Dice dice(11);
  int linearizables = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds && !hopeless(); ++round) {
    const Automaton automaton(dice);
    Problem problem;
    for (const auto& [call, ret] : random_spans(dice, 11)) {
      const bool reads = dice.one_in(2);
      const auto symbol = static_cast<Symbol>(dice.pick(3) + (reads ? 0 : Automaton::kStates));
      const bool optional = !reads && !dice.one_in(3);
      add(problem, symbol, call, optional && dice.one_in(2) ? kNever : ret, optional, reads);
    }
    for (int tries = 0; tries < 3; ++tries) {
      const std::size_t a = dice.pick(problem.size());
      const std::size_t b = dice.pick(problem.size());
      const Pair pair{static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)};
      if (a != b && problem.optional[a] != 0 && round % 2 == 0) problem.excluded.push_back(pair);
    }
    mark_settling(problem, automaton);
    set_hopeless(problem, automaton, 2);
    const bool expected = linearizable(problem, automaton);
    linearizables += expected ? 1 : 0;
    agrees(problem, automaton, expected);
  }
  EXPECT(linearizables > kRounds / 10);
  EXPECT(linearizables < kRounds - kRounds / 10);
}

using Successors = std::function<std::vector<State>(State, Symbol)>;

/// What all searches with a table say, within so many configurations.
void expect_all(const Problem& problem, const Successors& step, Status expected, std::uint64_t most) {
  for (const Algorithm& algorithm : kTabled) {
    const int before = failures;
    StopToken stop;
    auto steps = std::make_unique<TransitionTable>(
        [&](State state, Symbol symbol, std::vector<State>& out) { out = step(state, symbol); }, stop);
    const auto search = algorithm.begin(problem, std::move(steps), stop);
    const Status status = search->run(most);
    EXPECT(status == expected);
    EXPECT(legal(problem, search->order(), status == Status::kLinearizable, step));
    if (failures != before)
      std::printf("%s: status %d, %llu configurations of %zu operations\n", algorithm.name, static_cast<int>(status),
                  static_cast<unsigned long long>(search->configurations()), problem.size());
  }
}

/// Operations one after the other, then `open` at once, called in any order.
class Wide {
 public:
  Wide(std::size_t sequential, std::size_t open, unsigned seed) : dice_(seed) {
    for (std::size_t i = 0; i < sequential; ++i, rank_ += 2) add(problem_, next_++, rank_, rank_ + 1, false, false);
    for (std::size_t i = 0; i < open; ++i) symbols_.push_back(next_++);
    dice_.shuffle(symbols_);
  }

  /// Calls the open operations; of every three one may be left out and ends, one may be left out and never ends.
  void call(bool optional) {
    std::vector<std::int64_t> returns;
    returns.reserve(symbols_.size());
    for (std::size_t i = 0; i < symbols_.size(); ++i)
      returns.push_back(rank_ + static_cast<std::int64_t>(symbols_.size() + i));
    dice_.shuffle(returns);
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      const bool left_out = optional && i % 3 != 0;
      const bool never = optional && i % 3 == 2;
      add(problem_, symbols_[i], rank_ + static_cast<std::int64_t>(i), never ? kNever : returns[i], left_out, false);
    }
    rank_ += 2 * static_cast<std::int64_t>(symbols_.size());
  }

  /// A last operation after all that end.
  void then(Symbol symbol) {
    add(problem_, symbol, rank_, rank_ + 1, false, true);
    rank_ += 2;
  }

  [[nodiscard]] Symbol next() const { return next_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }

 private:
  Dice dice_;
  Problem problem_;
  std::vector<Symbol> symbols_;
  Symbol next_ = 0;
  std::int64_t rank_ = 0;
};

constexpr Symbol kSees = 100'000;  // + state

/// Symbol i is legal in state i only and leads to i + 1, so there is one order.
std::vector<State> chained(State state, Symbol symbol) {
  if (symbol >= kSees) return symbol - kSees == state ? std::vector{state} : std::vector<State>{};
  return symbol == state ? std::vector{state + 1} : std::vector<State>{};
}

/// Symbols 2i and 2i + 1 take each other's place: two ways from state 4i to 4i + 3, so 2^n orders but 4n states.
std::vector<State> diamonds(State state, Symbol symbol) {
  if (symbol >= kSees) return chained(state, symbol);
  const State first = 4 * (symbol / 2);
  const State one = symbol % 2 + 1;
  if (state != first && state != first + 3 - one) return {};
  const State after = state + one;
  return {after == first + 3 ? first + 4 : after};
}

void wide_windows_are_exact() {
  for (const std::size_t open : {63U, 64U, 65U, 129U, 200U})
    for (const std::size_t sequential : {0U, 1U, 63U, 64U, 100U})
      for (const bool optional : {false, true}) {
        Wide fits(sequential, open, 3);
        fits.call(optional);
        fits.then(kSees + fits.next());
        expect_all(fits.problem(), chained, Status::kLinearizable, 100'000);
        Wide violates(sequential, open, 3);
        violates.call(optional);
        violates.then(kSees + violates.next() + 1);
        expect_all(violates.problem(), chained, Status::kViolation, 100'000);
      }
}

/// A key that took two configurations for different ones would need 2^100 of them.
void wide_keys_are_equal_when_they_should_be() {
  for (const std::size_t open : {64U, 130U, 200U})
    for (const std::size_t sequential : {0U, 40U}) {
      Wide violates(sequential, open, 5);
      violates.call(false);
      violates.then(kSees + 1);
      expect_all(violates.problem(), diamonds, Status::kViolation, 20 * (open + sequential));
      Wide fits(sequential, open, 5);
      fits.call(false);
      fits.then(kSees + 2 * fits.next());
      expect_all(fits.problem(), diamonds, Status::kLinearizable, 20 * (open + sequential));
    }
}

/// Equal operations are tried in one order only: a hundred of them are no more work than one after the other.
void equal_operations_are_tried_once() {
  Problem problem;
  constexpr std::int64_t kOpen = 150;
  for (std::int64_t i = 0; i < kOpen; ++i) add(problem, 0, i, kOpen + i, false, false);
  add(problem, kSees + 2, 2 * kOpen, 2 * kOpen + 1, false, true);
  const auto toggle = [](State state, Symbol symbol) {
    return symbol == 0 ? std::vector{1 - state} : chained(state, symbol);
  };
  expect_all(problem, toggle, Status::kViolation, 1000);
  problem.symbol.back() = kSees + 0;
  expect_all(problem, toggle, Status::kLinearizable, 1000);
}

void an_empty_history_is_linearizable() {
  Dice dice(1);
  const Automaton automaton(dice);
  for (const Algorithm& algorithm : kAlgorithms) {
    const Answer answer = run(algorithm, Problem(), automaton);
    EXPECT(answer.status == Status::kLinearizable);
    EXPECT(answer.order.empty());
  }
}

/// "The longest legal prefix found so far" is also the one that a walk stands on which never had to go back.
void an_interrupted_search_has_the_longest_prefix() {
  Dice dice(1);
  const Automaton automaton(dice);
  Problem problem;
  for (std::int64_t i = 0; i < 10; ++i) add(problem, 4, 2 * i, 2 * i + 1, false, false);
  for (const Algorithm& algorithm : kAlgorithms) {
    StopToken stop;
    const auto search = algorithm.begin(problem, automaton.steps(stop), stop);
    EXPECT(search->run(6) == Status::kPaused);
    EXPECT(search->order().size() >= 5);
  }
}

}  // namespace

int main() {
  an_empty_history_is_linearizable();
  searches_agree_with_the_definition();
  optional_operations_are_used_when_needed();
  wide_windows_are_exact();
  wide_keys_are_equal_when_they_should_be();
  equal_operations_are_tried_once();
  an_interrupted_search_has_the_longest_prefix();
  return finish();
}
