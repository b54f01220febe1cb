// SPDX-License-Identifier: Apache-2.0
// A priority queue, the largest value first: every removal and every look needs a gap in which nothing larger is
// certainly inside.
//
// From the largest priority to the smallest: each operation on a value takes the first possible gap that the certain
// stays of larger values leave free; then the value's own certain stay is closed to smaller values. A value is added as
// late as possible. Nothing smaller is taken between the end of its certain stay and its removal: a larger value closes
// those gaps. Equal priorities do not exclude each other. Within a gap: first the operations that end a stay there, the
// largest value first; then those that found nothing; then the adds of values that stay, the smallest first, each with
// the operations that observe it there.
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "monitors/container_values.hpp"
#include "monitors/gap_sort.hpp"

namespace linpoint::monitors {
namespace {

using histories::kNone;

/// Gaps that are still free; closing is permanent. Cost: nearly O(1) per gap and query.
class FreeGaps {
 public:
  explicit FreeGaps(std::int32_t gaps) : next_(at(gaps) + 1), previous_(at(gaps) + 1) {
    std::iota(next_.begin(), next_.end(), 0);
    std::iota(previous_.begin(), previous_.end(), 0);  // shifted by one: 0 means "none"
  }
  /// The first free gap from here on; the number of gaps if there is none.
  std::int32_t from(std::int32_t gap) { return find(next_, gap); }
  /// The last free gap up to here; -1 if there is none.
  std::int32_t up_to(std::int32_t gap) { return find(previous_, gap + 1) - 1; }
  void close(const Interval& gaps) {
    for (std::int32_t gap = from(gaps.first); gap <= gaps.last; gap = from(gap)) {
      next_[at(gap)] = gap + 1;
      previous_[at(gap + 1)] = gap;
    }
  }

 private:
  static std::int32_t find(std::vector<std::int32_t>& parent, std::int32_t gap) {
    while (parent[at(gap)] != gap) {
      parent[at(gap)] = parent[at(parent[at(gap)])];
      gap = parent[at(gap)];
    }
    return gap;
  }
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> previous_;
};

/// The place of an operation: its gap, and its rank within the gap.
struct Place {
  std::int32_t gap;
  std::int32_t phase;
  std::int32_t rank;
  std::int32_t value;
  std::int32_t role;  // add, observe, remove
  std::int32_t op;
};

enum : std::int32_t { kEnding = 0, kNothing = 1, kStaying = 2 };
enum : std::int32_t { kAdds = 0, kSees = 1, kRemoves = 2 };

class PriorityQueue {
 public:
  PriorityQueue(const Contents& contents, std::span<const std::int64_t> priorities)
      : contents_(contents), values_(contents.values()), priorities_(priorities), free_(contents.gaps()) {
    std::vector<std::pair<std::int64_t, std::int32_t>> largest_first(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i)
      largest_first[i] = {priority(static_cast<std::int32_t>(i)), static_cast<std::int32_t>(i)};
    std::sort(largest_first.begin(), largest_first.end(), std::greater<>());
    by_priority_.reserve(values_.size());
    for (const auto& [priority, value] : largest_first) by_priority_.push_back(value);
  }

  Found decide() {
    for (std::size_t from = 0; from < by_priority_.size();) {
      std::size_t to = from;
      for (; to < by_priority_.size() && priority(by_priority_[to]) == priority(by_priority_[from]); ++to) {
        rank_ = static_cast<std::int32_t>(from);
        if (auto found = place(by_priority_[to])) return *found;
      }
      for (std::size_t i = from; i < to; ++i) free_.close(values_[at(by_priority_[i])].inside());
      from = to;
    }
    for (const Observation& empty : contents_.empties()) {
      const std::int32_t gap = free_.from(empty.owns.first);
      if (gap > empty.owns.last) return contents_.not_empty(empty);
      places_.push_back({gap, kNothing, 0, 0, 0, empty.op});
    }
    sort_by_gap(places_, contents_.gaps(), [](const Place& a, const Place& b) {
      if (a.phase != b.phase) return a.phase < b.phase;
      if (a.rank != b.rank) return a.rank < b.rank;
      return a.value != b.value ? a.value < b.value : a.role < b.role;
    });
    std::vector<std::int32_t> order;
    order.reserve(places_.size());
    for (const Place& each : places_)
      if (each.op != kNone) order.push_back(each.op);
    return Found::linearizable(std::move(order));
  }

 private:
  [[nodiscard]] std::int64_t priority(std::int32_t value) const { return priorities_[at(values_[at(value)].number)]; }

  std::optional<Found> place(std::int32_t number) {
    const Value& value = values_[at(number)];
    std::int32_t leaves = contents_.gaps();
    if (value.removal != kNone) {
      leaves = free_.from(value.removed.first);
      if (leaves > value.removed.last) return hindered(number, {value.removal, value.removed});
    }
    // As late as possible, but not after it leaves.
    const std::int32_t late = std::min(value.added.last, leaves);
    std::int32_t enters = late;
    seen_.clear();
    for (const Observation& each : contents_.observations(value)) {
      std::int32_t gap = free_.from(std::max(each.owns.first, late));
      if (gap > std::min(each.owns.last, leaves)) {
        gap = free_.up_to(std::min(each.owns.last, leaves));
        if (gap < each.owns.first) return hindered(number, each);
        enters = std::min(enters, gap);
      }
      seen_.push_back(gap);
    }
    const auto phase = [&](std::int32_t gap) { return gap == enters && enters < leaves ? kStaying : kEnding; };
    const auto rank = [&](std::int32_t gap) { return phase(gap) == kStaying ? -rank_ : rank_; };
    places_.push_back({enters, phase(enters), rank(enters), number, kAdds, value.add});
    const auto observed = contents_.observations(value);
    for (std::size_t i = 0; i < observed.size(); ++i)
      places_.push_back({seen_[i], phase(seen_[i]), rank(seen_[i]), number, kSees, observed[i].op});
    if (value.removal != kNone) places_.push_back({leaves, kEnding, rank_, number, kRemoves, value.removal});
    return std::nullopt;
  }

  /// The violation by an operation that finds no gap.
  [[nodiscard]] Found hindered(std::int32_t number, const Observation& operation) const {
    std::vector<std::int32_t> larger;
    for (const std::int32_t each : by_priority_)
      if (priority(each) > priority(number)) larger.push_back(each);
    std::vector<std::int32_t> covering = contents_.cover(operation.owns, larger);
    std::vector<std::int32_t> evidence{operation.op};
    for (const std::int32_t value : covering) contents_.tell(value, evidence);
    covering.push_back(number);
    return contents_.refuted(Reason::kHigherInside, std::move(evidence), covering);
  }

  const Contents& contents_;
  const std::vector<Value>& values_;
  std::span<const std::int64_t> priorities_;
  FreeGaps free_;
  std::vector<std::int32_t> by_priority_;
  std::vector<Place> places_;
  std::vector<std::int32_t> seen_;
  std::int32_t rank_ = 0;  // of the priority that is being placed
};

}  // namespace

Found decide_priority_queue(const Contents& contents, std::span<const std::int64_t> priorities) {
  return PriorityQueue(contents, priorities).decide();
}

}  // namespace linpoint::monitors
