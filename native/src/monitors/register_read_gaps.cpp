// SPDX-License-Identifier: Apache-2.0
// Where one more read of a value fits among accesses that have an order. Cost: O(n log n).
//
// The read joins the chain of its value: it comes after everything in the chain before that value and before everything
// that replaced it, and extends the zone of the chain to its gap. That zone must still neither overlap another forward
// zone nor contain a backward one, nor lie within a forward one (see register.cpp). Everything else holds, since there
// is an order.
#include <algorithm>
#include <limits>

#include "monitors/register.hpp"
#include "monitors/value_slots.hpp"

namespace linpoint::monitors {
namespace {

using histories::kNone;

constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

/// The earliest end and the latest start of some accesses.
struct Bounds {
  std::int32_t f = kMost;
  std::int32_t g = kLeast;

  void include(const Bounds& other) {
    f = std::min(f, other.f);
    g = std::max(g, other.g);
  }
};

struct Cluster {
  Bounds bounds;
  std::int32_t written;           // the first gap of its write
  std::int32_t parent = kNone;    // the cluster that its write replaced
  std::int32_t replaced = kNone;  // the cluster that replaced it
};

class ReadGaps {
 public:
  ReadGaps(std::span<const Access> accesses, std::int32_t initial)
      : slots_(with(values_of(accesses), initial), [](std::int32_t value) { return value; }) {
    clusters_.reserve(accesses.size() + 1);
    add(initial, {kNone, kNone});
    for (const Access& access : accesses)
      if (changes(access)) add(access.now, access.owns);
    for (const Access& access : accesses) {
      if (!observes(access)) continue;
      Cluster& seen = clusters_[at(slots_[access.old])];
      if (access.act == Act::kRead) {
        seen.bounds.include({access.owns.last, access.owns.first});
      } else {
        seen.replaced = slots_[access.now];
        clusters_[at(seen.replaced)].parent = slots_[access.old];
      }
    }
  }

  std::vector<Interval> of(std::int32_t value, std::int32_t gaps) {
    const std::int32_t mine = slots_[value];
    std::int32_t root = mine;
    while (clusters_[at(root)].parent != kNone) root = clusters_[at(root)].parent;
    const Bounds own = chain(root);
    std::int32_t floor = kLeast;
    std::int32_t ceiling = kMost;
    std::vector<Interval> taken;  // within other forward zones
    for (std::size_t i = 0; i < clusters_.size(); ++i) {
      const auto other = static_cast<std::int32_t>(i);
      if (clusters_[i].parent != kNone || other == root) continue;
      const Bounds bounds = chain(other);
      if (bounds.g > own.f) ceiling = std::min(ceiling, bounds.f);
      if (bounds.f < own.g) floor = std::max(floor, bounds.g);
      if (bounds.f + 1 < bounds.g) taken.push_back({bounds.f + 1, bounds.g - 1});
    }
    Interval room{std::min(own.g, floor), std::max(own.f, ceiling)};
    keep_in_chain(root, mine, room);
    return without({std::max(room.first, 0), std::min(room.last, gaps - 1)}, std::move(taken));
  }

 private:
  static std::vector<std::int32_t> with(std::vector<std::int32_t> values, std::int32_t more) {
    values.push_back(more);
    return values;
  }

  void add(std::int32_t value, const Interval& owns) {
    slots_[value] = static_cast<std::int32_t>(clusters_.size());
    clusters_.push_back({.bounds = {owns.last, owns.first}, .written = owns.first});
  }

  [[nodiscard]] Bounds chain(std::int32_t root) const {
    Bounds bounds;
    for (std::int32_t each = root; each != kNone; each = clusters_[at(each)].replaced)
      bounds.include(clusters_[at(each)].bounds);
    return bounds;
  }

  void keep_in_chain(std::int32_t root, std::int32_t mine, Interval& room) const {
    std::int32_t each = root;
    for (; each != mine; each = clusters_[at(each)].replaced)
      room.first = std::max(room.first, clusters_[at(each)].bounds.g);
    room.first = std::max(room.first, clusters_[at(mine)].written);
    for (each = clusters_[at(mine)].replaced; each != kNone; each = clusters_[at(each)].replaced)
      room.last = std::min(room.last, clusters_[at(each)].bounds.f);
  }

  static std::vector<Interval> without(Interval room, std::vector<Interval> taken) {
    std::sort(taken.begin(), taken.end(), [](const Interval& a, const Interval& b) { return a.first < b.first; });
    std::vector<Interval> left;
    for (const Interval& each : taken) {
      if (each.last < room.first) continue;
      if (each.first > room.last) break;
      if (each.first > room.first) left.push_back({room.first, each.first - 1});
      room.first = each.last + 1;
    }
    if (room.first <= room.last) left.push_back(room);
    return left;
  }

  Slots slots_;
  std::vector<Cluster> clusters_;
};

}  // namespace

std::vector<Interval> gaps_for_read(std::span<const Access> accesses, std::int32_t initial, std::int32_t gaps,
                                    std::int32_t value) {
  return ReadGaps(accesses, initial).of(value, gaps);
}

}  // namespace linpoint::monitors
