// SPDX-License-Identifier: Apache-2.0
#include "linpoint/monitors/buffered_registers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "monitors/buffered_core.hpp"
#include "monitors/saved_moments.hpp"

namespace linpoint::monitors {
namespace {

using histories::kNone;

class BufferedRegisters {
 public:
  BufferedRegisters(const histories::Columns& columns, const search::Problem& problem,
                    const specs::Blueprint& blueprint, search::StopToken& stop)
      : problem_(problem),
        reader_(blueprint),
        compiler_(columns, blueprint),
        stop_(stop),
        divided_(divide_gaps(problem)),
        gaps_(divided_.gaps),
        written_(problem.size(), kNotShown) {}

  BufferedOutcome decide(std::span<const std::int32_t> key_of, std::span<const std::vector<std::int64_t>> contents) {
    for (const std::vector<std::int64_t>& content : contents) {
      values_.push_back(content.empty() ? kAbsent : static_cast<std::int32_t>(content[0]));
      keys_.push_back({{}, {}, values_.back()});
    }
    if (const auto why = read(key_of)) return excluded(*why);
    SavedMoments saved(keys_, gaps_);
    if (auto why = saved.find(stop_)) {
      if (why->status != Status::kViolation) return excluded(*why);
      std::vector<std::int32_t> evidence = std::move(why->refuted.evidence);
      evidence.insert(evidence.end(), why->refuted.scope.begin(), why->refuted.scope.end());
      return refuted(smallest_violation(keys_, gaps_, evidence, stop_));
    }
    for (std::size_t era = 0; era < gaps_.eras(); ++era)
      if (const auto why = order(saved, era)) return excluded(*why);
    BufferedOutcome outcome;
    outcome.status = Status::kLinearizable;
    for (const std::int32_t op : order_.order) outcome.order.push_back(problem_.position[at(op)]);
    outcome.eras = std::move(order_.eras);
    outcome.survivors = std::move(order_.survivors);
    return outcome;
  }

 private:
  std::optional<Found> read(std::span<const std::int32_t> key_of) {
    for (std::size_t op = 0; op < problem_.size(); ++op) {
      if (problem_.position[op] < 0) continue;
      const bool optional = problem_.optional[op] != 0;
      const auto number = static_cast<std::int32_t>(op);
      Access access{Act::kRead, optional, number, kNone, kNone, divided_.owns[op]};
      const auto what = compiler_.compile(at(problem_.position[op]), optional);
      if (const Exclusion why = reader_.read(what.value_or(Instruction{}), access); why != Exclusion::kNone)
        return Found::excluded(why, number);
      if (!changes(access) && access.optional) continue;
      if (divided_.vague)
        return Found::excluded(Exclusion::kSpansCrash, number);  // when the object crashed is not certain
      KeyAccesses& key = keys_[at(key_of[at(problem_.position[op])])];
      key.accesses.push_back(access);
      key.eras.push_back(gaps_.span(access.owns));
      if (changes(access)) written_[op] = access.now;
    }
    return std::nullopt;
  }

  /// Appends the operations of an era in order, survivors first, and continues with the values they leave.
  std::optional<Found> order(const SavedMoments& saved, std::size_t era) {
    const bool crashed = era < gaps_.crashes();
    const std::int32_t moment = crashed ? saved.moment(era) : gaps_.count();
    for (std::size_t key = 0; key < keys_.size(); ++key) {
      const RegisterEras::Era& each = saved.era(key, era);
      if (each.accesses.empty()) continue;
      std::vector<Access> accesses = each.accesses;
      const bool shown = each.saved != kNotShown;  // if so, a read marks the moment
      if (shown) accesses.push_back({Act::kRead, false, kNone, each.saved, kNone, {moment, moment}});
      const Found found = decide_register(accesses, values_[key], gaps_.count());
      if (found.status != Status::kLinearizable) return Found::excluded(found.exclusion, accesses[0].op);
      std::int32_t gap = 0;
      bool survives = true;
      for (const std::int32_t op : found.order) {
        gap = std::max(
            gap, op == kNone ? moment : gaps_.within(divided_.owns[at(op)], static_cast<std::int32_t>(era)).first);
        survives = survives && (shown ? op != kNone : gap <= moment);
        if (op == kNone) continue;
        order_.place(op, gap, survives);
        if (survives && written_[at(op)] != kNotShown) values_[key] = written_[at(op)];
      }
    }
    order_.end_era(crashed);
    return std::nullopt;
  }

  [[nodiscard]] BufferedOutcome excluded(const Found& why) const {
    BufferedOutcome outcome;
    outcome.exclusion = why.exclusion;
    if (why.culprit != kNone) outcome.culprit = problem_.position[at(why.culprit)];
    return outcome;
  }

  [[nodiscard]] BufferedOutcome refuted(const BufferedCore& core) const {
    BufferedOutcome outcome;
    outcome.exclusion = core.reason == Reason::kNone ? Exclusion::kStopped : Exclusion::kNone;
    if (core.reason == Reason::kNone) return outcome;
    outcome.status = Status::kViolation;
    outcome.reason = core.reason;
    for (const std::int32_t op : core.operations) outcome.scope.push_back(problem_.position[at(op)]);
    std::sort(outcome.scope.begin(), outcome.scope.end());
    return outcome;
  }

  const search::Problem& problem_;
  AccessReader reader_;
  specs::Compiler compiler_;
  search::StopToken& stop_;
  const DividedGaps divided_;
  const EraGaps& gaps_;
  std::vector<std::int32_t> written_;  // by each operation; kNotShown if it writes nothing
  std::vector<KeyAccesses> keys_;
  std::vector<std::int32_t> values_;  // values of the keys at the beginning of the era
  EraOrder order_;
};

}  // namespace

BufferedOutcome decide_buffered(const histories::Columns& columns, const search::Problem& problem,
                                const specs::Blueprint& blueprint, std::span<const std::int32_t> key_of,
                                std::span<const std::vector<std::int64_t>> contents, search::StopToken& stop) {
  return BufferedRegisters(columns, problem, blueprint, stop).decide(key_of, contents);
}

}  // namespace linpoint::monitors
