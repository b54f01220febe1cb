// SPDX-License-Identifier: Apache-2.0
// The oracle: each condition decided from its definition, order by order. It shares nothing with the core.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "fuzz/verdicts/plain_models.hpp"

namespace linpoint::fuzz {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int32_t kEverything = -1;  // what crashed, in place of a process
inline constexpr std::int32_t kObject = -2;

/// The conditions, numbered as the core numbers them.
enum class Rule : std::uint8_t { kLinearizable, kStrict, kRecoverable, kDurable, kBufferedDurable, kSequential };

struct Operation {
  std::int32_t process = 0;
  std::int64_t call = 0;
  std::int64_t ret = kNever;  // of one with an unknown outcome never
  std::int32_t key = 0;
  Call what;
  [[nodiscard]] bool certain() const { return !what.loose; }
};

struct CrashEvent {
  std::int64_t time;
  std::int32_t process;
};

struct DrawnHistory {
  const Kind* kind = nullptr;
  std::vector<Operation> operations;
  std::vector<CrashEvent> crashes;
};

/// Decides one history under one condition.
class Definition {
 public:
  Definition(const DrawnHistory& history, Rule rule) : history_(history), ops_(history.operations), rule_(rule) {
    if (rule != Rule::kLinearizable)
      for (const CrashEvent& crash : history.crashes)
        if (crash.process == kEverything) system_.insert(crash.time);
    if (rule == Rule::kBufferedDurable)
      for (const CrashEvent& crash : history.crashes)
        if (crash.process < 0) ends_.insert(crash.time);
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      eras_.push_back(eras_of(ops_[i]));
      for (std::size_t j = 0; j < ops_.size(); ++j)
        if (i != j && before(i, j)) precede_.insert({i, j});
    }
  }

  [[nodiscard]] bool holds() { return extend({0, 0, {}, false, {}}); }

 private:
  using States = std::map<std::int32_t, State>;

  /// How far an order has got: the era, the operations in it (as bits), the state, and what was saved in this era.
  struct Configuration {
    std::size_t era;
    std::uint64_t in;
    States state;
    bool has_saved;
    States saved;
    friend auto operator<=>(const Configuration&, const Configuration&) = default;
  };

  [[nodiscard]] std::int64_t end(const Operation& op) const {
    if (op.certain()) return op.ret;
    std::int64_t cut = kNever;
    if (rule_ == Rule::kStrict)
      for (const CrashEvent& crash : history_.crashes)
        if (crash.time > op.call && (crash.process < 0 || crash.process == op.process)) cut = std::min(cut, crash.time);
    return cut;
  }

  /// The eras an operation may take effect in: a bit for each.
  [[nodiscard]] std::uint64_t eras_of(const Operation& op) const {
    std::size_t first = 0;
    std::size_t last = ends_.size();
    std::size_t era = 0;
    for (const std::int64_t time : ends_) {
      const bool everything = system_.contains(time);
      const std::int64_t over = op.certain() ? op.ret : kNever;
      if (everything ? op.call >= time : op.call > time) first = era + 1;
      if (everything ? op.call < time : over < time) last = std::min(last, era);
      ++era;
    }
    std::uint64_t found = 0;
    for (std::size_t each = first; each <= last; ++each) found |= std::uint64_t{1} << each;
    return found;
  }

  [[nodiscard]] bool before(std::size_t i, std::size_t j) const {
    const Operation& a = ops_[i];
    const Operation& b = ops_[j];
    const std::int64_t over = end(a);
    const bool earlier = a.process == b.process && std::tuple(a.call, over, i) < std::tuple(b.call, end(b), j);
    if (rule_ == Rule::kSequential || (rule_ == Rule::kRecoverable && earlier && !a.certain())) return earlier;
    if (rule_ != Rule::kLinearizable)  // what ended at a crash of its process lies before it
      for (const CrashEvent& crash : history_.crashes)
        if ((crash.process == kEverything || crash.process == a.process) && a.call < crash.time && over <= crash.time &&
            crash.time <= b.call)
          return true;
    return over < b.call || (earlier && over <= b.call);
  }

  bool extend(const Configuration& now) {
    bool complete = true;
    for (std::size_t i = 0; i < ops_.size(); ++i)
      if (!has(now.in, i) && ops_[i].certain() && (eras_[i] >> now.era) <= 1) complete = false;
    if (complete && now.era == ends_.size()) return true;
    if (!refuted_.insert(now).second) return false;
    if (complete && now.has_saved && extend({now.era + 1, now.in, now.saved, false, {}})) return true;
    if (now.era < ends_.size() && !now.has_saved && extend({now.era, now.in, now.state, true, now.state})) return true;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (has(now.in, i) || (eras_[i] >> now.era & 1U) == 0 || !may_be_next(i, now.in)) continue;
      const auto held = now.state.find(ops_[i].key);
      Model model(*history_.kind, held == now.state.end() ? history_.kind->initial : held->second);
      if (!model.take(ops_[i].what)) continue;
      Configuration after = now;
      after.in |= std::uint64_t{1} << i;
      after.state[ops_[i].key] = model.state();
      if (extend(after)) return true;
    }
    return false;
  }

  [[nodiscard]] bool may_be_next(std::size_t op, std::uint64_t in) const {
    for (std::size_t other = 0; other < ops_.size(); ++other) {
      if (!has(in, other) && ops_[other].certain() && precede_.contains({other, op})) return false;
      if (has(in, other) && precede_.contains({op, other})) return false;
    }
    return true;
  }

  static bool has(std::uint64_t in, std::size_t op) { return (in >> op & 1U) != 0; }

  const DrawnHistory& history_;
  const std::vector<Operation>& ops_;
  Rule rule_;
  std::set<std::int64_t> system_;  // times at which everything crashes
  std::set<std::int64_t> ends_;    // of eras
  std::vector<std::uint64_t> eras_;
  std::set<std::pair<std::size_t, std::size_t>> precede_;
  std::set<Configuration> refuted_;
};

}  // namespace linpoint::fuzz
