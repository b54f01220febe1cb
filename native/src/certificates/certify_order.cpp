// SPDX-License-Identifier: Apache-2.0
#include "linpoint/certificates/certify_order.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace linpoint::verdicts {
namespace {

using histories::Columns;
using histories::Crash;
using histories::kNever;
using histories::kNoHint;
using histories::kNone;
using search::Condition;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

/// Walks an order and remembers the latest times that a later operation must not precede.
class Clock {
 public:
  Clock(const Columns& columns, Condition condition, bool key_argument)
      : columns_(columns), condition_(condition), key_argument_(key_argument) {
    if (condition != Condition::kLinearizable)
      for (const Crash& crash : columns.crashes)
        if (crash.of_everything() && (system_.empty() || system_.back() != crash.time)) system_.push_back(crash.time);
  }

  Flaw pass(std::int32_t position) {
    const std::size_t op = at(position);
    const bool certain = columns_.certain(op);
    const std::int64_t call = columns_.call[op];
    const auto era = std::upper_bound(system_.begin(), system_.end(), call) - system_.begin();
    if (condition_ != Condition::kSequential) {
      const std::int64_t ends = end_of(op);
      if (latest_call_ > ends) return Flaw::kReturnedEarlier;
      // At the time of a crash of its process, calls come after the crash; with uncertain clocks there is no such time.
      const bool cut = condition_ != Condition::kLinearizable && !columns_.skewed &&
                       std::any_of(columns_.crashes.begin(), columns_.crashes.end(), [&](const Crash& each) {
                         return each.time == ends && each.covers(columns_.process[op]);
                       });
      if (cut && call < ends && ends <= latest_call_) return Flaw::kEndedAtCrash;
      if (condition_ == Condition::kBufferedDurable && latest_era_ > era) return Flaw::kEarlierEra;
    }
    const Own own{call, certain ? columns_.ret[op] : kNever, position};
    const std::size_t process = at(columns_.process[op]);
    if (process >= latest_.size()) latest_.resize(2 * process + 1, kNothingYet);
    Own& latest = latest_[process];
    // Within a process the order always counts, but an unknown outcome may come late unless the condition forbids it.
    const bool keeps_order = certain || condition_ == Condition::kRecoverable || condition_ == Condition::kSequential;
    if (keeps_order && latest > own) return Flaw::kProcessOrder;
    const Crash* crash = certain ? nullptr : interruption(op);
    if (crash != nullptr && std::get<0>(latest) >= crash->time) return Flaw::kProcessOrder;
    if (!hint_holds(op)) return Flaw::kHint;
    latest = std::max(latest, own);
    latest_call_ = std::max(latest_call_, call);
    latest_era_ = std::max(latest_era_, era);
    return Flaw::kNone;
  }

 private:
  using Own = std::tuple<std::int64_t, std::int64_t, std::int32_t>;
  static constexpr Own kNothingYet{std::numeric_limits<std::int64_t>::min(), 0, 0};

  [[nodiscard]] std::int64_t end_of(std::size_t op) const {
    if (columns_.certain(op)) return columns_.skewed_return(op);
    const Crash* crash = interruption(op);
    return crash == nullptr ? kNever : crash->end;
  }

  /// The crash before which an operation with an unknown outcome takes effect, if it does; null if there is none.
  [[nodiscard]] const Crash* interruption(std::size_t op) const {
    if (condition_ == Condition::kStrict)
      for (const Crash& crash : columns_.crashes) {
        if (crash.of_object() && crash.begin > columns_.call[op]) return &crash;
        if (crash.time > columns_.call[op] && crash.covers(columns_.process[op])) return &crash;
      }
    return nullptr;
  }

  /// How often the object had certainly crashed before an operation, and how often at most; crashes at the same time
  /// count once.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> eras_of(std::size_t op) const {
    std::set<std::int64_t> before;
    std::set<std::int64_t> maybe;
    std::int64_t until = kNever;  // the object certainly crashed later
    for (const Crash& crash : columns_.crashes) {
      if (!crash.ends_era()) continue;
      const bool everything = std::binary_search(system_.begin(), system_.end(), crash.time);
      const bool earlier =
          everything ? columns_.call[op] < crash.time : columns_.certain(op) && columns_.skewed_return(op) < crash.time;
      if (earlier) until = std::min(until, crash.time);
    }
    std::int64_t since = std::numeric_limits<std::int64_t>::min();
    for (const Crash& crash : columns_.crashes) {
      if (!crash.ends_era() || crash.time >= until) continue;
      const bool everything = std::binary_search(system_.begin(), system_.end(), crash.time);
      maybe.insert(crash.time);
      if (everything ? crash.time <= columns_.call[op] : crash.end < columns_.call[op]) since = crash.time;
    }
    for (const std::int64_t time : maybe)
      if (time <= since) before.insert(time);
    return {static_cast<std::int64_t>(before.size()), static_cast<std::int64_t>(maybe.size())};
  }

  bool hint_holds(std::size_t op) {
    if (columns_.hint.empty() || columns_.hint[op] == kNoHint) return true;
    std::int64_t era = 0;
    if (condition_ == Condition::kBufferedDurable) {
      const auto [least, most] = eras_of(op);
      if (least != most) return true;  // log positions may be reused after a crash
      era = least;
    }
    const bool argument = key_argument_ && columns_.key[op] == kNone;
    const std::int32_t object = argument ? columns_.arguments_of(op).front() : columns_.key[op];
    std::int64_t& most = most_.try_emplace({object, era}, kNoHint).first->second;
    if (columns_.hint[op] < most) return false;
    most = columns_.hint[op];
    return true;
  }

  const Columns& columns_;
  Condition condition_;
  bool key_argument_;
  std::vector<std::int64_t> system_;
  std::int64_t latest_call_ = std::numeric_limits<std::int64_t>::min();
  std::ptrdiff_t latest_era_ = 0;
  std::vector<Own> latest_;  // of each process
  std::map<std::pair<std::int32_t, std::int64_t>, std::int64_t> most_;
};

}  // namespace

Finding check_times(const Columns& columns, std::span<const std::int32_t> order, Condition condition,
                    bool key_argument) {
  Clock clock(columns, condition, key_argument);
  for (const std::int32_t position : order)
    if (const Flaw flaw = clock.pass(position); flaw != Flaw::kNone) return {flaw, position};
  return {};
}

Finding check_members(const Columns& columns, std::span<const std::int32_t> positions,
                      std::span<const std::int32_t> order, bool whole) {
  // Indexed by place among the positions, not in the history: there may be as many objects as operations.
  std::vector<std::int32_t> expected(positions.begin(), positions.end());
  if (!std::is_sorted(expected.begin(), expected.end())) std::sort(expected.begin(), expected.end());
  std::vector<bool> named(expected.size());
  const bool dense = !expected.empty() && at(expected.back() - expected.front()) + 1 == expected.size();
  const auto place_of = [&](std::int32_t position) {
    if (!dense) return std::lower_bound(expected.begin(), expected.end(), position);
    const bool there = position >= expected.front() && position <= expected.back();
    return there ? expected.begin() + (position - expected.front()) : expected.end();
  };
  for (const std::int32_t position : order) {
    const auto found = place_of(position);
    if (found == expected.end() || *found != position) return {Flaw::kNotThere};
    const auto place = static_cast<std::size_t>(found - expected.begin());
    if (named[place]) return {Flaw::kNotThere};
    if (columns.failed(at(position))) return {Flaw::kFailed, position};
    named[place] = true;
  }
  if (whole)
    for (std::size_t place = 0; place < expected.size(); ++place)
      if (!named[place] && columns.certain(at(expected[place]))) return {Flaw::kLeftOut, expected[place]};
  return {};
}

Finding check_run(const Columns& columns, std::span<const std::int32_t> order, const search::Alphabet& alphabet,
                  specs::Steps& steps, specs::State initial) {
  std::vector<specs::State> states{initial};
  std::vector<specs::State> after;
  for (const std::int32_t position : order) {
    const specs::Symbol symbol =
        columns.certain(at(position)) ? alphabet.exact[at(position)] : alphabet.loose[at(position)];
    after.clear();
    for (const specs::State state : states)
      for (const specs::State next : steps.step(state, symbol)) after.push_back(next);
    if (after.empty()) return {Flaw::kRejected, position};
    if (after.size() > 1) {
      std::sort(after.begin(), after.end());
      after.erase(std::unique(after.begin(), after.end()), after.end());
    }
    states.swap(after);
  }
  return {};
}

Finding check_alphabet(const Columns& columns, std::span<const std::int32_t> names, std::span<const std::int32_t> order,
                       const search::Alphabet& alphabet) {
  std::unordered_map<specs::Symbol, std::int32_t> first;
  for (const std::int32_t position : order) {
    const bool certain = columns.certain(at(position));
    const specs::Symbol symbol = certain ? alphabet.exact[at(position)] : alphabet.loose[at(position)];
    const std::size_t op = at(position);
    const std::size_t other = at(first.try_emplace(symbol, position).first->second);
    if (other == op) continue;
    const auto mine = columns.arguments_of(op);
    const auto others = columns.arguments_of(other);
    const bool alike = names[at(columns.name[op])] == names[at(columns.name[other])] &&
                       std::equal(mine.begin(), mine.end(), others.begin(), others.end()) &&
                       columns.certain(other) == certain && (!certain || columns.result[op] == columns.result[other]);
    if (!alike) return {Flaw::kUnlike, position};
  }
  return {};
}

}  // namespace linpoint::verdicts
