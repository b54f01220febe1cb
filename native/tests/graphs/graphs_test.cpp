// SPDX-License-Identifier: Apache-2.0
// Precedence graphs: choices, edges of time, what is found, and that nothing wrong is believed of it.
#include <algorithm>
#include <random>
#include <vector>

#include "graphs/explanation_choices.hpp"
#include "linpoint/certificates/memory_evidence.hpp"
#include "linpoint/certificates/object_replay.hpp"
#include "linpoint/graphs/all_edges.hpp"
#include "tests/graphs/memory_history.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using namespace linpoint::graphs;
using linpoint::search::Condition;
using linpoint::search::StopToken;
using linpoint::verdicts::check_refutation;
using linpoint::verdicts::Proof;

// Choices

struct Puzzle {
  std::int32_t operations = 0;
  std::int32_t options = 2;
  std::vector<std::vector<Literal>> nogoods;
};

Puzzle random_puzzle(std::mt19937& random) {
  const auto below = [&](std::int32_t most) {
    return std::uniform_int_distribution<std::int32_t>(0, most - 1)(random);
  };
  Puzzle puzzle{.operations = 1 + below(6), .options = 1 + below(3), .nogoods = {}};
  for (std::int32_t count = below(14); count > 0; --count) {
    std::vector<Literal> nogood;
    for (std::int32_t size = 1 + below(3); size > 0; --size) {
      const Literal literal{below(puzzle.operations), below(puzzle.options)};
      const bool known = std::any_of(nogood.begin(), nogood.end(),
                                     [&](const Literal& each) { return each.operation == literal.operation; });
      if (!known) nogood.push_back(literal);
    }
    puzzle.nogoods.push_back(nogood);
  }
  return puzzle;
}

bool allowed(const Puzzle& puzzle, const std::vector<std::int32_t>& choices) {
  return std::none_of(puzzle.nogoods.begin(), puzzle.nogoods.end(), [&](const auto& nogood) {
    return std::all_of(nogood.begin(), nogood.end(), [&](const Literal& each) {
      return choices[static_cast<std::size_t>(each.operation)] == each.option;
    });
  });
}

bool solvable(const Puzzle& puzzle) {
  std::vector<std::int32_t> choices(static_cast<std::size_t>(puzzle.operations));
  for (;;) {
    if (allowed(puzzle, choices)) return true;
    std::size_t digit = 0;
    while (digit < choices.size() && ++choices[digit] == puzzle.options) choices[digit++] = 0;
    if (digit == choices.size()) return false;
  }
}

void choices_are_found_exactly_where_there_are_any() {
  std::mt19937 random(1);
  StopToken stop;
  for (int round = 0; round < 20'000 && !hopeless(); ++round) {
    const Puzzle puzzle = random_puzzle(random);
    Chooser chooser;
    for (std::int32_t op = 0; op < puzzle.operations; ++op) chooser.declare(op, puzzle.options, 0);
    for (const auto& nogood : puzzle.nogoods) chooser.forbid(nogood);
    const bool found = chooser.solve(stop) == Chooser::Answer::kFound;
    EXPECT(found == solvable(puzzle));
    if (!found) continue;
    std::vector<std::int32_t> choices(static_cast<std::size_t>(puzzle.operations));
    for (std::int32_t op = 0; op < puzzle.operations; ++op) choices[static_cast<std::size_t>(op)] = chooser.choice(op);
    EXPECT(allowed(puzzle, choices));
  }
}

// Edges of time

/// Random reads of one word, whose only edges are those of time.
WordsHistory random_reads(std::mt19937& random) {
  WordsHistory history;
  std::uniform_int_distribution<std::int64_t> time(0, 12);
  for (std::int32_t process = 0; process < 7; ++process) {
    const std::int64_t call = time(random);
    history.read({process, call, call + time(random) / 3}, {{kX, kZero}});
  }
  return history;
}

std::vector<Link> times_of(const Asked& asked, TimeEdges kind) {
  std::vector<Link> links = edges(asked.question(), kind);
  std::erase_if(links, [](const Link& each) { return each.because != Because::kTime; });
  return links;
}

using Matrix = std::vector<std::vector<bool>>;

Matrix matrix_of(const Asked& asked, TimeEdges kind) {
  const std::size_t size = asked.positions.size();
  Matrix found(size, std::vector<bool>(size));
  for (const Link& each : times_of(asked, kind))
    found[static_cast<std::size_t>(each.from)][static_cast<std::size_t>(each.to)] = true;
  return found;
}

/// The pairs between which there is a way of two or more edges.
Matrix twice(const Matrix& edges) {
  Matrix found(edges.size(), std::vector<bool>(edges.size()));
  for (std::size_t i = 0; i < edges.size(); ++i)
    for (std::size_t j = 0; j < edges.size(); ++j)
      for (std::size_t k = 0; k < edges.size(); ++k)
        if (edges[i][k] && edges[k][j]) found[i][j] = true;
  return found;
}

Matrix united(Matrix one, const Matrix& other) {
  for (std::size_t i = 0; i < one.size(); ++i)
    for (std::size_t j = 0; j < one.size(); ++j) one[i][j] = one[i][j] || other[i][j];
  return one;
}

Matrix without(Matrix one, const Matrix& other) {
  for (std::size_t i = 0; i < one.size(); ++i)
    for (std::size_t j = 0; j < one.size(); ++j) one[i][j] = one[i][j] && !other[i][j];
  return one;
}

void minimal_edges_say_the_same_as_all_and_none_is_too_many() {
  std::mt19937 random(2);
  for (int round = 0; round < 500 && !hopeless(); ++round) {
    const Asked asked(random_reads(random));
    const Matrix all = matrix_of(asked, TimeEdges::kAll);
    const Matrix minimal = matrix_of(asked, TimeEdges::kMinimal);
    Matrix closure = minimal;
    for (std::size_t length = 1; length < asked.positions.size(); length *= 2)
      closure = united(closure, twice(closure));
    EXPECT(closure == all);
    EXPECT(minimal == without(all, twice(all)));
  }
}

void circles_are_seen() {
  const std::vector<Link> line{{0, 1, Because::kTime}, {1, 2, Because::kTime}, {0, 2, Because::kTime}};
  EXPECT(acyclic(3, line));
  std::vector<Link> circle = line;
  circle.push_back({2, 0, Because::kTime});
  EXPECT(!acyclic(3, circle));
  EXPECT(!acyclic(1, std::vector<Link>{{0, 0, Because::kTime}}));
}

// What is found

constexpr std::int32_t kOne = kZero + 1;
constexpr std::int32_t kTwo = kZero + 2;
constexpr std::int32_t kThree = kZero + 3;

WordsHistory stale_read() {
  WordsHistory history;
  history.cas({0, 1, 2}, {{kX, kZero, kOne}}, kYes);
  history.read({1, 3, 4}, {{kX, kZero}});
  return history;
}

WordsHistory lost_update() {
  WordsHistory history;
  history.swap({0, 1, 2}, kX, kOne, kZero);
  history.swap({0, 3, 6}, kX, kTwo, kOne);
  history.swap({1, 4, 7}, kX, kThree, kOne);
  return history;
}

WordsHistory nobody_wrote_it() {
  WordsHistory history;
  history.read({0, 1, 2}, {{kX, kThree}});
  return history;
}

WordsHistory too_early() {
  WordsHistory history;
  history.read({0, 1, 2}, {{kX, kOne}});
  history.cas({1, 3, 4}, {{kX, kZero, kOne}}, kYes);
  return history;
}

WordsHistory innocent_failure() {
  WordsHistory history;
  history.cas({0, 1, 2}, {{kX, kZero, kOne}}, kYes);
  history.read({1, 3, 4}, {{kX, kOne}});
  history.fails_at({1, 5, 6}, {{kX, kOne, kTwo}}, kX);
  history.cas({0, 7, 8}, {{kX, kOne, kThree}}, kYes);
  return history;
}

WordsHistory nobody_replaced_it() {
  WordsHistory history;
  history.cas({0, 1, 2}, {{kX, kZero, kOne}}, kYes);
  history.fails_at({1, 3, 4}, {{kX, kOne, kTwo}}, kX);
  return history;
}

/// The effect of the operation that a crash cut off was seen, and so it is one of two that replaced the same value.
WordsHistory kept_for_its_reader() {
  WordsHistory history;
  history.cas({0, 1, kNever}, {{kX, kZero, kOne}}, kYes);
  history.crash(3);
  history.read({1, 4, 5}, {{kX, kOne}});
  history.cas({2, 6, 7}, {{kX, kZero, kTwo}}, kYes);
  return history;
}

void violations_have_the_names_of_the_paper_and_hold() {
  const std::vector<std::pair<WordsHistory, Reason>> cases{
      {stale_read(), Reason::kCycle},
      {lost_update(), Reason::kFork},
      {nobody_wrote_it(), Reason::kDanglingRead},
      {too_early(), Reason::kReadBeforeWrite},
      {innocent_failure(), Reason::kCycle},
      {nobody_replaced_it(), Reason::kDisconnectedFailure},
      {kept_for_its_reader(), Reason::kFork},
  };
  for (const auto& [history, reason] : cases) {
    const Asked asked(history, Condition::kDurable);
    const linpoint::graphs::Outcome found = asked.decided();
    EXPECT(found.status == Status::kViolation);
    EXPECT(found.refutation.reason == reason);
    EXPECT(check_refutation(asked.question(), found.refutation) == Proof::kHolds);
  }
}

/// A refutation of which nothing can be changed without breaking it.
void resists(const WordsHistory& history) {
  const Asked asked(history, Condition::kDurable);
  const Refutation right = asked.decided().refutation;
  const auto broken = [&](const Refutation& wrong) {
    EXPECT(check_refutation(asked.question(), wrong) == Proof::kBroken);
  };
  for (std::size_t i = 0; i < right.contradictions.size(); ++i) {
    Refutation fewer = right;
    fewer.contradictions.erase(fewer.contradictions.begin() + static_cast<std::ptrdiff_t>(i));
    broken(fewer);
    for (std::size_t k = 0; k < right.contradictions[i].links.size(); ++k) {
      const auto changed = [&](auto change) {
        Refutation other = right;
        change(other.contradictions[i].links[k]);
        broken(other);
      };
      changed([](Link& link) { std::swap(link.from, link.to); });
      changed([](Link& link) { link.to = link.from; });
      changed([](Link& link) { link.to = 99; });
      changed([](Link& link) {
        if (link.because == Because::kTime) link.because = Because::kReadsFrom;
        link.value = kZero + 7;
      });
      changed([](Link& link) {
        link.because = link.because == Because::kTime ? Because::kReplaced : Because::kTime;
        link.word = kX;
        link.value = kZero;
      });
    }
  }
  for (std::size_t i = 0; i < right.kept.size(); ++i) {
    Refutation fewer = right;
    fewer.kept.erase(fewer.kept.begin() + static_cast<std::ptrdiff_t>(i));
    broken(fewer);
  }
  if (!right.failed.empty()) {
    Refutation unexplained = right;
    unexplained.failed.clear();
    broken(unexplained);
  }
}

void nothing_wrong_is_believed_of_a_violation() {
  resists(stale_read());
  resists(too_early());
  resists(innocent_failure());
  resists(nobody_replaced_it());
  resists(kept_for_its_reader());
  const Refutation nothing;
  EXPECT(check_refutation(Asked(stale_read()).question(), nothing) == Proof::kBroken);
}

void a_value_that_is_written_twice_proves_nothing() {
  WordsHistory history = stale_read();
  const Refutation found = Asked(history).decided().refutation;
  history.cas({2, 1, 9}, {{kX, kOne, kZero}}, kYes);  // now it may have been there again
  const Asked again(history);
  EXPECT(check_refutation(again.question(), found) == Proof::kBroken);
  EXPECT(again.decided().exclusion == Exclusion::kDuplicate);
}

// Long histories, which two threads read

WordsHistory long_history(std::int32_t operations) {
  WordsHistory history;
  for (std::int32_t i = 0; i < operations; ++i)
    history.cas({i % 2, std::int64_t{10} * i, std::int64_t{10} * i + 12}, {{kX, kZero + i, kZero + i + 1}}, kYes);
  return history;
}

void two_threads_find_what_one_does() {
  const Asked asked(long_history(150'000));
  StopToken stop;
  const linpoint::graphs::Outcome alone = asked.decided();
  const linpoint::graphs::Outcome both = decide(asked.question(), stop, Rules::kCorrected, true);
  EXPECT(both.status == Status::kLinearizable);
  EXPECT(alone.order == both.order);
  const auto flaw = [&](const std::vector<std::int32_t>& order, bool parallel) {
    return linpoint::verdicts::check_witness(asked.columns, asked.positions, order, asked.condition, asked.blueprint,
                                             asked.content, parallel)
        .flaw;
  };
  using linpoint::verdicts::Flaw;
  EXPECT(flaw(both.order, true) == Flaw::kNone);
  std::vector<std::int32_t> wrong = both.order;
  std::swap(wrong[70'000], wrong[70'001]);
  EXPECT(flaw(wrong, true) == Flaw::kRejected);
  EXPECT(flaw(wrong, false) == Flaw::kRejected);
  wrong = both.order;
  wrong.pop_back();
  EXPECT(flaw(wrong, true) == Flaw::kLeftOut);
  wrong = both.order;
  wrong[3] = 1'000'000;
  EXPECT(flaw(wrong, true) == Flaw::kNotThere);
}

}  // namespace

int main() {
  choices_are_found_exactly_where_there_are_any();
  minimal_edges_say_the_same_as_all_and_none_is_too_many();
  circles_are_seen();
  violations_have_the_names_of_the_paper_and_hold();
  nothing_wrong_is_believed_of_a_violation();
  a_value_that_is_written_twice_proves_nothing();
  two_threads_find_what_one_does();
  return linpoint::tests::finish();
}
