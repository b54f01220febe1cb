// SPDX-License-Identifier: Apache-2.0
#include "monitors/saved_moments.hpp"

#include <algorithm>
#include <utility>

namespace linpoint::monitors {
namespace {

using histories::kNone;

/// Maximum number of ways that are tried to distribute operations that span crashes among the eras.
constexpr std::size_t kMaxWays = 512;

}  // namespace

std::optional<Found> SavedMoments::find(search::StopToken& stop) {
  std::size_t ways = 1;
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    chosen_.emplace_back(keys_[key].accesses.size(), kNone);
    for (std::size_t i = 0; i < keys_[key].accesses.size(); ++i) {
      const Access& access = keys_[key].accesses[i];
      const EraSpan& span = keys_[key].eras[i];
      if (span.one() || access.optional || !observes(access)) continue;
      choices_.push_back({key, i});
      chosen_[key][i] = span.first;
      ways *= at(span.last - span.first + 1);
      if (ways > kMaxWays) return Found::excluded(Exclusion::kSpansCrash, access.op);
    }
  }
  std::optional<Found> first;
  do {
    std::optional<Found> why = try_choices(stop);
    if (!why || why->status != Status::kViolation) return why;
    if (!first) first = std::move(why);
  } while (next());
  return first;
}

/// The next way to distribute the choices among their eras; false after the last.
bool SavedMoments::next() {
  for (const Choice& choice : choices_) {
    std::int32_t& era = chosen_[choice.key][choice.access];
    const EraSpan& span = keys_[choice.key].eras[choice.access];
    if (++era <= span.last) return true;
    era = span.first;
  }
  return false;
}

std::optional<Found> SavedMoments::try_choices(search::StopToken& stop) {
  eras_.clear();
  eras_.reserve(keys_.size());
  moments_.clear();
  for (std::size_t key = 0; key < keys_.size(); ++key)
    if (auto why = eras_.emplace_back(keys_[key], chosen_[key], gaps_).trace()) return why;
  for (std::size_t era = 0; era < gaps_.eras(); ++era) {
    if (stop.poll()) return Found::excluded(Exclusion::kStopped);
    if (auto why = choose_moment(era)) return why;
  }
  return std::nullopt;
}

/// Whether each key's operations of an era have an order, and the latest moment at which all keys hold what the crash
/// left.
std::optional<Found> SavedMoments::choose_moment(std::size_t number) {
  const bool crashed = number < gaps_.crashes();
  std::vector<Interval> moments{gaps_.of(number)};
  std::vector<std::int32_t> evidence;
  std::vector<Access> certain;
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    const RegisterEras::Era& era = this->era(key, number);
    if (era.accesses.empty()) continue;
    certain.clear();
    for (const Access& access : era.accesses)
      if (access.act != Act::kDiffers) certain.push_back(access);
    Found found = decide_register(certain, era.start, gaps_.count());
    if (found.status != Status::kLinearizable) return found;
    if (!crashed || era.saved == kNotShown) continue;
    moments = common(moments, gaps_for_read(certain, era.start, gaps_.count(), era.saved));
    evidence.push_back(keys_[key].accesses[at(this->era(key, number + 1).shown_by)].op);
    if (moments.empty()) return Found::violation({Reason::kNoCommonMoment, std::move(evidence), {}});
  }
  if (crashed) moments_.push_back(moments.back().last);
  return std::nullopt;
}

}  // namespace linpoint::monitors
