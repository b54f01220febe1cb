// SPDX-License-Identifier: Apache-2.0
// Takes values out of a stack as long as their operations own gaps in which no remaining value is certainly inside.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "monitors/container_values.hpp"
#include "monitors/interval_trees.hpp"

namespace linpoint::monitors {

/// An operation that must be placed for its value to be taken out.
struct Need {
  Interval owns;
  std::int32_t member;
  std::int32_t observation;  // of the value, or histories::kNone for a push or a pop
};

/// Number of gaps between two reads of the clock.
inline constexpr std::uint64_t kTurns = 4096;

/// Where a value's stay begins and ends, and when it was taken out.
struct Stay {
  std::int32_t push = histories::kNone;
  std::int32_t pop = histories::kNone;
  std::int32_t taken = histories::kNone;
};

/// Takes out values of a container as long as possible.
class Nesting {
 public:
  Nesting(const Contents& contents, std::vector<std::int32_t> members)
      : contents_(contents), members_(std::move(members)), stays_(members_.size()), missing_(members_.size()) {
    compress();
    collect();
  }

  /// Whether all values could be taken out; false if it was stopped.
  bool run(search::StopToken& stop) {
    const std::size_t places = real_.size();
    std::vector<std::int32_t> counts(places + 1);
    for (const Interval& inside : inside_)
      if (inside.first <= inside.last) {
        ++counts[at(inside.first)];
        --counts[at(inside.last) + 1];
      }
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    counts.pop_back();
    LeastCount cover(counts);
    GapSet free(places);
    std::vector<std::int32_t> again;  // gaps that only one value occupied, which is gone
    for (std::uint64_t turn = 1; left_ > 0; ++turn) {
      if (turn % kTurns == 0 && stop.poll()) return false;
      std::size_t gap = 0;
      if (!again.empty()) {
        gap = at(again.back());
        again.pop_back();
      } else {
        const std::int32_t least = cover.least();
        if (least > 1 || (least == 1 && !peeks_)) return false;
        gap = cover.place();
        cover.remove(gap);
        if (least == 1) {
          serve_alone(gap);
          take_out(cover, free, again);
          continue;
        }
      }
      free.insert(gap);
      serve(gap);
      take_out(cover, free, again);
    }
    return true;
  }

  [[nodiscard]] const std::vector<Stay>& stays() const { return stays_; }
  /// The gap in which an observation was placed because only its value was inside there, or histories::kNone.
  [[nodiscard]] std::int32_t alone_at(std::size_t member, std::size_t observation) const {
    return alone_.empty() ? histories::kNone : alone_[at(first_observation_[member]) + observation];
  }
  [[nodiscard]] std::vector<std::int32_t> remaining() const {
    std::vector<std::int32_t> rest;
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (stays_[i].taken == histories::kNone) rest.push_back(members_[i]);
    return rest;
  }

 private:
  /// Numbers only the gaps that matter to the members: those after a run of starts and before a run of ends.
  void compress() {
    const std::int32_t gaps = contents_.gaps();
    whole_ = members_.size() == contents_.values().size();
    if (whole_) {
      real_.resize(at(gaps) + 1);
      std::iota(real_.begin(), real_.end(), 0);
      return;
    }
    std::vector<std::int32_t> starts{gaps};  // after everything, where values that no operation removed are removed
    std::vector<std::int32_t> ends{gaps};
    for (const std::int32_t member : members_) {
      const Value& value = contents_.values()[at(member)];
      const auto note = [&](const Interval& owns) {
        starts.push_back(owns.first);
        ends.push_back(owns.last);
      };
      note(value.added);
      note(value.removed);
      for (const Observation& each : contents_.observations(value)) note(each.owns);
    }
    std::sort(starts.begin(), starts.end());
    std::sort(ends.begin(), ends.end());
    for (std::size_t s = 0, e = 0; s < starts.size();) {
      while (s < starts.size() && starts[s] <= ends[e]) ++s;
      real_.push_back(starts[s - 1]);
      while (e < ends.size() && s < starts.size() && ends[e] < starts[s]) ++e;
    }
  }

  [[nodiscard]] Interval places(const Interval& owns) const {
    if (whole_) return owns;
    const auto first = std::lower_bound(real_.begin(), real_.end(), owns.first) - real_.begin();
    const auto last = std::upper_bound(real_.begin(), real_.end(), owns.last) - real_.begin() - 1;
    return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
  }

  void collect() {
    std::size_t count = 0;
    for (const std::int32_t member : members_) count += 2 + at(contents_.values()[at(member)].observations);
    needs_.reserve(count);
    inside_.reserve(members_.size());
    peeks_ = count > 2 * members_.size();
    left_ = members_.size();
    std::int32_t observations = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Value& value = contents_.values()[at(members_[i])];
      const Interval added = places(value.added);
      const Interval removed = places(value.removed);
      added_.push_back(added);
      removed_.push_back(removed);
      inside_.push_back({added.last + 1, removed.first - 1});
      const auto member = static_cast<std::int32_t>(i);
      needs_.push_back({added, member, histories::kNone});
      needs_.push_back({removed, member, histories::kNone});
      if (peeks_) {
        first_observation_.push_back(observations);
        for (const Observation& each : contents_.observations(value))
          needs_.push_back({places(each.owns), member, observations++});
      }
      missing_[i] = 2 + value.observations;
    }
    sort_needs();
    if (peeks_) index_peeks(at(observations));
  }

  void sort_needs() {
    std::vector<std::int32_t> start(real_.size() + 1);
    for (const Need& need : needs_) ++start[at(need.owns.first) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    before_ = start;
    std::vector<Need> sorted(needs_.size());
    for (const Need& need : needs_) sorted[at(start[at(need.owns.first)]++)] = need;
    needs_ = std::move(sorted);
    std::vector<std::int32_t> ends;
    ends.reserve(needs_.size());
    for (const Need& need : needs_) ends.push_back(need.owns.last);
    reaching_ = Reaching(ends);
  }

  /// Observations by value and start, and certain stays by start.
  void index_peeks(std::size_t observations) {
    alone_.assign(observations, histories::kNone);
    peek_need_.resize(observations);
    for (std::size_t i = 0; i < needs_.size(); ++i)
      if (needs_[i].observation != histories::kNone)
        peek_need_[at(needs_[i].observation)] = static_cast<std::int32_t>(i);
    // Needs are sorted by start, and observations of a member are numbered together: sort within each member.
    const auto by_start = [&](std::int32_t a, std::int32_t b) { return a < b; };
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto begin = peek_need_.begin() + first_observation_[i];
      std::sort(begin, begin + contents_.values()[at(members_[i])].observations, by_start);
    }
    place_of_peek_.resize(needs_.size());
    std::vector<std::int32_t> ends;
    for (std::size_t i = 0; i < peek_need_.size(); ++i) {
      place_of_peek_[at(peek_need_[i])] = static_cast<std::int32_t>(i);
      ends.push_back(needs_[at(peek_need_[i])].owns.last);
    }
    peeks_reaching_ = Reaching(ends);
    stay_order_.resize(members_.size());
    std::iota(stay_order_.begin(), stay_order_.end(), 0);
    std::sort(stay_order_.begin(), stay_order_.end(),
              [&](std::int32_t a, std::int32_t b) { return inside_[at(a)].first < inside_[at(b)].first; });
    stay_place_.resize(members_.size());
    std::vector<std::int32_t> stay_ends;
    for (std::size_t i = 0; i < stay_order_.size(); ++i) {
      const Interval& inside = inside_[at(stay_order_[i])];
      stay_place_[at(stay_order_[i])] = static_cast<std::int32_t>(i);
      stay_ends.push_back(inside.first <= inside.last ? inside.last : histories::kNone);
    }
    stays_reaching_ = Reaching(stay_ends);
    waiting_.resize(members_.size());
  }

  /// Places every operation that owns a free gap.
  void serve(std::size_t gap) {
    const auto end = at(before_[gap + 1]);
    for (std::size_t i = reaching_.find(0, end, static_cast<std::int32_t>(gap)); i != Reaching::kNowhere;
         i = reaching_.find(i + 1, end, static_cast<std::int32_t>(gap)))
      place(i);
  }

  /// Places the operations that observe the only value that is certainly inside in this gap.
  void serve_alone(std::size_t gap) {
    const auto point = static_cast<std::int32_t>(gap);
    const auto end = std::upper_bound(stay_order_.begin(), stay_order_.end(), point,
                                      [&](std::int32_t p, std::int32_t i) { return p < inside_[at(i)].first; }) -
                     stay_order_.begin();
    const auto member = at(stay_order_[stays_reaching_.find(0, static_cast<std::size_t>(end), point)]);
    waiting_[member].push_back(point);
    const auto first = at(first_observation_[member]);
    const auto last = first + at(contents_.values()[at(members_[member])].observations);
    for (std::size_t i = peeks_reaching_.find(first, last, point); i != Reaching::kNowhere;
         i = peeks_reaching_.find(i + 1, last, point)) {
      const Need& need = needs_[at(peek_need_[i])];
      if (need.owns.first > point) break;
      alone_[at(need.observation)] = real_[gap];
      place(at(peek_need_[i]));
    }
  }

  void place(std::size_t need) {
    reaching_.remove(need);
    if (needs_[need].observation != histories::kNone) peeks_reaching_.remove(at(place_of_peek_[need]));
    if (--missing_[at(needs_[need].member)] == 0) complete_.push_back(needs_[need].member);
  }

  void take_out(LeastCount& cover, GapSet& free, std::vector<std::int32_t>& again) {
    for (const std::int32_t member : complete_) {
      const Interval& inside = inside_[at(member)];
      if (inside.first <= inside.last) cover.add(at(inside.first), at(inside.last), -1);
      const std::int32_t push = real_[at(free.up_to(at(added_[at(member)].last)))];
      const std::int32_t pop = real_[at(free.from(at(removed_[at(member)].first)))];
      stays_[at(member)] = {std::min(push, pop), pop, taken_++};  // if it can pop first, both own the gap of the pop
      --left_;
      if (!peeks_) continue;
      stays_reaching_.remove(at(stay_place_[at(member)]));
      // Free from now on, also for values taken out with it: a value pushed above it must leave before it is observed.
      for (const std::int32_t gap : waiting_[at(member)]) free.insert(at(gap));
      again.insert(again.end(), waiting_[at(member)].begin(), waiting_[at(member)].end());
    }
    complete_.clear();
  }

  const Contents& contents_;
  std::vector<std::int32_t> members_;
  std::vector<Stay> stays_;
  std::vector<std::int32_t> missing_;  // of each member: the number of its needs that are not placed
  std::vector<std::int32_t> real_;     // the gap of each place
  bool whole_ = false;
  bool peeks_ = false;
  std::size_t left_ = 0;
  std::int32_t taken_ = 0;
  std::vector<Interval> added_;
  std::vector<Interval> removed_;
  std::vector<Interval> inside_;
  std::vector<Need> needs_;           // by start
  std::vector<std::int32_t> before_;  // for each place, the number of needs that start before it
  Reaching reaching_{{}};
  std::vector<std::int32_t> complete_;
  // Only for peeks:
  std::vector<std::int32_t> first_observation_;
  std::vector<std::int32_t> alone_;
  std::vector<std::int32_t> peek_need_;
  std::vector<std::int32_t> place_of_peek_;
  Reaching peeks_reaching_{{}};
  std::vector<std::int32_t> stay_order_;
  std::vector<std::int32_t> stay_place_;
  Reaching stays_reaching_{{}};
  std::vector<std::vector<std::int32_t>> waiting_;
};

}  // namespace linpoint::monitors
