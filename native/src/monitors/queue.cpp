// SPDX-License-Identifier: Apache-2.0
// First in, first out: values can be ordered so that neither their adds nor their turns at the front are inverted.
//
// Adds form an interval order, and so do turns at the front once they are zones: from the earliest end to the latest
// start of a value's peeks and removal. *Forward* (f < g): the value is at the front from f to g. *Backward*: anywhere
// from g to f. Forward zones must not overlap, a backward one must not lie within a forward one, and is cut at forward
// zones it overlaps (without that, cycles of three are missed: enqueue(1)[3,4.5] enqueue(2)[0,4.6] enqueue(3)[1,2]
// peek->2[10,12] dequeue->2[20,22] dequeue->1[5,16] dequeue->3[14,30]). In doubled coordinates, backward [2l, 2r] and
// forward [2f+1, 2g-1], "before at the front" is then an interval order. Cycles in the union of two interval orders
// shrink to two values, and repeatedly taking a value that is first in both orders all. Operations that found nothing
// need a gap in which nothing is certainly inside, whatever the order.
#include <algorithm>
#include <numeric>

#include "monitors/container_values.hpp"

namespace linpoint::monitors {
namespace {

using histories::kNone;

struct Zone {
  std::int32_t start;  // doubled coordinates
  std::int32_t end;
  bool forward;
};

/// The indices 0..n-1 sorted by a key that is at most `most`.
template <typename Key>
std::vector<std::int32_t> sorted_by(std::size_t n, std::int32_t most, Key key) {
  std::vector<std::int32_t> start(at(most) + 2);
  for (std::size_t i = 0; i < n; ++i) ++start[at(key(i)) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::int32_t> sorted(n);
  for (std::size_t i = 0; i < n; ++i) sorted[at(start[at(key(i))]++)] = static_cast<std::int32_t>(i);
  return sorted;
}

class Queue {
 public:
  explicit Queue(const Contents& contents) : contents_(contents), values_(contents.values()) {}

  Found decide() {
    const std::vector<std::int32_t> free = contents_.next_free();
    for (const Observation& empty : contents_.empties())
      if (free[at(empty.owns.first)] > empty.owns.last || free[at(empty.owns.first)] == contents_.gaps())
        return contents_.not_empty(empty);
    if (auto found = make_zones()) return *found;
    std::vector<std::int32_t> barriers;
    for (const Observation& empty : contents_.empties()) barriers.push_back(free[at(empty.owns.first)]);
    std::sort(barriers.begin(), barriers.end());
    barriers.erase(std::unique(barriers.begin(), barriers.end()), barriers.end());
    const auto order = values_in_order(barriers);
    if (order.size() < values_.size()) return inverted();
    return Found::linearizable(operations_in_order(order, barriers, free));
  }

 private:
  /// Computes the zone of each value, or the violation by two of them.
  std::optional<Found> make_zones() {
    zones_.reserve(values_.size());
    forward_.clear();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Value& value = values_[i];
      std::int32_t f = value.removed.last;
      for (const Observation& each : contents_.observations(value)) f = std::min(f, each.owns.last);
      const std::int32_t g = value.removed.first;  // tightened: no observer starts later
      zones_.push_back(f < g ? Zone{f, g, true} : Zone{g, f, false});
      if (f < g) forward_.push_back(static_cast<std::int32_t>(i));
    }
    std::sort(forward_.begin(), forward_.end(),
              [&](std::int32_t a, std::int32_t b) { return zones_[at(a)].start < zones_[at(b)].start; });
    for (std::size_t i = 1; i < forward_.size(); ++i)
      if (zones_[at(forward_[i])].start < zones_[at(forward_[i - 1])].end)
        return contradiction(Reason::kFrontsOverlap, forward_[i - 1], forward_[i]);
    for (std::size_t i = 0; i < zones_.size(); ++i)
      if (!zones_[i].forward && !forward_.empty())
        if (auto found = cut(static_cast<std::int32_t>(i))) return found;
    for (Zone& zone : zones_)
      zone =
          zone.forward ? Zone{2 * zone.start + 1, 2 * zone.end - 1, true} : Zone{2 * zone.start, 2 * zone.end, false};
    return std::nullopt;
  }

  /// Cuts a backward zone at the forward ones that it overlaps.
  std::optional<Found> cut(std::int32_t value) {
    Zone& zone = zones_[at(value)];
    if (const std::int32_t around = forward_around(zone.start); around != kNone) {
      if (zone.end < zones_[at(around)].end) return contradiction(Reason::kFrontInside, around, value);
      zone.start = zones_[at(around)].end;
    }
    if (const std::int32_t around = forward_around(zone.end); around != kNone) zone.end = zones_[at(around)].start;
    return std::nullopt;
  }

  /// The forward zone that strictly contains a gap.
  [[nodiscard]] std::int32_t forward_around(std::int32_t gap) const {
    const auto after =
        std::lower_bound(forward_.begin(), forward_.end(), gap,
                         [&](std::int32_t each, std::int32_t wanted) { return zones_[at(each)].start < wanted; });
    if (after == forward_.begin()) return kNone;
    const std::int32_t last = *std::prev(after);
    return gap < zones_[at(last)].end ? last : kNone;
  }

  /// The values in an order without inversions, separated at the barriers; fewer values if there is no such order.
  [[nodiscard]] std::vector<std::int32_t> values_in_order(const std::vector<std::int32_t>& barriers) const {
    const std::size_t n = values_.size();
    const std::int32_t gaps = contents_.gaps();
    // A value belongs to the segment where its removal can first happen; values added later follow.
    segment_.resize(n);
    std::vector<std::int32_t> before(at(gaps) + 2);
    for (const std::int32_t barrier : barriers) ++before[at(barrier) + 1];
    std::partial_sum(before.begin(), before.end(), before.begin());
    for (std::size_t i = 0; i < n; ++i) segment_[i] = before[at(values_[i].removed.first)];
    const auto sorted = [&](auto key) {
      std::vector<std::int32_t> by_key = sorted_by(n, 2 * gaps + 1, [&](std::size_t i) { return key(i); });
      if (barriers.empty()) return by_key;
      const auto places = sorted_by(n, static_cast<std::int32_t>(barriers.size()),
                                    [&](std::size_t i) { return segment_[at(by_key[i])]; });
      std::vector<std::int32_t> by_segment(n);
      for (std::size_t i = 0; i < n; ++i) by_segment[i] = by_key[at(places[i])];
      return by_segment;
    };
    const Sorted by{
        sorted([&](std::size_t i) { return values_[i].added.first; }),
        sorted([&](std::size_t i) { return values_[i].added.last; }),
        sorted([&](std::size_t i) { return zones_[i].start; }),
        sorted([&](std::size_t i) { return zones_[i].end; }),
    };
    std::vector<std::int32_t> order;
    order.reserve(n);
    std::vector<std::uint8_t> ready(n);
    for (std::size_t from = 0; from < n && order.size() == from;) {
      std::size_t to = from;
      while (to < n && segment_[at(by.add_starts[to])] == segment_[at(by.add_starts[from])]) ++to;
      take(by, from, to, ready, order);
      from = to;
    }
    return order;
  }

  /// Values by segment, and within it by the start and end of their adds and of their zones.
  struct Sorted {
    std::vector<std::int32_t> add_starts;
    std::vector<std::int32_t> add_ends;
    std::vector<std::int32_t> zone_starts;
    std::vector<std::int32_t> zone_ends;
  };

  /// Repeatedly takes a value that is first in both orders, among the values from one index to another.
  void take(const Sorted& by, std::size_t from, std::size_t to, std::vector<std::uint8_t>& ready,
            std::vector<std::int32_t>& order) const {
    constexpr std::uint8_t kFirstAdded = 1;
    constexpr std::uint8_t kFirstInZone = 2;
    constexpr std::uint8_t kTaken = 4;
    std::vector<std::int32_t> both;
    const auto mark = [&](std::int32_t i, std::uint8_t bit) {
      ready[at(i)] = static_cast<std::uint8_t>(ready[at(i)] | bit);
      if (ready[at(i)] == (kFirstAdded | kFirstInZone)) both.push_back(i);
    };
    const auto taken = [&](std::int32_t i) { return (ready[at(i)] & kTaken) != 0; };
    std::size_t s = from;
    std::size_t e = from;
    std::size_t zs = from;
    std::size_t ze = from;
    while (order.size() < to) {
      while (taken(by.add_ends[e])) ++e;
      while (taken(by.zone_ends[ze])) ++ze;
      const std::int32_t add_end = values_[at(by.add_ends[e])].added.last;
      const std::int32_t zone_end = zones_[at(by.zone_ends[ze])].end;
      for (; s < to && values_[at(by.add_starts[s])].added.first <= add_end; ++s) mark(by.add_starts[s], kFirstAdded);
      for (; zs < to && zones_[at(by.zone_starts[zs])].start <= zone_end; ++zs) mark(by.zone_starts[zs], kFirstInZone);
      if (both.empty()) return;
      const std::int32_t next = both.back();
      both.pop_back();
      mark(next, kTaken);
      order.push_back(next);
    }
  }

  struct Placed {
    std::int32_t gap;
    std::int32_t op;
  };

  /// Operations of one segment, adds separate from turns at the front, each as early as the order of values allows.
  struct Segment {
    std::int32_t add_gap;
    std::int32_t front_gap;
    std::vector<Placed> adds;
    std::vector<Placed> fronts;
  };

  void place(const Value& value, Segment& segment) const {
    segment.add_gap = std::max(segment.add_gap, value.added.first);
    if (value.add != kNone) segment.adds.push_back({segment.add_gap, value.add});
    segment.front_gap = std::max(segment.front_gap, segment.add_gap);
    const auto seen = contents_.observations(value);
    std::vector<Observation> peeks(seen.begin(), seen.end());
    std::sort(peeks.begin(), peeks.end(),
              [](const Observation& a, const Observation& b) { return a.owns.first < b.owns.first; });
    for (const Observation& peek : peeks) {
      segment.front_gap = std::max(segment.front_gap, peek.owns.first);
      segment.fronts.push_back({segment.front_gap, peek.op});
    }
    if (value.removal == kNone) return;
    segment.front_gap = std::max(segment.front_gap, value.removed.first);
    segment.fronts.push_back({segment.front_gap, value.removal});
  }

  /// Within a gap adds come first: their values are removed there.
  static void merge(const Segment& segment, std::vector<std::int32_t>& order) {
    std::size_t f = 0;
    for (const Placed& add : segment.adds) {
      for (; f < segment.fronts.size() && segment.fronts[f].gap < add.gap; ++f) order.push_back(segment.fronts[f].op);
      order.push_back(add.op);
    }
    for (; f < segment.fronts.size(); ++f) order.push_back(segment.fronts[f].op);
  }

  [[nodiscard]] std::vector<std::int32_t> operations_in_order(const std::vector<std::int32_t>& values,
                                                              const std::vector<std::int32_t>& barriers,
                                                              const std::vector<std::int32_t>& free) const {
    std::vector<std::pair<std::int32_t, std::int32_t>> empties;  // by barrier
    for (const Observation& empty : contents_.empties()) empties.emplace_back(free[at(empty.owns.first)], empty.op);
    std::sort(empties.begin(), empties.end());
    std::vector<std::int32_t> order;
    std::size_t from = 0;
    std::size_t next_empty = 0;
    for (std::size_t number = 0; number <= barriers.size(); ++number) {
      const std::int32_t start = number == 0 ? 0 : barriers[number - 1];
      Segment segment{start, start, {}, {}};
      for (; from < values.size() && at(segment_[at(values[from])]) == number; ++from)
        place(values_[at(values[from])], segment);
      merge(segment, order);
      for (; next_empty < empties.size() && empties[next_empty].first == barriers[number]; ++next_empty)
        order.push_back(empties[next_empty].second);
    }
    return order;
  }

  /// Two values whose adds and turns at the front are inverted.
  [[nodiscard]] Found inverted() const {
    const std::size_t n = values_.size();
    const std::int32_t most = contents_.gaps();
    const auto by_end = sorted_by(n, most, [&](std::size_t i) { return values_[i].added.last; });
    const auto by_start = sorted_by(n, most, [&](std::size_t i) { return values_[i].added.first; });
    std::size_t i = 0;
    std::int32_t latest = kNone;  // among those added entirely before: the one whose zone starts last
    for (const std::int32_t later : by_start) {
      for (; i < n && values_[at(by_end[i])].added.precedes(values_[at(later)].added); ++i)
        if (latest == kNone || zones_[at(by_end[i])].start > zones_[at(latest)].start) latest = by_end[i];
      if (latest != kNone && zones_[at(later)].end < zones_[at(latest)].start)
        return contradiction(Reason::kOrderInverted, latest, later);
    }
    return Found::excluded(Exclusion::kKind);  // never: if it is stuck, two such values exist
  }

  /// The violation by two values, with the forward zones that cut theirs.
  [[nodiscard]] Found contradiction(Reason reason, std::int32_t first, std::int32_t second) const {
    std::vector<std::int32_t> values{first, second};
    std::vector<std::int32_t> evidence;
    for (const std::int32_t value : {first, second}) {
      contents_.tell(value, evidence);
      for (const std::int32_t op : contents_.extremes(value)) evidence.push_back(op);
    }
    if (reason == Reason::kOrderInverted) {
      for (const std::int32_t value : {first, second}) {
        const Value& each = values_[at(value)];
        for (const std::int32_t gap : {each.removed.first, each.removed.last})
          if (const std::int32_t around = doubled_around(gap); around != kNone && around != value) {
            values.push_back(around);
            contents_.tell(around, evidence);
          }
      }
    }
    std::sort(evidence.begin(), evidence.end());
    evidence.erase(std::unique(evidence.begin(), evidence.end()), evidence.end());
    return contents_.refuted(reason, std::move(evidence), values);
  }

  /// The forward zone around a gap, once zones have doubled coordinates.
  [[nodiscard]] std::int32_t doubled_around(std::int32_t gap) const {
    for (const std::int32_t each : forward_)
      if (zones_[at(each)].start < 2 * gap && 2 * gap < zones_[at(each)].end) return each;
    return kNone;
  }

  const Contents& contents_;
  const std::vector<Value>& values_;
  std::vector<Zone> zones_;
  std::vector<std::int32_t> forward_;  // values with forward zones, by start
  mutable std::vector<std::int32_t> segment_;
};

}  // namespace

Found decide_queue(const Contents& contents) { return Queue(contents).decide(); }

}  // namespace linpoint::monitors
