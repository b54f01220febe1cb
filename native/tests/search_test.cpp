// SPDX-License-Identifier: Apache-2.0
// The searches against a permutation search written from the definition, on random small problems over a small
// automaton; and the limits: time, memory and requests from another thread.
#include "linpoint/search/search.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

namespace {

using linpoint::search::kNever;
using linpoint::search::Pair;
using linpoint::search::Problem;
using linpoint::search::Result;
using linpoint::search::State;
using linpoint::search::Status;
using linpoint::search::StopReason;
using linpoint::search::StopToken;
using linpoint::search::Symbol;
using linpoint::search::TransitionTable;

int failures = 0;

void expect(bool holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  std::printf("line %d: expected %s\n", line, what);
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

constexpr int kStates = 4;
constexpr int kReads = kStates;  // symbols 0..3 read a state; 4..7 write one; 8 is "flip to either of two states"

/// A register over four values, with a nondeterministic operation.
void step(State state, Symbol symbol, std::vector<State>& out) {
  if (symbol < kReads) {
    if (state == symbol) out.push_back(state);
  } else if (symbol < kReads + kStates) {
    out.push_back(symbol - kReads);
  } else {
    out.push_back((state + 1) % kStates);
    out.push_back((state + 2) % kStates);
  }
}

struct Columns {
  std::vector<Symbol> symbol;
  std::vector<std::int64_t> call;
  std::vector<std::int64_t> ret;
  std::vector<std::uint8_t> optional;
  std::vector<std::uint8_t> reads;
  std::vector<Pair> before;
  std::vector<Pair> excluded;

  [[nodiscard]] Problem problem() const { return {symbol, call, ret, optional, reads, before, excluded, 0}; }
};

Columns random_columns(std::mt19937& rng, std::size_t operations) {
  const auto pick = [&rng](std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(rng); };
  std::vector<std::int64_t> ranks(2 * operations);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i + 1 < ranks.size(); ++i)
    std::swap(ranks[i], ranks[std::min(i + pick(6), ranks.size() - 1)]);
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  spans.reserve(operations);
  for (std::size_t i = 0; i < operations; ++i)
    spans.emplace_back(std::min(ranks[2 * i], ranks[2 * i + 1]), std::max(ranks[2 * i], ranks[2 * i + 1]));
  std::sort(spans.begin(), spans.end());
  Columns columns;
  for (const auto& [call, ret] : spans) {
    const bool optional = pick(4) == 0;
    const auto symbol = static_cast<Symbol>(pick(2 * kStates + 1));
    columns.symbol.push_back(symbol);
    columns.call.push_back(call);
    columns.ret.push_back(optional && pick(2) == 0 ? kNever : ret);
    columns.optional.push_back(optional ? 1 : 0);
    columns.reads.push_back(symbol < kReads ? 1 : 0);
  }
  for (std::size_t tries = 0; tries < 2; ++tries) {
    const std::size_t a = pick(operations);
    const std::size_t b = pick(operations);
    if (a >= b) continue;
    const Pair pair{static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)};
    (columns.optional[a] != 0 ? columns.excluded : columns.before).push_back(pair);
  }
  return columns;
}

/// From the definition: is there an order, whatever it takes?
class Permutations {
 public:
  explicit Permutations(const Columns& columns) : columns_(columns), in_(columns.symbol.size()) {}

  bool exists(State state) {
    bool complete = true;
    for (std::size_t op = 0; op < in_.size(); ++op) complete = complete && (in_[op] || columns_.optional[op] != 0);
    if (complete) return true;
    for (std::size_t op = 0; op < in_.size(); ++op) {
      if (in_[op] || !may_be_next(op)) continue;
      std::vector<State> after;
      step(state, columns_.symbol[op], after);
      in_[op] = true;
      for (const State next : after)
        if (exists(next)) return true;
      in_[op] = false;
    }
    return false;
  }

 private:
  [[nodiscard]] bool may_be_next(std::size_t op) const {
    for (std::size_t other = 0; other < in_.size(); ++other) {
      if (!in_[other] && columns_.optional[other] == 0 && columns_.ret[other] < columns_.call[op]) return false;
      if (in_[other] && columns_.ret[op] < columns_.call[other]) return false;
    }
    const auto index = static_cast<std::int32_t>(op);
    for (const Pair& pair : columns_.before)
      if (pair.second == index && !in_[static_cast<std::size_t>(pair.first)]) return false;
    return std::none_of(columns_.excluded.begin(), columns_.excluded.end(), [&](const Pair& pair) {
      return pair.first == index && in_[static_cast<std::size_t>(pair.second)];
    });
  }

  const Columns& columns_;
  std::vector<bool> in_;
};

bool legal(const Columns& columns, const std::vector<std::int32_t>& order) {
  std::vector<State> states{0};
  for (const std::int32_t op : order) {
    std::vector<State> after;
    for (const State state : states) step(state, columns.symbol[static_cast<std::size_t>(op)], after);
    states = after;
  }
  return !states.empty();
}

void searches_agree_with_permutations() {
  std::mt19937 rng(7);
  int violations = 0;
  constexpr int kRounds = 20000;
  for (int round = 0; round < kRounds; ++round) {
    const Columns columns = random_columns(rng, 1 + static_cast<std::size_t>(round) % 7);
    const bool expected = Permutations(columns).exists(0);
    violations += expected ? 0 : 1;
    for (const auto search : {linpoint::search::wing_gong, linpoint::search::depth_first}) {
      TransitionTable table(step);
      StopToken stop;
      const Result result = search(columns.problem(), table, stop);
      EXPECT(result.status == (expected ? Status::kLinearizable : Status::kViolation));
      EXPECT(legal(columns, result.order));
      if (failures > 5) return;
    }
  }
  EXPECT(violations > kRounds / 5);
}

/// Many overlapping writes and a read of a value nobody wrote: every order must be tried.
Columns hopeless(std::size_t writes) {
  Columns columns;
  for (std::size_t i = 0; i <= writes; ++i) {
    const bool last = i == writes;
    columns.symbol.push_back(last ? 3 : static_cast<Symbol>(kReads + static_cast<int>(i) % 3));
    columns.call.push_back(static_cast<std::int64_t>(i));
    columns.ret.push_back(static_cast<std::int64_t>(1000 + i));
    columns.optional.push_back(0);
    columns.reads.push_back(last ? 1 : 0);
  }
  return columns;
}

void limits_hold() {
  const Columns columns = hopeless(40);
  for (const auto search : {linpoint::search::wing_gong, linpoint::search::depth_first}) {
    TransitionTable table(step);
    StopToken stop;
    stop.set_time_limit(0.05);
    const Result result = search(columns.problem(), table, stop);
    EXPECT(result.status == Status::kStopped);
    EXPECT(stop.reason() == StopReason::kTime);
  }
  {
    TransitionTable table(step);
    StopToken stop;
    stop.set_memory_limit(std::size_t{1} << 20U);
    EXPECT(linpoint::search::depth_first(columns.problem(), table, stop).status == Status::kStopped);
    EXPECT(stop.reason() == StopReason::kMemory);
    EXPECT(stop.memory() == 0);  // all given back
  }
  {
    TransitionTable table(step);
    StopToken stop;
    std::thread other([&stop] { stop.stop(StopReason::kRequest); });
    EXPECT(linpoint::search::depth_first(columns.problem(), table, stop).status == Status::kStopped);
    other.join();
    EXPECT(stop.reason() == StopReason::kRequest);
  }
}

void wide_windows_are_exact() {
  // 200 operations open at once: keys are several words long. One order of writes fits the reads behind them.
  Columns columns;
  constexpr std::size_t kOpen = 200;
  for (std::size_t i = 0; i < kOpen; ++i) {
    columns.symbol.push_back(kReads + 1);
    columns.call.push_back(static_cast<std::int64_t>(i));
    columns.ret.push_back(static_cast<std::int64_t>(kOpen + i));
    columns.optional.push_back(0);
    columns.reads.push_back(0);
  }
  const std::array<Symbol, 2> tail{1, 0};
  for (std::size_t i = 0; i < tail.size(); ++i) {
    columns.symbol.push_back(tail.at(i));
    columns.call.push_back(static_cast<std::int64_t>(1000 + 2 * i));
    columns.ret.push_back(static_cast<std::int64_t>(1001 + 2 * i));
    columns.optional.push_back(0);
    columns.reads.push_back(1);
  }
  TransitionTable table(step);
  StopToken stop;
  stop.set_time_limit(0.2);
  const Result result = linpoint::search::depth_first(columns.problem(), table, stop);
  EXPECT(result.status != Status::kLinearizable);
  EXPECT(legal(columns, result.order));
  columns.symbol.back() = 1;
  StopToken again;
  EXPECT(linpoint::search::depth_first(columns.problem(), table, again).status == Status::kLinearizable);
}

void an_empty_history_is_linearizable() {
  TransitionTable table(step);
  StopToken stop;
  EXPECT(linpoint::search::depth_first(Columns{}.problem(), table, stop).status == Status::kLinearizable);
}

}  // namespace

int main() {
  searches_agree_with_permutations();
  limits_hold();
  wide_windows_are_exact();
  an_empty_history_is_linearizable();
  std::printf("%s: %d failures\n", failures == 0 ? "passed" : "failed", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
