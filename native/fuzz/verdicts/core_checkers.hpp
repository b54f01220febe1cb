// SPDX-License-Identifier: Apache-2.0
// Every checker of the core on a drawn history, each answer with its evidence checked again.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/verdicts/definition.hpp"
#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/certificates/era_replay.hpp"
#include "linpoint/certificates/memory_evidence.hpp"
#include "linpoint/certificates/object_replay.hpp"
#include "linpoint/certificates/refutation_scope.hpp"
#include "linpoint/eras/era_search.hpp"
#include "linpoint/graphs/precedence.hpp"
#include "linpoint/histories/operation_grouping.hpp"
#include "linpoint/monitors/buffered_registers.hpp"
#include "linpoint/monitors/monitor.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/search/search.hpp"
#include "tests/histories/written_histories.hpp"

namespace linpoint::fuzz {

using Positions = std::vector<std::int32_t>;

/// What one checker says: whether there is an order, and what is wrong with its evidence, if anything.
struct Said {
  std::string checker;
  bool holds = false;
  std::string objection;
  /// Operations that violate the condition by themselves, where it names some.
  Positions scope;
};

class CoreCheckers {
 public:
  explicit CoreCheckers(const DrawnHistory& history) : history_(history) {
    std::vector<tests::Op> ops;
    for (const Shape& shape : history.kind->shapes) blueprint_.names.emplace_back(shape.name);
    for (const Operation& op : history.operations) {
      const auto name = std::find(blueprint_.names.begin(), blueprint_.names.end(), op.what.name);
      ops.push_back({.process = op.process,
                     .call = op.call,
                     .ret = op.ret,
                     .outcome = op.certain() ? histories::Outcome::kOk : histories::Outcome::kUnknown,
                     .name = static_cast<std::int32_t>(name - blueprint_.names.begin()),
                     .args = op.what.args,
                     .result = op.what.result,
                     .key = op.key});
    }
    std::vector<tests::CrashOf> crashes;
    for (const CrashEvent& crash : history.crashes) crashes.push_back({crash.time, crash.process});
    columns_ = tests::columns_of(ops, crashes);
    blueprint_.kind = history.kind->name;
    blueprint_.constants = {.null = kNull, .yes = kYes, .no = kNo};
    for (std::int32_t value = 0; value < kValues; ++value)
      blueprint_.integers.push_back(value < kFirstValue ? specs::kNoInteger : value - kFirstValue);
    std::vector<std::int32_t> names(blueprint_.names.size());
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = static_cast<std::int32_t>(i);
    const auto exact = histories::classify(columns_, names, {.arguments = true, .result = true});
    const auto loose = histories::classify(columns_, names, {.arguments = true});
    alphabet_.exact = exact.of;
    alphabet_.loose = loose.of;
    for (specs::Symbol& symbol : alphabet_.loose) symbol += static_cast<specs::Symbol>(exact.first.size());
    machine_ = specs::native_machine(columns_, blueprint_, exact.first, loose.first);
  }

  [[nodiscard]] bool well_formed() const { return histories::well_formed(columns_); }

  /// What all checkers that apply say of the operations on one key, under a condition of one object.
  std::vector<Said> of_key(const Positions& positions, search::Condition condition) {
    std::vector<Said> said;
    if (machine_ != nullptr) searches(positions, condition, said);
    if (condition != search::Condition::kSequential) monitor(positions, condition, said);
    if (history_.kind->name == "register") graph(positions, condition, said);
    return said;
  }

  /// The same of all keys together under buffered durability.
  std::vector<Said> of_eras(const std::vector<Positions>& keys) {
    std::vector<Said> said;
    const Positions everything = tests::everything(columns_);
    const auto problem =
        search::build(columns_, {everything, {}, false}, search::Condition::kBufferedDurable, alphabet_, nullptr, 0);
    const bool constrained = this->constrained(problem);
    std::vector<std::int32_t> key_of(columns_.size());
    for (std::size_t key = 0; key < keys.size(); ++key)
      for (const std::int32_t position : keys[key]) key_of[at(position)] = static_cast<std::int32_t>(key);
    const std::vector<std::vector<std::int64_t>> contents(keys.size(), content());
    if (history_.kind->name == "register" || history_.kind->name == "map") {
      search::StopToken stop;
      const auto found = monitors::decide_buffered(columns_, problem, blueprint_, key_of, contents, stop);
      if (found.status == monitors::Status::kLinearizable) {
        const std::string objection = eras_objection(found, key_of, contents);
        if (objection.empty() || (!constrained && history_.kind->name == "register"))
          said.push_back({"eras monitor", true, objection, {}});
      }
      if (found.status == monitors::Status::kViolation) {
        std::string objection;
        for (const Positions& key : keys) objection += scope_objection(key, inside(found.scope, key));
        said.push_back({"eras monitor", false, objection, found.scope});
      }
    }
    if (machine_ == nullptr || constrained) return said;
    std::vector<eras::Object> objects(keys.size());
    for (eras::Object& object : objects) object.initial = machine_->state(content());
    for (std::size_t op = 0; op < problem.size(); ++op)
      if (problem.position[op] >= 0)
        objects[at(key_of[at(problem.position[op])])].operations.push_back(static_cast<std::int32_t>(op));
    search::StopToken stop;
    auto found = eras::search_eras(problem, objects, *machine_, stop);
    for (std::int32_t& each : found.order) each = problem.position[at(each)];
    if (found.answer == eras::Answer::kFound)
      said.push_back({"eras", true, eras_objection(found, key_of, contents), {}});
    if (found.answer == eras::Answer::kRefuted) said.push_back({"eras", false, "", {}});
    return said;
  }

 private:
  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
  static std::string text(const verdicts::Finding& found) {
    return found.flaw == verdicts::Flaw::kNone ? ""
                                               : "flaw " + std::to_string(static_cast<int>(found.flaw)) + " at " +
                                                     std::to_string(found.position) + "; ";
  }

  /// Whether more than times is to be respected between two operations.
  static bool constrained(const search::Problem& problem) {
    const auto real = [&](const search::Pair& pair) {
      return problem.position[at(pair.first)] >= 0 && problem.position[at(pair.second)] >= 0;
    };
    return std::any_of(problem.before.begin(), problem.before.end(), real) ||
           std::any_of(problem.excluded.begin(), problem.excluded.end(), real);
  }

  [[nodiscard]] std::vector<std::int64_t> content() const {
    if (history_.kind->name == "set") return {};
    return {history_.kind->initial.begin(), history_.kind->initial.end()};
  }

  static Positions inside(const Positions& scope, const Positions& key) {
    Positions found;
    std::set_intersection(scope.begin(), scope.end(), key.begin(), key.end(), std::back_inserter(found));
    return found;
  }

  std::string scope_objection(const Positions& positions, const Positions& scope) {
    return text(verdicts::check_scope(columns_, positions, scope, blueprint_, 0));
  }

  std::string order_objection(const Positions& positions, const Positions& order, search::Condition condition) {
    return text(verdicts::check_witness(columns_, positions, order, condition, blueprint_, content()));
  }

  template <typename Found>
  std::string eras_objection(const Found& found, const std::vector<std::int32_t>& key_of,
                             const std::vector<std::vector<std::int64_t>>& contents) {
    const Positions everything = tests::everything(columns_);
    return text(verdicts::check_members(columns_, everything, found.order, true)) +
           text(verdicts::check_times(columns_, found.order, search::Condition::kBufferedDurable, false)) +
           text(verdicts::check_eras(columns_, {found.order, found.eras, found.survivors}, blueprint_, key_of,
                                     contents));
  }

  void searches(const Positions& positions, search::Condition condition, std::vector<Said>& said) {
    const auto problem = search::build(columns_, {positions, {}, false}, condition, alphabet_, machine_.get(),
                                       machine_->state(content()));
    const auto make = [&](std::string_view name, search::StopToken& stop) {
      auto steps = machine_->steps(stop);
      if (name == "wing-gong") return search::wing_gong(problem, std::move(steps), stop);
      if (name == "linear") return search::linear(problem, std::move(steps), stop);
      const auto order = name == "dfs"          ? search::Order::kFirstCalled
                         : name == "linear-dfs" ? search::Order::kFirstReturned
                                                : search::Order::kLastCalled;
      return search::depth_first(problem, std::move(steps), stop, search::seen_table(problem, stop), order);
    };
    for (const std::string_view name : {"wing-gong", "dfs", "reversed dfs", "linear-dfs", "linear"}) {
      search::StopToken stop;
      const auto search = make(name, stop);
      const bool holds = search->run(~std::uint64_t{0} >> 1) == search::Status::kLinearizable;
      Positions order = search->order();
      for (std::int32_t& each : order) each = problem.position[at(each)];
      said.push_back({std::string(name), holds, holds ? order_objection(positions, order, condition) : "", {}});
    }
  }

  void monitor(const Positions& positions, search::Condition condition, std::vector<Said>& said) {
    const auto problem = search::build(columns_, {positions, {}, false}, condition, {}, nullptr, 0);
    search::StopToken stop;
    const auto found = monitors::decide(columns_, problem, blueprint_, content(), stop);
    const bool constrained = !problem.before.empty() || !problem.excluded.empty();
    if (found.status == monitors::Status::kLinearizable) {
      const std::string objection = order_objection(positions, found.order, condition);
      // What a monitor does not look at excludes the order, and then it has said nothing.
      if (objection.empty() || !(constrained || found.relaxed)) said.push_back({"monitor", true, objection, {}});
    }
    if (found.status == monitors::Status::kViolation)
      said.push_back({"monitor", false, scope_objection(positions, found.scope), found.scope});
  }

  void graph(const Positions& positions, search::Condition condition, std::vector<Said>& said) {
    const std::vector<std::int64_t> first = content();
    const graphs::Question question{columns_, positions, condition, blueprint_, first};
    search::StopToken stop;
    const auto found = graphs::decide(question, stop, graphs::Rules::kCorrected, false);
    if (found.status == graphs::Status::kLinearizable)
      said.push_back({"graph", true, order_objection(positions, found.order, condition), {}});
    if (found.status != graphs::Status::kViolation) return;
    const Positions& scope = found.refutation.scope;  // where there are blind writes, in place of links
    const bool holds =
        !scope.empty() || verdicts::check_refutation(question, found.refutation) != verdicts::Proof::kBroken;
    said.push_back({"graph", false, holds ? "" : "the links are not what was recorded", scope});
  }

  const DrawnHistory& history_;
  histories::Columns columns_;
  specs::Blueprint blueprint_;
  search::Alphabet alphabet_;
  std::unique_ptr<specs::NativeMachine> machine_;
};

}  // namespace linpoint::fuzz
