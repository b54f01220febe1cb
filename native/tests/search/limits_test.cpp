// SPDX-License-Identifier: Apache-2.0
// Searches that may not go on: time, memory, requests and steps that fail; and the memory account, which ends at zero.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "linpoint/search/search.hpp"
#include "linpoint/search/stop_token.hpp"
#include "search/accounted_vector.hpp"
#include "search/linear_configurations.hpp"
#include "search/refuted_table.hpp"
#include "tests/search/all_searches.hpp"
#include "tests/search/small_problems.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::search::AccountedVector;
using linpoint::search::Past;
using linpoint::search::SeenTable;
using linpoint::search::StopReason;
using linpoint::specs::TransitionTable;

constexpr Symbol kSeesNothing = 1000;

void mixing(State state, Symbol symbol, std::vector<State>& out) {
  constexpr State kStates = 10'007;
  if (symbol != kSeesNothing) out.push_back((state * 31 + symbol + 1) % kStates);
}

std::unique_ptr<linpoint::specs::Steps> mixing_steps(StopToken& stop) {
  return std::make_unique<TransitionTable>(mixing, stop);
}

/// More orders than anybody can try, and none of them fits.
Problem endless(bool optional) {
  constexpr std::int64_t kOpen = 40;
  Problem problem;
  for (std::int64_t i = 0; i < kOpen; ++i) {
    const bool left_out = optional && i % 2 == 0;
    add(problem, static_cast<Symbol>(i), i, left_out && i % 4 == 0 ? kNever : kOpen + i, left_out, false);
  }
  add(problem, kSeesNothing, 2 * kOpen, 2 * kOpen + 1, false, true);
  return problem;
}

void time_is_kept() {
  const Problem problem = endless(false);
  for (const Algorithm& algorithm : kAlgorithms) {
    StopToken stop;
    stop.set_time_limit(0.02);
    const auto search = algorithm.begin(problem, mixing_steps(stop), stop);
    EXPECT(search->run(kNoLimit) == Status::kStopped);
    EXPECT(stop.reason() == StopReason::kTime);
    EXPECT(search->run(kNoLimit) == Status::kStopped);
  }
}

/// Nor is it forgotten where much is open at once and little is looked at.
void time_is_kept_with_thousands_open() {
  constexpr std::int64_t kOpen = 4000;
  Problem problem;
  for (std::int64_t i = 0; i < kOpen; ++i) add(problem, static_cast<Symbol>(i), i, kOpen + i, false, false);
  for (const Algorithm& algorithm : kAlgorithms) {
    StopToken stop;
    stop.set_time_limit(0.05);
    auto steps = std::make_unique<TransitionTable>(
        [](State state, Symbol symbol, std::vector<State>& out) {
          if (state == symbol) out.push_back(state + 1);
        },
        stop);
    const auto began = StopToken::Clock::now();
    algorithm.begin(problem, std::move(steps), stop)->run(kNoLimit);
    EXPECT(StopToken::Clock::now() - began < std::chrono::seconds(5));  // Linear once looked seven for rivals
  }
}

void a_limit_beyond_all_clocks_is_none() {
  StopToken stop;
  stop.set_time_limit(1e300);
  EXPECT(!stop.poll());
  StopToken past;
  past.set_time_limit(-1);
  EXPECT(past.poll());
}

void memory_is_kept() {
  constexpr std::size_t kLimit = std::size_t{1} << 20U;
  for (const bool optional : {false, true})
    for (const Algorithm& algorithm : kTabled) {
      StopToken stop;
      stop.set_memory_limit(kLimit);
      {
        const Problem problem = endless(optional);
        const auto search = algorithm.begin(problem, mixing_steps(stop), stop);
        Status status = Status::kPaused;
        while (status == Status::kPaused) {
          status = search->run(1000);
          EXPECT(stop.memory() <= kLimit);
        }
        EXPECT(status == Status::kStopped);
        EXPECT(stop.reason() == StopReason::kMemory);
        EXPECT(stop.memory() > kLimit / 4);  // it was used
      }
      EXPECT(stop.memory() == 0);
    }
}

/// Whatever the memory, an answer is right or there is none; and all that was taken is given back.
void little_memory_never_makes_a_wrong_answer() {
  Dice dice(31);
  int stopped = 0;
  int answered = 0;
  for (int round = 0; round < 150 && !hopeless(); ++round) {
    const Automaton automaton(dice);
    const Problem problem = random_problem(dice, automaton, 12, {.pairs = round % 2 == 0});
    const bool expected = linearizable(problem, automaton);
    for (const Algorithm& algorithm : kTabled)
      for (std::size_t limit = 0; limit < 20'000; limit += 1 + limit / 3 + dice.pick(40)) {
        StopToken stop;
        stop.set_memory_limit(limit);
        {
          const auto search = algorithm.begin(problem, automaton.steps(stop), stop);
          const Status status = search->run(kNoLimit);
          (status == Status::kStopped ? stopped : answered) += 1;
          if (status == Status::kStopped)
            EXPECT(stop.reason() == StopReason::kMemory);
          else
            EXPECT(status == (expected ? Status::kLinearizable : Status::kViolation));
          EXPECT(legal(problem, search->order(), status == Status::kLinearizable, automaton));
          EXPECT(stop.memory() <= limit);
        }
        EXPECT(stop.memory() == 0);
      }
  }
  EXPECT(stopped > 500);
  EXPECT(answered > 500);
}

void a_paused_search_gives_its_memory_back() {
  for (const Algorithm& algorithm : kTabled)
    for (const std::uint64_t allowance : {0U, 1U, 100U, 5000U}) {
      const Problem problem = endless(true);
      StopToken stop;
      {
        const auto search = algorithm.begin(problem, mixing_steps(stop), stop);
        EXPECT(search->run(allowance) == Status::kPaused);
      }
      EXPECT(stop.memory() == 0);
    }
}

/// The token of a part: what it takes is on its parent's account, and its end is its own.
void children_share_the_account() {
  StopToken parent;
  parent.set_memory_limit(100);
  StopToken child(&parent);
  StopToken other(&parent);
  EXPECT(child.reserve(60));
  EXPECT(parent.memory() == 60);
  EXPECT(!other.take(60));
  EXPECT(!other.stopped());
  EXPECT(!other.reserve(60));
  EXPECT(other.stopped() && other.reason() == StopReason::kMemory);
  EXPECT(!child.stopped() && !parent.stopped());
  child.release(60);
  EXPECT(parent.memory() == 0);
  parent.stop(StopReason::kRequest);
  parent.stop(StopReason::kTime);
  EXPECT(child.stopped() && child.reason() == StopReason::kRequest);
  EXPECT(other.reason() == StopReason::kMemory);  // the first reason stays
  child.count(3);
  other.count(4);
  EXPECT(parent.configurations() == 7 && child.configurations() == 3);
  // Of the searches of one part the one that is furthest counts; parts add up.
  StopToken first(&child);
  StopToken second(&child);
  first.reach(5);
  first.reach(2);
  second.reach(4);
  other.reach(1);
  EXPECT(parent.linearized() == 6 && child.linearized() == 5 && second.linearized() == 4);
}

void a_request_ends_a_search() {
  const Problem problem = endless(false);
  for (const Algorithm& algorithm : kAlgorithms) {
    StopToken parent;
    StopToken stop(&parent);
    parent.set_memory_limit(std::size_t{1} << 28U);
    const auto search = algorithm.begin(problem, mixing_steps(stop), stop);
    std::thread other([&] {
      while (stop.configurations() < 5000) std::this_thread::yield();
      parent.stop(StopReason::kRequest);
    });
    EXPECT(search->run(kNoLimit) == Status::kStopped);
    other.join();
    EXPECT(stop.reason() == StopReason::kRequest);
  }
}

void a_stopped_token_stops_before_the_first_step() {
  for (const Algorithm& algorithm : kAlgorithms) {
    StopToken stop;
    stop.stop(StopReason::kRequest);
    int asked = 0;
    const Problem problem = endless(false);
    auto steps = std::make_unique<TransitionTable>([&](State, Symbol, std::vector<State>&) { ++asked; }, stop);
    const auto search = algorithm.begin(problem, std::move(steps), stop);
    EXPECT(search->run(kNoLimit) == Status::kStopped);
    EXPECT(asked == 0);
  }
}

/// A step that could not be computed looks like one that is not legal; it must not refute anything.
void a_failing_step_refutes_nothing() {
  Dice dice(37);
  int fired = 0;
  for (int round = 0; round < 300 && !hopeless(); ++round) {
    const Automaton automaton(dice);
    const Problem problem = random_problem(dice, automaton, 8, {});
    const bool expected = linearizable(problem, automaton);
    for (const Algorithm& algorithm : kAlgorithms)
      for (int fails = 1; fails < 20; ++fails) {
        StopToken stop;
        int asked = 0;
        auto steps = std::make_unique<TransitionTable>(
            [&](State state, Symbol symbol, std::vector<State>& out) {
              if (++asked == fails)
                stop.stop(StopReason::kRequest);
              else
                out = automaton.step(state, symbol);
            },
            stop);
        const auto search = algorithm.begin(problem, std::move(steps), stop);
        const Status status = search->run(kNoLimit);
        if (asked >= fails) {
          ++fired;
          EXPECT(status == Status::kStopped);
        } else {
          EXPECT(status == (expected ? Status::kLinearizable : Status::kViolation));
        }
        EXPECT(legal(problem, search->order(), status == Status::kLinearizable, automaton));
      }
  }
  EXPECT(fired > 1000);
}

void vectors_account_for_what_they_hold() {
  StopToken stop;
  stop.set_memory_limit(1000);
  {
    AccountedVector<std::uint64_t> numbers(stop);
    for (std::uint64_t i = 0; i < 32; ++i) EXPECT(numbers.push(i));
    EXPECT(stop.memory() == 32 * sizeof(std::uint64_t));
    AccountedVector<std::uint64_t> others(stop);
    EXPECT(others.refill(8, 7));
    numbers.swap(others);
    EXPECT(numbers.size() == 8 && others.size() == 32 && others[31] == 31);
    EXPECT(stop.memory() == 40 * sizeof(std::uint64_t));
    EXPECT(!others.make_room(100));  // the old and the new do not fit together
    EXPECT(stop.reason() == StopReason::kMemory);
    EXPECT(others.size() == 32);
    EXPECT(stop.memory() == 40 * sizeof(std::uint64_t));
  }
  EXPECT(stop.memory() == 0);
}

/// Paths that nobody needs are used again; those that somebody needs are not.
void pasts_are_freed_when_nobody_needs_them() {
  StopToken stop;
  Past past(stop);
  const std::uint32_t a = past.extend(Past::kRoot, 1, true);
  const std::uint32_t b = past.extend(a, 2, false);
  const std::uint32_t c = past.extend(a, 3, true);
  past.drop(a);  // b and c need it still
  EXPECT((past.order(b) == std::vector<std::int32_t>{1, 2}));
  EXPECT((past.order(c) == std::vector<std::int32_t>{1, 3}));
  EXPECT(past.depth(b) == 1 && past.depth(c) == 2);
  past.keep(c);
  past.drop(c);
  past.drop(b);
  const std::uint32_t d = past.extend(c, 4, true);
  EXPECT(d == b);  // its place was free
  EXPECT((past.order(d) == std::vector<std::int32_t>{1, 3, 4}));
  const std::size_t held = stop.memory();
  past.drop(c);
  past.drop(d);  // and with it c and a
  std::uint32_t last = Past::kRoot;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t next = past.extend(last, i, true);
    past.drop(last);
    last = next;
  }
  EXPECT((past.order(last) == std::vector<std::int32_t>{0, 1, 2}));
  EXPECT(stop.memory() == held);  // three places were enough
}

/// Keys are compared whole, fewer lasting operations stand for more, and a cleared table has nothing.
void tables_know_what_is_refuted() {
  StopToken stop;
  {
    SeenTable table(1, stop, true);
    using Insertion = SeenTable::Insertion;
    EXPECT(table.insert({1, 2}, {0b110}) == Insertion::kNew);
    EXPECT(table.insert({1, 2}, {0b111}) != Insertion::kNew);
    EXPECT(table.insert({1, 2}, {0b001}) == Insertion::kNew);
    EXPECT(table.insert({1, 2}, {0b010}) == Insertion::kNew);  // in place of 110
    EXPECT(table.insert({1, 2}, {0b110}) != Insertion::kNew);
    EXPECT(table.insert({1, 2}, {0b100}) == Insertion::kNew);
    EXPECT(table.insert({1, 2, 0}, {0b110}) == Insertion::kNew);
    EXPECT(table.insert({2, 1}, {0b110}) == Insertion::kNew);
    for (int round = 0; round < 3; ++round) {
      for (std::uint64_t i = 0; i < 20'000; ++i) EXPECT(table.insert({i, i, i + 7}, {i}) == Insertion::kNew);
      for (std::uint64_t i = 0; i < 20'000; ++i) EXPECT(table.insert({i, i, i + 7}, {i}) != Insertion::kNew);
      const std::size_t full = stop.memory();
      table.clear();
      EXPECT(stop.memory() < full / 2);
    }
  }
  EXPECT(stop.memory() == 0);
}

}  // namespace

int main() {
  time_is_kept();
  time_is_kept_with_thousands_open();
  a_limit_beyond_all_clocks_is_none();
  memory_is_kept();
  little_memory_never_makes_a_wrong_answer();
  a_paused_search_gives_its_memory_back();
  children_share_the_account();
  a_request_ends_a_search();
  a_stopped_token_stops_before_the_first_step();
  a_failing_step_refutes_nothing();
  vectors_account_for_what_they_hold();
  pasts_are_freed_when_nobody_needs_them();
  tables_know_what_is_refuted();
  return finish();
}
