// SPDX-License-Identifier: Apache-2.0
// Random small histories: every checker of the core under every condition against the oracle.
//
//   verdict_fuzzer SEED HISTORIES
//
// Prints one line of totals, tab-separated: the seed, the histories, the verdicts that were compared, and how many of
// the oracle's were violations. On the first wrong verdict or broken evidence it prints the history, and exits with 1.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "fuzz/verdicts/core_checkers.hpp"
#include "fuzz/verdicts/drawn_histories.hpp"

namespace {

using namespace linpoint::fuzz;
using linpoint::search::Condition;

struct Totals {
  unsigned long long histories = 0;
  unsigned long long compared = 0;
  unsigned long long decided = 0;
  unsigned long long violations = 0;
};

void print(const DrawnHistory& history) {
  std::printf("%s\n", std::string(history.kind->name).c_str());
  for (const Operation& op : history.operations) {
    std::printf("  process %d key %d %s(", op.process, op.key, std::string(op.what.name).c_str());
    for (const std::int32_t arg : op.what.args) std::printf(" %d", arg);
    if (op.certain())
      std::printf(" ) -> %d [%lld, %lld]\n", op.what.result, static_cast<long long>(op.call),
                  static_cast<long long>(op.ret));
    else
      std::printf(" ) [%lld, ...]\n", static_cast<long long>(op.call));
  }
  for (const CrashEvent& crash : history.crashes)
    std::printf("  crash of %d at %lld\n", crash.process, static_cast<long long>(crash.time));
}

/// The operations at some positions as a history of their own.
DrawnHistory part(const DrawnHistory& history, const Positions& positions) {
  DrawnHistory found{history.kind, {}, history.crashes};
  for (const std::int32_t position : positions)
    found.operations.push_back(history.operations[static_cast<std::size_t>(position)]);
  return found;
}

/// Whether a scope can be given to the oracle as it is; of a map, that something was deleted may be for others to say.
bool stands_alone(const DrawnHistory& history) { return history.kind->name != "map"; }

bool agree(const DrawnHistory& history, const Positions& positions, Rule rule, const std::vector<Said>& all,
           Totals& totals) {
  const bool holds = Definition(part(history, positions), rule).holds();
  ++totals.decided;
  totals.violations += holds ? 0 : 1;
  for (const Said& said : all) {
    ++totals.compared;
    std::string wrong = said.holds == holds ? said.objection : "the oracle says otherwise";
    if (wrong.empty() && !said.scope.empty() && stands_alone(history) &&
        Definition(part(history, said.scope), rule).holds())
      wrong = "its scope has an order";
    if (wrong.empty()) continue;
    std::printf("%s under condition %d: %s\n", said.checker.c_str(), static_cast<int>(rule), wrong.c_str());
    return false;
  }
  return true;
}

bool check(const DrawnHistory& history, Totals& totals) {
  CoreCheckers checkers(history);
  if (!checkers.well_formed()) {
    std::printf("the history is not well-formed\n");
    return false;
  }
  std::map<std::int32_t, Positions> by_key;
  Positions everything;
  for (std::size_t i = 0; i < history.operations.size(); ++i) {
    by_key[history.operations[i].key].push_back(static_cast<std::int32_t>(i));
    everything.push_back(static_cast<std::int32_t>(i));
  }
  std::vector<Positions> keys;
  for (auto& [key, positions] : by_key) keys.push_back(positions);
  for (const Rule rule : {Rule::kLinearizable, Rule::kStrict, Rule::kRecoverable, Rule::kDurable, Rule::kSequential})
    for (const Positions& positions : keys)
      if ((rule != Rule::kSequential || keys.size() == 1) &&
          !agree(history, positions, rule, checkers.of_key(positions, static_cast<Condition>(rule)), totals))
        return false;
  return agree(history, everything, Rule::kBufferedDurable, checkers.of_eras(keys), totals);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: verdict_fuzzer SEED HISTORIES\n");
    return 2;
  }
  const unsigned long long seed = std::strtoull(argv[1], nullptr, 10);
  const unsigned long long histories = std::strtoull(argv[2], nullptr, 10);
  HistoryGenerator generator(seed);
  Totals totals;
  for (; totals.histories < histories; ++totals.histories) {
    const DrawnHistory history = generator.draw();
    if (check(history, totals)) continue;
    std::printf("seed %llu, history %llu\n", seed, totals.histories);
    print(history);
    return EXIT_FAILURE;
  }
  std::printf("%llu\t%llu\t%llu\t%llu\t%llu\n", seed, totals.histories, totals.compared, totals.decided,
              totals.violations);
  return EXIT_SUCCESS;
}
