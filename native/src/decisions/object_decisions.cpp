// SPDX-License-Identifier: Apache-2.0
#include "linpoint/decisions/object_decisions.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "linpoint/certificates/object_replay.hpp"
#include "linpoint/certificates/refutation_scope.hpp"
#include "linpoint/histories/operation_grouping.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/search/search.hpp"

namespace linpoint::decisions {
namespace {

using histories::Columns;
using search::Condition;
using search::Problem;

constexpr std::uint64_t kFirstTurn = 64;
constexpr std::uint64_t kFirstTurnPerOperation = 2;

/// With fewer operations, starting a thread costs more than it saves.
constexpr std::size_t kParallelOperations = 4'000;

/// Decides objects one by one. Thread-safe.
class ObjectDecider {
 public:
  ObjectDecider(const Columns& columns, const specs::Blueprint& blueprint, std::span<const std::int32_t> names,
                std::span<const std::int64_t> content, std::uint64_t allowance, search::StopToken& stop)
      : columns_(columns),
        blueprint_(blueprint),
        names_(names),
        content_(content),
        allowance_(allowance),
        stop_(stop) {}

  void decide(ObjectAnswer& answer) {
    const Problem timed = search::build(columns_, {answer.positions, {}, blueprint_.key_argument},
                                        Condition::kLinearizable, {}, nullptr, 0);
    if (!monitored(answer, timed)) search(answer, timed);
  }

 private:
  /// Whether the monitor has answered, or has a refutation that another component has to certify.
  bool monitored(ObjectAnswer& answer, const Problem& problem) {
    // Pairs are constraints other than times, which the monitor ignores.
    if (!problem.before.empty() || !problem.excluded.empty()) return true;
    monitors::Outcome outcome = monitors::decide(columns_, problem, blueprint_, content_, stop_);
    answer.exclusion = outcome.exclusion;
    answer.culprit = outcome.culprit;
    if (outcome.status == monitors::Status::kExcluded) return outcome.exclusion == monitors::Exclusion::kStopped;
    if (outcome.status == monitors::Status::kViolation) {
      if (confirmed(answer.positions, outcome)) {
        answer.by = Decider::kMonitor;
        answer.pattern = std::move(outcome);
      }
      return true;
    }
    const verdicts::Finding flaw = verdicts::check_witness(columns_, answer.positions, outcome.order,
                                                           Condition::kLinearizable, blueprint_, content_);
    if (flaw.flaw == verdicts::Flaw::kRejected && outcome.relaxed) return true;
    answer.by = Decider::kMonitor;
    answer.linearizable = true;
    answer.order = std::move(outcome.order);
    answer.flaw = flaw;
    return true;
  }

  /// Whether a separate search confirms that the scope of a pattern is a violation by itself, and so one of all
  /// `positions`.
  bool confirmed(const std::vector<std::int32_t>& positions, const monitors::Outcome& outcome) {
    // For other objects, the initial content belongs to the operations that are left out.
    if (blueprint_.kind != "register" || !stepped()) return false;
    const auto& scope = outcome.scope;
    for (const std::int32_t each : outcome.evidence)
      if (!std::binary_search(scope.begin(), scope.end(), each)) return false;
    if (verdicts::check_scope(columns_, positions, scope, blueprint_, 0).flaw != verdicts::Flaw::kNone) return false;
    const Problem problem = stepped_problem(scope);
    const auto searching = search::depth_first(problem, machine_->steps(stop_), stop_,
                                               search::seen_table(problem, stop_, false), search::Order::kFirstCalled);
    const search::Status status = searching->run(allowance_);
    spend(searching->configurations());
    return status == search::Status::kViolation;
  }

  [[nodiscard]] Problem stepped_problem(const std::vector<std::int32_t>& positions) const {
    return search::build(columns_, {positions, {}, blueprint_.key_argument}, Condition::kLinearizable, alphabet_,
                         machine_.get(), machine_->state(content_));
  }

  void search(ObjectAnswer& answer, const Problem& timed) {
    if (!stepped()) return;
    const Problem problem = search::with_steps(timed, alphabet_, *machine_, machine_->state(content_));
    if (search::one_at_a_time(problem)) {
      run(answer, problem, Decider::kWingGong, kNoLimit);
      return;
    }
    run(answer, problem, Decider::kDepthFirst, kFirstTurn + kFirstTurnPerOperation * problem.size());
    if (answer.by == Decider::kNone && !stop_.stopped()) run(answer, problem, Decider::kLinear, kNoLimit);
  }

  void run(ObjectAnswer& answer, const Problem& problem, Decider by, std::uint64_t allowance) {
    const auto searching = make(problem, by);
    const search::Status status = searching->run(std::min(allowance, allowance_.load()));
    spend(searching->configurations());
    answer.configurations += searching->configurations();
    if (status != search::Status::kLinearizable && status != search::Status::kViolation) return;
    answer.by = by;
    answer.linearizable = status == search::Status::kLinearizable;
    for (const std::int32_t op : searching->order())
      answer.order.push_back(problem.position[static_cast<std::size_t>(op)]);
    answer.flaw = certified(answer);
  }

  std::unique_ptr<search::Search> make(const Problem& problem, Decider by) {
    if (by == Decider::kWingGong) return search::wing_gong(problem, machine_->steps(stop_), stop_);
    if (by == Decider::kLinear) return search::linear(problem, machine_->steps(stop_), stop_);
    return search::depth_first(problem, machine_->steps(stop_), stop_, search::seen_table(problem, stop_, false),
                               search::Order::kFirstCalled);
  }

  [[nodiscard]] verdicts::Finding certified(const ObjectAnswer& answer) const {
    if (answer.linearizable)
      return verdicts::check_witness(columns_, answer.positions, answer.order, Condition::kLinearizable, blueprint_,
                                     content_);
    if (const auto flaw = verdicts::check_members(columns_, answer.positions, answer.order, false);
        flaw.flaw != verdicts::Flaw::kNone)
      return flaw;
    if (const auto flaw =
            verdicts::check_times(columns_, answer.order, Condition::kLinearizable, blueprint_.key_argument);
        flaw.flaw != verdicts::Flaw::kNone)
      return flaw;
    return verdicts::check_replay(columns_, answer.order, blueprint_, content_);
  }

  void spend(std::uint64_t configurations) {
    std::uint64_t left = allowance_.load();
    while (!allowance_.compare_exchange_weak(left, left - std::min(left, configurations))) {
    }
  }

  /// Makes the symbols and steps of all objects when the first one is searched. False if there are none.
  bool stepped() {
    std::call_once(made_, [&] {
      if (blueprint_.kind == "set") return;  // its elements are searched one by one
      const histories::Classes exact = histories::classify(columns_, names_, {.arguments = true, .result = true});
      const histories::Classes loose = histories::ignoring_results(columns_, names_, exact);
      machine_ = specs::native_machine(columns_, blueprint_, exact.first, loose.first);
      alphabet_ = search::alphabet(exact, loose);
    });
    return machine_ != nullptr;
  }

  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  const Columns& columns_;
  const specs::Blueprint& blueprint_;
  std::span<const std::int32_t> names_;
  std::span<const std::int64_t> content_;
  std::atomic<std::uint64_t> allowance_;
  search::StopToken& stop_;
  std::once_flag made_;
  search::Alphabet alphabet_;
  std::unique_ptr<specs::NativeMachine> machine_;
};

/// Whether every operation has the number of arguments that its step takes.
bool fitting(const Columns& columns, std::span<const Arity> arities, bool key_argument) {
  for (std::size_t op = 0; op < columns.size(); ++op) {
    const Arity& arity = arities[static_cast<std::size_t>(columns.name[op])];
    const bool named = key_argument && columns.key[op] != histories::kNone;
    const std::size_t count = columns.arguments_of(op).size() + (named ? 1 : 0);
    if (std::cmp_less(count, arity.least) || std::cmp_greater(count, arity.most)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<ObjectAnswer>> decide_objects(const Columns& columns, const specs::Blueprint& blueprint,
                                                        std::span<const std::int32_t> names,
                                                        std::span<const Arity> arities,
                                                        std::span<const std::int64_t> content, std::uint64_t allowance,
                                                        search::StopToken& stop, bool parallel) {
  if (columns.skewed || !columns.hint.empty() || !columns.crashes.empty()) return std::nullopt;
  if (!fitting(columns, arities, blueprint.key_argument)) return std::nullopt;
  std::vector<std::int32_t> effective;
  effective.reserve(columns.size());
  for (std::size_t op = 0; op < columns.size(); ++op)
    if (!columns.failed(op)) effective.push_back(static_cast<std::int32_t>(op));
  auto parts = histories::split(effective, histories::by_object(columns, blueprint.key_argument));
  std::vector<ObjectAnswer> answers(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) answers[i].positions = std::move(parts[i]);
  ObjectDecider decider(columns, blueprint, names, content, allowance, stop);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  const auto work = [&] {
    for (std::size_t i = next++; i < answers.size() && !failed; i = next++) {
      decider.decide(answers[i]);
      if (answers[i].by == Decider::kNone || stop.poll()) failed = true;
    }
  };
  if (parallel && answers.size() > 1 && effective.size() >= kParallelOperations) {
    auto beside = std::async(std::launch::async, work);
    work();
    beside.get();
  } else {
    work();
  }
  if (failed) return std::nullopt;
  return answers;
}

}  // namespace linpoint::decisions
