// SPDX-License-Identifier: Apache-2.0
// Native machines against models written from the definition, on random histories: the answers of all searches, and
// what the machines claim of their symbols in every state that can be reached.
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linpoint/certificates/object_replay.hpp"
#include "linpoint/certificates/refutation_scope.hpp"
#include "linpoint/monitors/monitor.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/specs/native_machine.hpp"
#include "tests/histories/written_histories.hpp"
#include "tests/search/all_searches.hpp"
#include "tests/search/small_problems.hpp"
#include "tests/specs/machine_values.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
namespace monitors = linpoint::monitors;
namespace verdicts = linpoint::verdicts;
using linpoint::search::Alphabet;
using linpoint::search::build;
using linpoint::search::Condition;
using linpoint::specs::Blueprint;
using linpoint::specs::native_machine;
using linpoint::specs::NativeMachine;

using Content = std::vector<std::int32_t>;

/// An operation on the content of an object, from the definition. The result and the content after it; none if illegal.
using Model = std::optional<std::pair<std::int32_t, Content>> (*)(const Content&, std::string_view,
                                                                  const Content& args);

std::int32_t truth(bool is) { return is ? kYes : kNo; }

std::optional<std::pair<std::int32_t, Content>> register_model(const Content& now, std::string_view name,
                                                               const Content& args) {
  if (name == "read") return std::pair(now[0], now);
  if (name == "write") return std::pair(kNull, args);
  if (name == "swap") return std::pair(now[0], args);
  return std::pair(truth(now[0] == args[0]), now[0] == args[0] ? Content{args[1]} : now);
}

std::optional<std::pair<std::int32_t, Content>> map_model(const Content& now, std::string_view name,
                                                          const Content& args) {
  const std::int32_t value = now.empty() ? kNull : now[0];
  if (name == "get") return std::pair(value, now);
  if (name == "put") return std::pair(kNull, args);
  if (name == "insert") return std::pair(truth(now.empty()), now.empty() ? args : now);
  if (name == "delete") return std::pair(truth(!now.empty()), Content{});
  if (name == "contains") return std::pair(truth(!now.empty()), now);
  return std::pair(truth(value == args[0]), value == args[0] ? Content{args[1]} : now);
}

std::optional<std::pair<std::int32_t, Content>> queue_model(const Content& now, std::string_view name,
                                                            const Content& args) {
  Content after = now;
  if (name == "enqueue") {
    if (now.size() >= 2) return std::pair(kNo, now);
    after.push_back(args[0]);
    return std::pair(kYes, after);
  }
  if (now.empty() || name == "peek") return std::pair(now.empty() ? kNull : now[0], now);
  after.erase(after.begin());
  return std::pair(now[0], after);
}

std::optional<std::pair<std::int32_t, Content>> stack_model(const Content& now, std::string_view name,
                                                            const Content& args) {
  Content after = now;
  if (name == "push") {
    after.push_back(args[0]);
    return std::pair(kNull, after);
  }
  if (now.empty() || name == "peek") return std::pair(now.empty() ? kNull : now.back(), now);
  after.pop_back();
  return std::pair(now.back(), after);
}

/// The strings that values of a growing map stand for, by number.
const std::vector<std::optional<std::string>>& strings() {
  static const std::vector<std::optional<std::string>> all{
      std::nullopt, std::nullopt, std::nullopt, "x", "y", "xy", "yx",
  };
  return all;
}

/// Contents are nothing, null, or 1 and then the characters.
Content characters(std::int32_t value) {
  if (value == kNull) return {kNull};
  const std::string text = strings()[static_cast<std::size_t>(value)].value_or("");
  Content content{1};
  content.insert(content.end(), text.begin(), text.end());
  return content;
}

std::optional<std::pair<std::int32_t, Content>> growing_model(const Content& now, std::string_view name,
                                                              const Content& args) {
  if (name == "put") return std::pair(kNull, characters(args[0]));
  if (name == "delete") return std::pair(truth(!now.empty()), Content{});
  if (name == "append") {
    if (now == Content{kNull} || args[0] == kNull) return std::nullopt;
    Content after = now.empty() ? Content{1} : now;
    const Content more = characters(args[0]);
    after.insert(after.end(), more.begin() + 1, more.end());
    return std::pair(kNull, after);
  }
  std::int32_t value = now.empty() || now[0] == kNull ? kNull : -1;  // a string without a number is never recorded
  for (std::int32_t known = kA; std::cmp_less(known, strings().size()); ++known)
    if (now == characters(known)) value = known;
  if (name == "get") return std::pair(value, now);
  return std::pair(truth(value == args[0]), value == args[0] ? characters(args[1]) : now);
}

struct Kind {
  std::string kind;
  Model model;
  std::vector<std::string> names;
  std::vector<std::size_t> arity;
  std::vector<bool> tells;  // whether the result is one that null does not stand for
  Content first;
  std::optional<std::int64_t> capacity;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {
          "register",
          register_model,
          {"read", "write", "swap", "cas"},
          {0, 1, 1, 2},
          {true, false, true, false},
          {kNull},
          {},
      },
      {
          "map",
          map_model,
          {"get", "put", "insert", "delete", "contains", "cas"},
          {0, 1, 1, 0, 0, 2},
          {true, false, false, false, true, false},
          {},
          {},
      },
      {"queue", queue_model, {"enqueue", "dequeue", "peek"}, {1, 0, 0}, {false, true, true}, {}, 2},
      {"stack", stack_model, {"push", "pop", "peek"}, {1, 0, 0}, {false, true, true}, {}, {}},
      {
          "map",
          growing_model,
          {"get", "put", "delete", "append", "cas"},
          {0, 1, 0, 1, 2},
          {true, false, false, false, false},
          {},
          {},
      },
  };
  return all;
}

/// States of a model by number.
class Modelled {
 public:
  Modelled(const Kind& kind, const Columns& columns) : kind_(kind), columns_(columns) { number(kind.first); }

  /// Symbols are positions, and with any result kLoose more.
  std::vector<State> step(State state, Symbol symbol) {
    const auto op = static_cast<std::size_t>(symbol % kLoose);
    const auto arguments = columns_.arguments_of(op);
    const auto name = static_cast<std::size_t>(columns_.name[op]);
    const auto given = kind_.model(contents_[static_cast<std::size_t>(state)], kind_.names[name],
                                   {arguments.begin(), arguments.end()});
    if (!given) return {};
    const std::int32_t recorded = columns_.result[op];
    const bool unobserved = symbol >= kLoose || (!kind_.tells[name] && recorded == kNull);
    if (!unobserved && recorded != given->first) return {};
    return {number(given->second)};
  }

  static constexpr Symbol kLoose = 100;
  static constexpr std::size_t kMost = 16'000;

 private:
  State number(const Content& content) {
    const auto [found, fresh] = numbers_.try_emplace(content, static_cast<State>(contents_.size()));
    if (fresh) contents_.push_back(content);
    return found->second;
  }

  const Kind& kind_;
  const Columns& columns_;
  std::map<Content, State> numbers_;
  std::vector<Content> contents_;
};

/// A history of one object that is nearly right: results are those of the order of the calls, but for some.
Columns random_history(Dice& dice, const Kind& kind) {
  std::vector<Op> ops;
  Content now = kind.first;
  std::int32_t process = 0;
  for (const auto& [call, ret] : random_spans(dice, 7)) {
    const std::size_t name = dice.pick(kind.names.size());
    Op op{.process = process++, .call = call, .ret = ret, .name = static_cast<std::int32_t>(name)};
    const bool text = kind.names[name] == "append";  // of which there is no null
    const auto value = [&] { return dice.one_in(6) && !text ? kNull : kA + static_cast<std::int32_t>(dice.pick(4)); };
    for (std::size_t i = 0; i < kind.arity[name]; ++i) op.args.push_back(value());
    const auto given = kind.model(now, kind.names[name], op.args);
    const bool happens = given && given->first >= 0 && !dice.one_in(4);
    if (happens) now = given->second;
    op.result = happens ? given->first : kNull;
    if (dice.one_in(8)) op.result = value();
    if (dice.one_in(8) && !kind.tells[name]) op.result = kNull;
    if (!happens || dice.one_in(6)) {
      op.outcome = Outcome::kUnknown;
      op.ret = kNever;
    }
    ops.push_back(op);
  }
  return columns_of(ops, {{.time = 7}});
}

/// What a machine says of a symbol must be so in every state.
void expect_true_traits(const NativeMachine& machine, State first, Symbol symbols) {
  StopToken stop;
  const auto steps = machine.steps(stop);
  std::set<State> reached{first};
  std::vector<State> open{first};
  std::map<Symbol, std::set<State>> leads;
  while (!open.empty() && reached.size() < 200) {
    const State state = open.back();
    open.pop_back();
    for (Symbol symbol = 0; symbol < symbols; ++symbol) {
      const auto states = steps->step(state, symbol);
      EXPECT(states.size() <= 1);
      if (state == machine.hopeless()) {
        EXPECT(machine.trait(symbol).despairs == states.empty());
        EXPECT(machine.trait(symbol).revives == (!states.empty() && states.front() != state));
      }
      if (states.empty()) continue;
      const State after = states.front();
      leads[symbol].insert(after);
      if (machine.trait(symbol).reads) EXPECT(after == state);
      if (reached.insert(after).second) open.push_back(after);
    }
  }
  for (const auto& [symbol, after] : leads)
    if (machine.trait(symbol).determines) EXPECT(after.size() == 1);
}

/// What a model says of a history.
bool fits(const Kind& kind, const Columns& columns, Condition condition) {
  const std::vector<std::int32_t> positions = everything(columns);
  Alphabet letters{.exact = positions, .loose = positions};
  for (Symbol& symbol : letters.loose) symbol += Modelled::kLoose;
  const Problem problem = build(columns, {positions, {}, false}, condition, letters, nullptr, 0);
  Modelled modelled(kind, columns);
  const auto step = [&](State state, Symbol symbol) { return modelled.step(state, symbol); };
  return Reachable(problem, Modelled::kMost, step).complete_from(0, 0);
}

/// All that machines know beside the steps (what is idle, read, settled, hopeless, unseen) changes no answer.
void expect_answers(const Kind& kind, const Columns& columns, Condition condition, Status expected) {
  const std::vector<std::int32_t> positions = everything(columns);
  const auto operations = static_cast<Symbol>(positions.size());
  Blueprint blueprint = blueprint_of(kind.kind, kind.names);
  blueprint.capacity = kind.capacity;
  blueprint.strings = strings();
  const auto machine = native_machine(columns, blueprint, positions, positions);
  const State first = machine->state(std::vector<std::int64_t>(kind.first.begin(), kind.first.end()));
  Alphabet letters{.exact = positions, .loose = positions};
  for (Symbol& symbol : letters.loose) symbol += operations;
  const Problem problem = build(columns, {positions, {}, false}, condition, letters, machine.get(), first);
  for (const Algorithm& algorithm : kAlgorithms) {
    StopToken stop;
    const auto search = algorithm.begin(problem, machine->steps(stop), stop);
    EXPECT(search->run(kNoLimit) == expected);
  }
  expect_true_traits(*machine, first, 2 * operations);
}

/// Monitors agree where they apply, their orders can be replayed, and what they show can stand for the whole.
bool expect_monitor(const Kind& kind, const Columns& columns, Condition condition, bool expected) {
  const std::vector<std::int32_t> positions = everything(columns);
  Blueprint blueprint = blueprint_of(kind.kind, kind.names);
  blueprint.capacity = kind.capacity;
  blueprint.strings = strings();
  const std::vector<std::int64_t> content(kind.first.begin(), kind.first.end());
  const Alphabet no_letters;
  const Problem problem = build(columns, {positions, {}, false}, condition, no_letters, nullptr, 0);
  StopToken stop;
  const monitors::Outcome outcome = monitors::decide(columns, problem, blueprint, content, stop);
  if (outcome.status == monitors::Status::kViolation) {
    EXPECT(!expected);
    EXPECT(outcome.reason != monitors::Reason::kNone && !outcome.evidence.empty());
    EXPECT(verdicts::check_scope(columns, positions, outcome.scope, blueprint, 0).flaw == verdicts::Flaw::kNone);
  } else if (outcome.status == monitors::Status::kLinearizable) {
    const auto& order = outcome.order;
    const bool replayed = verdicts::check_replay(columns, order, blueprint, content).flaw == verdicts::Flaw::kNone &&
                          verdicts::check_times(columns, order, condition, false).flaw == verdicts::Flaw::kNone;
    EXPECT(replayed || outcome.relaxed || !problem.before.empty() || !problem.excluded.empty());
    EXPECT(expected || !replayed);
    EXPECT(verdicts::check_members(columns, positions, order, true).flaw == verdicts::Flaw::kNone);
  }
  return outcome.status != monitors::Status::kExcluded;
}

void machines_decide_as_models_do() {
  Dice dice(61);
  for (const Kind& kind : kinds()) {
    int violations = 0;
    int monitored = 0;
    constexpr int kRounds = 1500;
    for (int round = 0; round < kRounds && !hopeless(); ++round) {
      const int before = failures;
      const Columns columns = random_history(dice, kind);
      const Condition condition = round % 3 == 0 ? Condition::kStrict : Condition::kLinearizable;
      const bool expected = fits(kind, columns, condition);
      violations += expected ? 0 : 1;
      expect_answers(kind, columns, condition, expected ? Status::kLinearizable : Status::kViolation);
      monitored += expect_monitor(kind, columns, condition, expected) ? 1 : 0;
      if (failures != before) std::printf("%s, round %d\n", kind.kind.c_str(), round);
    }
    EXPECT(violations > kRounds / 8);
    EXPECT(violations < kRounds - kRounds / 8);
    EXPECT(monitored > 0 || kind.capacity);
  }
}

}  // namespace

int main() {
  machines_decide_as_models_do();
  return finish();
}
