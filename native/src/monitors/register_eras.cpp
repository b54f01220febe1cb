// SPDX-License-Identifier: Apache-2.0
#include "monitors/register_eras.hpp"

#include <algorithm>

namespace linpoint::monitors {

using histories::kNone;

namespace {

Found refuted(Reason reason, std::vector<std::int32_t> evidence) {
  return Found::violation({reason, std::move(evidence), {}});
}

}  // namespace

RegisterEras::RegisterEras(const KeyAccesses& key, std::span<const std::int32_t> chosen, const EraGaps& gaps)
    : accesses_(key.accesses),
      spans_(key.eras),
      gaps_(gaps),
      initial_(key.first_value),
      makers_(values_of(key.accesses), [](std::int32_t value) { return value; }),
      era_of_(chosen.begin(), chosen.end()),
      took_effect_(key.accesses.size()),
      eras_(gaps.eras()) {
  eras_[0].start = initial_;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (spans_[i].one() || accesses_[i].act == Act::kDiffers) era_of_[i] = spans_[i].first;
    took_effect_[i] = !accesses_[i].optional;
    if (!changes(accesses_[i])) continue;
    std::int32_t& maker = makers_[accesses_[i].now];
    if (maker != kNone || accesses_[i].now == initial_) repeated_ = accesses_[i].op;
    maker = static_cast<std::int32_t>(i);
  }
}

std::optional<Found> RegisterEras::trace() {
  if (repeated_ != kNone) return Found::excluded(Exclusion::kDuplicate, repeated_);
  keep_observed();
  if (auto found = place_writers()) return found;
  for (const std::int32_t access : observers_)
    if (auto found = follow(access)) return found;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (!took_effect_[i]) continue;
    Access access = accesses_[i];
    access.optional = false;
    access.owns = gaps_.within(access.owns, era_of_[i]);
    eras_[at(era_of_[i])].accesses.push_back(access);
  }
  return std::nullopt;
}

/// An optional operation took effect if its value was observed; then the value that it replaced counts as observed,
/// too.
void RegisterEras::keep_observed() {
  for (std::size_t i = 0; i < accesses_.size(); ++i)
    if (took_effect_[i] && observes(accesses_[i])) observers_.push_back(static_cast<std::int32_t>(i));
  for (std::size_t done = 0; done < observers_.size(); ++done) {
    const std::int32_t maker = maker_of(accesses_[at(observers_[done])].old);
    if (maker == kNone || took_effect_[at(maker)]) continue;
    took_effect_[at(maker)] = true;
    if (observes(accesses_[at(maker)])) observers_.push_back(maker);
  }
}

/// Assigns an era to each writing operation that spans a crash, once all observers of its value have theirs.
std::optional<Found> RegisterEras::place_writers() {
  std::vector<std::int32_t> waits_for(accesses_.size());
  std::vector<std::int32_t> seen_in(accesses_.size(), kNone);  // the first era in which the written value is observed
  for (const std::int32_t observer : observers_)
    if (const std::int32_t maker = maker_of(accesses_[at(observer)].old); maker != kNone) ++waits_for[at(maker)];
  std::vector<std::int32_t> ready;
  for (std::size_t i = 0; i < accesses_.size(); ++i)
    if (took_effect_[i] && waits_for[i] == 0) ready.push_back(static_cast<std::int32_t>(i));
  std::size_t placed = 0;
  for (; placed < ready.size(); ++placed) {
    const std::int32_t access = ready[placed];
    std::int32_t& era = era_of_[at(access)];
    const std::int32_t seen = seen_in[at(access)];
    if (era == kNone) era = seen == kNone ? spans_[at(access)].first : std::min(seen, spans_[at(access)].last);
    if (!observes(accesses_[at(access)])) continue;
    const std::int32_t maker = maker_of(accesses_[at(access)].old);
    if (maker == kNone) continue;
    std::int32_t& first = seen_in[at(maker)];
    first = first == kNone ? era : std::min(first, era);
    if (--waits_for[at(maker)] == 0) ready.push_back(maker);
  }
  std::vector<std::int32_t> circle;  // of values that replaced each other, with the values that lead to it
  for (std::size_t i = 0; i < accesses_.size(); ++i)
    if (took_effect_[i] && waits_for[i] > 0) circle.push_back(accesses_[i].op);
  if (!circle.empty()) return refuted(Reason::kReplacedInCircle, std::move(circle));
  return std::nullopt;
}

/// Finds the source of the value that an operation observed.
std::optional<Found> RegisterEras::follow(std::int32_t access) {
  const std::int32_t value = accesses_[at(access)].old;
  const std::int32_t maker = maker_of(value);
  if (maker == kNone && value != initial_) return refuted(Reason::kNeverAdded, {op(access)});
  const std::int32_t made = maker == kNone ? -1 : era_of_[at(maker)];  // an initial value is older than all eras
  const std::int32_t era = era_of_[at(access)];
  if (made > era || (maker != kNone && era < spans_[at(maker)].first))
    return refuted(Reason::kSeenBeforeAdded, {op(access), op(maker)});
  return made < era ? survived(access, made) : std::nullopt;
}

/// The value that `access` observed was written in the era `made`, so every crash since then left it.
std::optional<Found> RegisterEras::survived(std::int32_t access, std::int32_t made) {
  const std::int32_t value = accesses_[at(access)].old;
  for (std::int32_t number = era_of_[at(access)]; number > made; --number) {
    Era& era = eras_[at(number)];
    if (era.start == value) return std::nullopt;  // as other operations observed
    if (era.start != kNotShown) return refuted(Reason::kSurvivorsDiffer, {op(access), op(era.shown_by)});
    era.start = value;
    era.shown_by = access;
    eras_[at(number - 1)].saved = value;
  }
  return std::nullopt;
}

std::int32_t RegisterEras::maker_of(std::int32_t value) const { return value == initial_ ? kNone : makers_[value]; }

}  // namespace linpoint::monitors
