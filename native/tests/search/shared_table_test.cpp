// SPDX-License-Identifier: Apache-2.0
// Two depth-first searches of one problem, one of them reversed, on two threads with one table of what is refuted.
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "linpoint/search/search.hpp"
#include "tests/search/all_searches.hpp"
#include "tests/search/small_problems.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::search::depth_first;
using linpoint::search::Order;
using linpoint::search::seen_table;
using linpoint::search::StopReason;
using linpoint::specs::TransitionTable;

/// Two searches of one problem with a token each, and the token of their table.
class Pairing {
 public:
  template <typename MakeSteps>
  Pairing(const Problem& problem, MakeSteps steps) {
    const auto table = seen_table(problem, all_);
    for (Walker& walker : walkers_) {
      const Order order = &walker == walkers_ ? Order::kFirstCalled : Order::kLastCalled;
      walker.search = depth_first(problem, steps(walker.stop), walker.stop, table, order);
    }
  }

  /// Runs both to their ends in turns of `allowance`; if `race`, the first to answer stops the other.
  void run(std::uint64_t allowance, bool race) {
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (Walker& walker : walkers_)
      threads.emplace_back([&, allowance, race] {
        ++ready;
        while (ready.load() < 2) std::this_thread::yield();
        do walker.status = walker.search->run(allowance);
        while (walker.status == Status::kPaused);
        if (race && walker.status != Status::kStopped) all_.stop(StopReason::kRequest);
      });
    for (std::thread& thread : threads) thread.join();
  }

  [[nodiscard]] Status status(std::size_t walker) const { return walkers_[walker].status; }
  [[nodiscard]] const Search& search(std::size_t walker) const { return *walkers_[walker].search; }

 private:
  struct Walker {
    explicit Walker(StopToken& parent) : stop(&parent) {}
    StopToken stop;
    std::unique_ptr<Search> search;
    Status status = Status::kPaused;
  };
  StopToken all_;
  Walker walkers_[2]{Walker(all_), Walker(all_)};
};

/// Whichever comes to its end has the answer, whatever the other has refuted meanwhile.
void each_has_the_answer() {
  Dice dice(23);
  int violations = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds && !hopeless(); ++round) {
    const Automaton automaton(dice);
    const Features features{.optional = false, .lasting = false};
    const Problem problem = random_problem(dice, automaton, 6 + dice.pick(5), features);
    const bool expected = linearizable(problem, automaton);
    violations += expected ? 0 : 1;
    Pairing pairing(problem, [&](StopToken& stop) { return automaton.steps(stop); });
    pairing.run(round % 2 == 0 ? 1 : kNoLimit, false);
    for (const std::size_t walker : {0U, 1U}) {
      EXPECT(pairing.status(walker) == (expected ? Status::kLinearizable : Status::kViolation));
      EXPECT(legal(problem, pairing.search(walker).order(), expected, automaton));
    }
  }
  EXPECT(violations > kRounds / 5);
  EXPECT(violations < kRounds - kRounds / 5);
}

/// `open` operations at once of which every order leads to other states, and a read of a state that there is not.
struct Refutable {
  static constexpr State kStates = 61;
  static constexpr Symbol kSeesNothing = 1000;
  Problem problem;

  explicit Refutable(std::int64_t open) {
    for (std::int64_t i = 0; i < open; ++i) add(problem, static_cast<Symbol>(i), i, open + i, false, false);
    add(problem, kSeesNothing, 2 * open, 2 * open + 1, false, true);
  }

  static void step(State state, Symbol symbol, std::vector<State>& out) {
    if (symbol != kSeesNothing) out.push_back((state * 7 + symbol + 1) % kStates);
  }
};

/// The longest way to share: everything must be refuted, by one search or the other.
void the_work_is_shared() {
  const Refutable refutable(11);
  const auto steps = [](StopToken& stop) { return std::make_unique<TransitionTable>(Refutable::step, stop); };
  StopToken stop;
  const auto alone =
      depth_first(refutable.problem, steps(stop), stop, seen_table(refutable.problem, stop), Order::kFirstCalled);
  EXPECT(alone->run(kNoLimit) == Status::kViolation);
  Pairing pairing(refutable.problem, steps);
  pairing.run(50, false);
  std::uint64_t both = 0;
  for (const std::size_t walker : {0U, 1U}) {
    EXPECT(pairing.status(walker) == Status::kViolation);
    both += pairing.search(walker).configurations();
  }
  // What both are in at the same time is entered by both; nothing that one of them has refuted is.
  EXPECT(both < 2 * alone->configurations());
}

void the_first_stops_the_other() {
  for (int round = 0; round < 20 && !hopeless(); ++round) {
    const Refutable refutable(10);
    Pairing pairing(refutable.problem,
                    [](StopToken& stop) { return std::make_unique<TransitionTable>(Refutable::step, stop); });
    pairing.run(200, true);
    EXPECT(pairing.status(0) == Status::kViolation || pairing.status(1) == Status::kViolation);
    for (const std::size_t walker : {0U, 1U})
      EXPECT(pairing.status(walker) == Status::kViolation || pairing.status(walker) == Status::kStopped);
  }
}

}  // namespace

int main() {
  each_has_the_answer();
  the_work_is_shared();
  the_first_stops_the_other();
  return finish();
}
