// SPDX-License-Identifier: Apache-2.0
#include "linpoint/graphs/precedence.hpp"

#include <algorithm>
#include <future>
#include <limits>
#include <map>
#include <optional>

#include "graphs/blind_writes.hpp"
#include "graphs/explanation_choices.hpp"
#include "graphs/topological_order.hpp"
#include "graphs/version_graph.hpp"
#include "graphs/violation_evidence.hpp"

namespace linpoint::graphs {
namespace {

using search::StopToken;
using specs::Effect;

constexpr std::size_t kMostAtOnce = 10'000;      // maximum number of cycles per round
constexpr std::size_t kFew = 200;                // up to this number, each nogood is tested for whether it can be left
                                                 // out
constexpr std::size_t kFewRounds = 200;          // minimum number of rounds
constexpr std::size_t kMostSteps = 200'000'000;  // maximum number of operations placed in all rounds

/// Decides in rounds: explain the failed operations, search for an order, learn from its cycles which explanations are
/// incompatible, and choose others.
class Decision {
 public:
  Decision(const Question& question, StopToken& stop, Rules rules)
      : question_(question),
        memory_(question.columns, question.positions, question.blueprint, question.content),
        evidence_(memory_),
        stop_(stop),
        rules_(rules) {}

  Outcome run(bool parallel) {
    // The effects and the times of operations are independent, and can be read concurrently.
    const bool apart = parallel && question_.positions.size() > histories::kWorthAThread;
    const auto launch = apart ? std::launch::async : std::launch::deferred;
    std::future<Timing> timing = std::async(
        launch, [this] { return Timing(question_.columns, question_.positions, question_.condition, rules_); });
    if (const auto [why, who] = memory_.load(stop_, apart); why != Exclusion::kNone) return excluded(why, who);
    memory_.keep_seen();
    if (memory_.fork().reason != Reason::kNone) return refuted({evidence_.flawed(memory_.fork())}, {});
    if (const auto flaw = memory_.dangling(); flaw.reason != Reason::kNone)
      return refuted({evidence_.flawed(flaw)}, {});
    const std::int32_t write = memory_.blind_write();
    if (write != kNone && question_.blueprint.kind == "register") return excluded(Exclusion::kWrite, write);
    if (write != kNone || !memory_.join_swaps()) {
      timing_ = timing.get();
      return decide_blind_writes(memory_, timing_, rules_, stop_);
    }
    base_ = memory_.kept_unknown().size();
    list_candidates();
    timing_ = timing.get();
    if (auto unexplained = choose_first()) return std::move(*unexplained);
    const std::size_t rounds = std::max(kFewRounds, kMostSteps / (question_.positions.size() + 1));
    for (std::size_t round = 0; round < rounds; ++round)
      if (auto answer = attempt()) return std::move(*answer);
    return excluded(Exclusion::kChoices, memory_.failures().front());
  }

 private:
  Outcome excluded(Exclusion why, std::int32_t operation) const {
    Outcome outcome;
    outcome.exclusion = why;
    if (operation != kNone) outcome.culprit = memory_.position(operation);
    return outcome;
  }

  // -- explanations of failed operations ---------------------------------------------------------------------------

  void list_candidates() {
    if (rules_ == Rules::kPaper) return;
    for (const std::int32_t operation : memory_.unknown()) {
      if (memory_.kept(operation) || memory_.effect(operation) != Effect::kMayReplace) continue;
      for (const VersionCell& cell : memory_.cells(operation)) candidates_[cell.seen].push_back(operation);
    }
  }

  /// All explanations of a failed operation that needs one.
  [[nodiscard]] std::vector<Option> options(std::int32_t failed) const {
    std::vector<Option> all;
    for (const VersionCell& cell : memory_.cells(failed)) {
      const Version& version = memory_.version(cell.seen);
      const std::int32_t number = memory_.cell_number(cell);
      if (version.writer >= 0 && rules_ == Rules::kCorrected) all.push_back({number, true});
      if (version.replacer != kNone && observer(version.replacer) == kNone) {
        all.push_back({number, false});
      } else if (const auto found = candidates_.find(cell.seen); found != candidates_.end()) {
        for (const std::int32_t other : found->second) all.push_back({number, false, other});
      }
    }
    return all;
  }

  /// How likely an explanation is, by the times of the operations alone: 0 if it is impossible, 3 if it is certain.
  [[nodiscard]] int likelihood(std::int32_t failed, const Option& option) const {
    const Version& version = memory_.version(memory_.cell(option.cell).seen);
    const std::int64_t call = timing_.call[at(failed)];
    const std::int64_t ret = timing_.ret[at(failed)];
    if (option.before) {
      if (!memory_.kept(version.writer) || ret < timing_.call[at(version.writer)]) return 3;
      return timing_.ret[at(version.writer)] < call ? 0 : 1;
    }
    const std::int32_t replacer = option.kept == kNone ? version.replacer : option.kept;
    if (ret < timing_.call[at(replacer)]) return 0;
    if (option.kept != kNone) return 1;
    return timing_.ret[at(replacer)] < call ? 3 : 2;
  }

  std::optional<Outcome> choose_first() {
    explanations_.reserve(memory_.failures().size());
    for (const std::int32_t failed : memory_.failures()) {
      if (rules_ == Rules::kPaper && memory_.cells(failed).size() > 1) return excluded(Exclusion::kResult, failed);
      Option chosen = at_once(failed);
      if (chosen.cell != kNone || needs_none(failed)) {
        explanations_.push_back(needs_none(failed) ? Option{kNone, false} : chosen);
        continue;
      }
      const std::vector<Option> all = options(failed);
      if (all.empty()) return unexplained(failed);
      chosen = all.front();
      for (const Option& each : all)
        if (likelihood(failed, each) > likelihood(failed, chosen)) chosen = each;
      explanations_.push_back(chosen);
    }
    return std::nullopt;
  }

  /// Whether a value that a failed operation expected never existed, so that the failure needs no explanation.
  [[nodiscard]] bool needs_none(std::int32_t failed) const {
    const auto cells = memory_.cells(failed);
    return rules_ == Rules::kCorrected && std::any_of(cells.begin(), cells.end(), [&](const VersionCell& each) {
             return memory_.version(each.seen).writer == kNone;
           });
  }

  /// An explanation that the times alone make certain, if one is found cheaply.
  [[nodiscard]] Option at_once(std::int32_t failed) const {
    for (const VersionCell& cell : memory_.cells(failed)) {
      const std::int32_t replacer = memory_.version(cell.seen).replacer;
      if (replacer != kNone && timing_.ret[at(replacer)] < timing_.call[at(failed)])
        return {memory_.cell_number(cell), false};
    }
    return {kNone, false};
  }

  Outcome unexplained(std::int32_t failed) {
    if (memory_.blind()) return excluded(Exclusion::kCutOffSwap, memory_.unknown().front());
    return refuted({}, {failed});
  }

  // -- rounds --------------------------------------------------------------------------------------------------------

  std::optional<Outcome> attempt() {
    memory_.drop_since(base_);
    const std::size_t known = nogoods_.size();
    const bool possible = keep_chosen();
    if (keeps_swap()) return excluded(Exclusion::kCutOffSwap, memory_.unknown().front());
    if (possible) {
      Ordering ordering(memory_, timing_, explanations_);
      const auto answer = ordering.run([&](const Circle& circle) { return learn(circle); }, stop_);
      if (answer == Ordering::Answer::kStopped) return excluded(Exclusion::kStopped, kNone);
      if (answer == Ordering::Answer::kOrdered) return ordered(ordering.order());
    }
    if (memory_.blind() && (!nogoods_.back().literals.empty() || guessed_))
      return excluded(Exclusion::kCutOffSwap, memory_.unknown().front());
    if (nogoods_.back().literals.empty()) return refuted({nogoods_.back().contradiction}, {});
    for (std::size_t i = known; i < nogoods_.size(); ++i) {
      for (const Literal& each : nogoods_[i].literals) declare(each.operation);
      chooser_.forbid(nogoods_[i].literals);
    }
    return choose_again();
  }

  Outcome ordered(std::vector<std::int32_t>& order) {
    Outcome outcome;
    outcome.status = Status::kLinearizable;
    for (std::int32_t& each : order) each = memory_.position(each);
    outcome.order = std::move(order);
    return outcome;
  }

  /// Keeps the operations that explanations need. False if that is impossible; the reason is then learnt.
  bool keep_chosen() {
    for (std::size_t i = 0; i < explanations_.size(); ++i) {
      const Option& option = explanations_[i];
      if (option.kept == kNone) continue;
      const std::int32_t failed = memory_.failures()[i];
      const std::size_t before = memory_.kept_unknown().size();
      memory_.keep({option.kept, failed, memory_.cell(option.cell).seen});
      auto flaw = memory_.fork();
      for (std::size_t k = before; k < memory_.kept_unknown().size() && flaw.reason == Reason::kNone; ++k)
        flaw = memory_.dangling(memory_.kept_unknown()[k].operation);
      if (flaw.reason == Reason::kNone) continue;
      nogoods_.push_back({literals_of({flaw.first, flaw.second}), evidence_.flawed(flaw)});
      return false;
    }
    return true;
  }

  /// Whether an explanation depends on a swap with an unknown outcome, whose place is not determined.
  [[nodiscard]] bool keeps_swap() const {
    const auto& kept = memory_.kept_unknown();
    return std::any_of(kept.begin() + static_cast<std::ptrdiff_t>(base_), kept.end(),
                       [&](const Memory::Kept& each) { return memory_.effect(each.operation) == Effect::kMaySwap; });
  }

  [[nodiscard]] std::size_t index(std::int32_t failed) const {
    const auto& failures = memory_.failures();
    return static_cast<std::size_t>(std::lower_bound(failures.begin(), failures.end(), failed) - failures.begin());
  }

  /// The current choice for a failed operation.
  Literal literal(std::int32_t failed) {
    const auto& all = declare(failed);
    const Option& chosen = explanations_[index(failed)];
    const auto found = std::find_if(all.begin(), all.end(), [&](const Option& each) {
      return each.cell == chosen.cell && each.before == chosen.before && each.kept == chosen.kept;
    });
    return {failed, static_cast<std::int32_t>(found - all.begin())};
  }

  /// The choices for which these operations are kept: none for operations that are kept unconditionally.
  std::vector<Literal> literals_of(const std::vector<std::int32_t>& operations) {
    std::vector<Literal> found;
    for (std::int32_t operation : operations) {
      while (operation != kNone && memory_.effect(operation) != Effect::kFails) operation = observer(operation);
      if (operation != kNone) add(found, literal(operation));
    }
    return found;
  }

  /// The operation for which an operation is kept: kNone if its outcome is known, or if it certainly took effect.
  [[nodiscard]] std::int32_t observer(std::int32_t operation) const {
    const Memory::Kept* const found = memory_.kept_unknown(operation, base_);
    return found == nullptr ? kNone : found->observer;
  }

  static void add(std::vector<Literal>& literals, const Literal& fresh) {
    if (std::find(literals.begin(), literals.end(), fresh) == literals.end()) literals.push_back(fresh);
  }

  /// Learns a nogood from a cycle. Returns a failed operation in it that can be ignored for now, if any.
  std::int32_t learn(const Circle& circle) {
    std::vector<std::int32_t> operations;
    std::int32_t failed = kNone;
    std::vector<Literal> literals;
    for (std::size_t i = 0; i < circle.steps.size(); ++i) {
      const auto& step = circle.steps[i];
      const std::int32_t next = circle.steps[(i + 1) % circle.steps.size()].operation;
      if (memory_.effect(step.operation) != Effect::kFails) operations.push_back(step.operation);
      if (memory_.effect(next) == Effect::kMaySwap && step.because != Because::kTime) guessed_ = true;
      if (step.because != Because::kFailedAfter && step.because != Because::kFailedBefore) continue;
      failed = step.because == Because::kFailedAfter ? next : step.operation;
      add(literals, literal(failed));
    }
    for (const Literal& each : literals_of(operations)) add(literals, each);
    const bool last = literals.empty() || nogoods_.size() >= kMostAtOnce;
    nogoods_.push_back({std::move(literals), evidence_.circular(circle)});
    return last ? kNone : failed;
  }

  /// Declares a failed operation to the chooser; its preferred option is the most likely one.
  const std::vector<Option>& declare(std::int32_t failed) {
    const auto [found, fresh] = declared_.try_emplace(failed);
    if (!fresh) return found->second;
    found->second = options(failed);
    const auto& all = found->second;
    std::int32_t best = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (likelihood(failed, all[i]) > likelihood(failed, all[at(best)])) best = static_cast<std::int32_t>(i);
    chooser_.declare(failed, static_cast<std::int32_t>(all.size()), best);
    return all;
  }

  std::optional<Outcome> choose_again() {
    switch (chooser_.solve(stop_)) {
      case Chooser::Answer::kTooMany:
        return excluded(stop_.poll() ? Exclusion::kStopped : Exclusion::kChoices, memory_.failures().front());
      case Chooser::Answer::kImpossible:
        return no_choice();
      case Chooser::Answer::kFound:
        break;
    }
    for (const auto& [failed, all] : declared_) explanations_[index(failed)] = all[at(chooser_.choice(failed))];
    return std::nullopt;
  }

  // -- refutations ---------------------------------------------------------------------------------------------------

  /// The nogoods leave no choice: reports a small subset of them for which this holds.
  Outcome no_choice() {
    for (const auto& [failed, all] : declared_) {  // a single operation without an explanation is the best evidence
      std::vector<const Nogood*> against(all.size());
      for (const Nogood& each : nogoods_)
        if (each.literals.size() == 1 && each.literals[0].operation == failed)
          against[at(each.literals[0].option)] = &each;
      if (std::find(against.begin(), against.end(), nullptr) != against.end()) continue;
      std::vector<Contradiction> contradictions;
      contradictions.reserve(against.size());
      for (const Nogood* each : against) contradictions.push_back(each->contradiction);
      return refuted(std::move(contradictions), {failed});
    }
    std::vector<const Nogood*> needed;
    needed.reserve(nogoods_.size());
    for (const Nogood& each : nogoods_) needed.push_back(&each);
    if (needed.size() <= kFew)
      for (std::size_t i = needed.size(); i-- > 0;) {
        std::vector<const Nogood*> fewer = needed;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (!choosable(fewer)) needed = std::move(fewer);
      }
    std::vector<Contradiction> contradictions;
    std::vector<std::int32_t> failed;
    for (const Nogood* each : needed) {
      contradictions.push_back(each->contradiction);
      for (const Literal& literal : each->literals) failed.push_back(literal.operation);
    }
    std::sort(failed.begin(), failed.end());
    failed.erase(std::unique(failed.begin(), failed.end()), failed.end());
    return refuted(std::move(contradictions), std::move(failed));
  }

  bool choosable(const std::vector<const Nogood*>& nogoods) {
    Chooser chooser;
    for (const Nogood* each : nogoods) {
      for (const Literal& literal : each->literals)
        chooser.declare(literal.operation, static_cast<std::int32_t>(declared_.at(literal.operation).size()), 0);
      chooser.forbid(each->literals);
    }
    return chooser.solve(stop_) != Chooser::Answer::kImpossible;
  }

  Outcome refuted(std::vector<Contradiction> contradictions, std::vector<std::int32_t> failed) {
    Outcome outcome;
    outcome.status = Status::kViolation;
    const bool connected = failed.size() != 1 || has_replacer(failed[0]);
    for (const std::int32_t each : failed) exclude_candidates(each, contradictions);
    outcome.refutation = evidence_.refutation(std::move(contradictions), failed, connected, base_);
    return outcome;
  }

  /// Whether an operation may have replaced a value that a failed operation expected.
  [[nodiscard]] bool has_replacer(std::int32_t failed) const {
    const auto all = options(failed);
    return std::any_of(all.begin(), all.end(), [](const Option& each) { return !each.before; });
  }

  /// Excludes operations with an unknown outcome that could have replaced the expected value if no other operation had.
  void exclude_candidates(std::int32_t failed, std::vector<Contradiction>& contradictions) const {
    for (const VersionCell& cell : memory_.cells(failed)) {
      const std::int32_t replacer = memory_.version(cell.seen).replacer;
      const auto found = candidates_.find(cell.seen);
      if (replacer == kNone || observer(replacer) != kNone || found == candidates_.end()) continue;
      for (const std::int32_t other : found->second)
        contradictions.push_back(evidence_.flawed({Reason::kFork, cell.seen, replacer, other}));
    }
  }

  Question question_;
  Memory memory_;
  Timing timing_;
  Evidence evidence_;
  StopToken& stop_;
  Rules rules_;
  std::size_t base_ = std::numeric_limits<std::size_t>::max();    // number of unknown outcomes that are certain to be
                                                                  // kept
  std::map<std::int32_t, std::vector<std::int32_t>> candidates_;  // by the version that they would replace
  Explanations explanations_;                                     // one for each failed operation
  std::map<std::int32_t, std::vector<Option>> declared_;          // those declared to the chooser
  std::vector<Nogood> nogoods_;
  Chooser chooser_;
  bool guessed_ = false;  // a cycle depends on the unrecorded old value of a swap with an unknown outcome
};

}  // namespace

Outcome decide(const Question& question, StopToken& stop, Rules rules, bool parallel) {
  Outcome outcome;
  if (question.blueprint.kind != "mwcas" && question.blueprint.kind != "register")
    outcome.exclusion = Exclusion::kKind;
  else if (question.condition == search::Condition::kBufferedDurable)
    outcome.exclusion = Exclusion::kEras;
  else
    outcome = Decision(question, stop, rules).run(parallel);
  return outcome;
}

}  // namespace linpoint::graphs
