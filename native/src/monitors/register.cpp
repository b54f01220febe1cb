// SPDX-License-Identifier: Apache-2.0
// Values that are written once each. An operation that read a value belongs to the cluster of its write, and an
// operation that replaced u by v links the cluster of v after that of u, which forms chains (Gibbons and Korach's
// zones, with chains).
//
// Within a chain every operation must be able to come after all operations of earlier clusters. For a chain, f is the
// earliest end and g the latest start. *Forward* (f < g): it is current from f to g. *Backward*: anywhere from g to f.
// There is an order iff no two forward zones overlap and no backward one lies within a forward one. The initial value
// is a write before everything. A write with an unknown outcome counts iff its value is read; then the value that it
// replaced counts as read. If a value is written more than once, the write that was read is determined by time if every
// other write was certainly overwritten or not yet called; else the guess is recorded.
#include "monitors/register.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "monitors/value_slots.hpp"

namespace linpoint::monitors {
namespace {

using histories::kNone;

struct Cluster {
  std::int32_t value;
  std::int32_t writer;                // access, or kNone for the initial value
  std::int32_t alike;                 // another cluster with the same value
  std::int32_t parent = kNone;        // the cluster that its writer replaced
  std::int32_t replaced_by = kNone;   // cluster
  std::int32_t first_reader = kNone;  // accesses, linked
  bool kept;
  std::int32_t keeper = kNone;  // the access that shows that an optional writer took effect
  bool walked = false;
};

struct Zone {
  std::int32_t f;
  std::int32_t g;
  std::int32_t ends_first;   // access
  std::int32_t starts_last;  // access
  std::int32_t root;         // cluster
  [[nodiscard]] bool forward() const { return f < g; }
};

class Register {
 public:
  Register(std::span<const Access> accesses, std::int32_t initial, std::int32_t gaps)
      : accesses_(accesses),
        slots_(Values{accesses, initial}, [](std::int32_t value) { return value; }),
        next_reader_(accesses.size(), kNone) {
    add_cluster(initial, kNone);
    for (std::size_t i = 0; i < accesses.size(); ++i)
      if (changes(accesses[i])) add_cluster(accesses[i].now, static_cast<std::int32_t>(i));
    if (!repeated_) return;
    latest_start_.assign(at(gaps) + 1, kNone);
    for (const Access& access : accesses)
      if (changes(access) && !access.optional)
        latest_start_[at(access.owns.last)] = std::max(latest_start_[at(access.owns.last)], access.owns.first);
    for (std::size_t gap = 1; gap < latest_start_.size(); ++gap)
      latest_start_[gap] = std::max(latest_start_[gap], latest_start_[gap - 1]);
  }

  Found decide() {
    if (auto found = never_written()) return *found;
    if (auto found = attach()) return found->status == Status::kViolation && guessed_ ? ambiguous() : *found;
    if (auto found = walk()) return guessed_ ? ambiguous() : *found;
    if (auto found = compare()) return guessed_ ? ambiguous() : *found;
    return ordered();
  }

 private:
  /// All values that are read or written, to assign slots to them.
  struct Values {
    std::span<const Access> accesses;
    std::int32_t initial;
    struct Iterator {
      const Values* values;
      std::size_t place;
      std::int32_t operator*() const {
        if (place == 0) return values->initial;
        const Access& access = values->accesses[(place - 1) / 2];
        const std::int32_t value = place % 2 == 1 ? access.old : access.now;
        return value == kNone ? values->initial : value;
      }
      Iterator& operator++() {
        ++place;
        return *this;
      }
      bool operator!=(const Iterator& other) const { return place != other.place; }
    };
    [[nodiscard]] Iterator begin() const { return {this, 0}; }
    [[nodiscard]] Iterator end() const { return {this, 2 * accesses.size() + 1}; }
  };

  static Found ambiguous() { return Found::excluded(Exclusion::kDuplicate); }

  void add_cluster(std::int32_t value, std::int32_t writer) {
    std::int32_t& slot = slots_[value];
    if (slot != kNone) repeated_ = true;
    const bool kept = writer == kNone || !accesses_[at(writer)].optional;
    clusters_.push_back({.value = value, .writer = writer, .alike = slot, .kept = kept});
    slot = static_cast<std::int32_t>(clusters_.size()) - 1;
  }

  [[nodiscard]] Interval written(const Cluster& cluster) const {
    return cluster.writer == kNone ? Interval{-1, -1} : accesses_[at(cluster.writer)].owns;
  }

  /// With repeated values, which write was read may be a guess, but that no operation writes a value is not: one read
  /// of it is a violation by itself. For values that do not repeat, `attach` reports the same, with all operations that
  /// observed the value.
  std::optional<Found> never_written() {
    if (!repeated_) return std::nullopt;
    for (const Access& access : accesses_)
      if (access.act == Act::kRead && slots_[access.old] == kNone)
        return Found::violation({Reason::kNeverAdded, {access.op}, {access.op}});
    return std::nullopt;
  }

  /// Adds every reader to the cluster it read, and keeps the optional writes that are read.
  std::optional<Found> attach() {
    std::vector<std::int32_t> to_do;
    for (std::size_t i = 0; i < accesses_.size(); ++i)
      if (observes(accesses_[i]) && !accesses_[i].optional) to_do.push_back(static_cast<std::int32_t>(i));
    for (std::size_t i = 0; i < clusters_.size(); ++i)
      if (clusters_[i].writer != kNone) cluster_of_writer(clusters_[i].writer) = static_cast<std::int32_t>(i);
    for (std::size_t done = 0; done < to_do.size(); ++done) {
      const Access& access = accesses_[at(to_do[done])];
      const std::int32_t found = source(access);
      if (found == kNone) return unwritten(access);
      Cluster& cluster = clusters_[at(found)];
      if (!cluster.kept) {
        cluster.kept = true;
        cluster.keeper = to_do[done];
        if (accesses_[at(cluster.writer)].act == Act::kReplace) to_do.push_back(cluster.writer);
      }
      if (access.act == Act::kRead) {
        next_reader_[at(to_do[done])] = cluster.first_reader;
        cluster.first_reader = to_do[done];
        continue;
      }
      const std::int32_t mine = cluster_of_writer(to_do[done]);
      if (cluster.replaced_by != kNone) {
        const Access& other = accesses_[at(clusters_[at(cluster.replaced_by)].writer)];
        return refuted(Reason::kReplacedTwice, {other.op, access.op}, {cluster.value, other.now, access.now});
      }
      cluster.replaced_by = mine;
      clusters_[at(mine)].parent = found;
    }
    return std::nullopt;
  }

  std::int32_t& cluster_of_writer(std::int32_t access) {
    if (cluster_of_writer_.empty()) cluster_of_writer_.resize(accesses_.size(), kNone);
    return cluster_of_writer_[at(access)];
  }

  /// The cluster that an access read: the only one with its value, or the only one that times allow.
  std::int32_t source(const Access& access) {
    const std::int32_t first = slots_[access.old];
    if (first == kNone || clusters_[at(first)].alike == kNone) return first;
    const std::int32_t overwritten = access.owns.first == 0 ? kNone : latest_start_[at(access.owns.first) - 1];
    std::int32_t found = kNone;
    for (std::int32_t each = first; each != kNone; each = clusters_[at(each)].alike) {
      const Interval written = this->written(clusters_[at(each)]);
      if (access.owns.precedes(written) || written.last < overwritten) continue;
      if (clusters_[at(each)].writer != kNone && &accesses_[at(clusters_[at(each)].writer)] == &access) continue;
      if (found != kNone) guessed_ = true;
      if (found == kNone || written.last < access.owns.first) found = each;  // prefers a write that had ended by then
    }
    return found;
  }

  [[nodiscard]] Found unwritten(const Access& access) {
    const std::int32_t first = slots_[access.old];
    if (first == kNone) return refuted(Reason::kNeverAdded, {access.op}, {access.old});
    std::vector<std::int32_t> evidence{access.op};
    std::vector<std::int32_t> values{access.old};
    bool called = false;
    for (std::int32_t each = first; each != kNone; each = clusters_[at(each)].alike)
      called = called || !access.owns.precedes(written(clusters_[at(each)]));
    if (!called) return refuted(Reason::kSeenBeforeAdded, evidence, values);
    for (const Access& other : accesses_)
      if (changes(other) && !other.optional && other.owns.precedes(access.owns) &&
          other.owns.first == latest_start_[at(access.owns.first) - 1]) {
        evidence.push_back(other.op);
        values.push_back(other.now);
        break;
      }
    return refuted(Reason::kOverwritten, evidence, values);
  }

  /// Walks every chain from its start, and computes its order and its zone.
  std::optional<Found> walk() {
    std::size_t walked = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < clusters_.size(); ++i) {
      if (!clusters_[i].kept) continue;
      ++kept;
      const std::int32_t writer = clusters_[i].writer;
      if (writer != kNone && accesses_[at(writer)].act == Act::kReplace) continue;
      if (auto found = walk_chain(static_cast<std::int32_t>(i), walked)) return found;
    }
    if (walked == kept) return std::nullopt;
    std::vector<std::int32_t> evidence;
    std::vector<std::int32_t> values;
    for (const Cluster& start : clusters_) {
      if (!start.kept || start.walked) continue;
      const Cluster* each = &start;  // a chain without a start ends in a cycle
      std::vector<bool> seen(clusters_.size());
      while (!seen[static_cast<std::size_t>(each - clusters_.data())]) {
        seen[static_cast<std::size_t>(each - clusters_.data())] = true;
        each = &clusters_[at(each->parent)];
      }
      const Cluster* const end = each;
      do {
        evidence.push_back(accesses_[at(each->writer)].op);
        values.push_back(each->value);
        each = &clusters_[at(each->parent)];
      } while (each != end);
      break;
    }
    return refuted(Reason::kReplacedInCircle, std::move(evidence), std::move(values));
  }

  std::optional<Found> walk_chain(std::int32_t root, std::size_t& walked) {
    Zone zone{std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min(), kNone, kNone, root};
    std::int32_t latest = kNone;  // access of the chain so far that starts last
    const auto starts = [&](std::int32_t access) { return access == kNone ? -1 : accesses_[at(access)].owns.first; };
    const auto note = [&](std::int32_t access, const Interval& owns) {
      if (owns.last < zone.f) {
        zone.f = owns.last;
        zone.ends_first = access;
      }
      if (owns.first > zone.g) {
        zone.g = owns.first;
        zone.starts_last = access;
      }
    };
    for (std::int32_t each = root; each != kNone; each = clusters_[at(each)].replaced_by) {
      Cluster& cluster = clusters_[at(each)];
      cluster.walked = true;
      ++walked;
      const Interval owns = written(cluster);
      if (owns.last < starts(latest))
        return refuted(Reason::kReplacedTooEarly, {accesses_[at(latest)].op, accesses_[at(cluster.writer)].op},
                       {cluster.value, touched(accesses_[at(latest)])});
      note(cluster.writer, owns);
      if (owns.first > starts(latest)) latest = cluster.writer;
      std::int32_t last_reader = latest;
      for (std::int32_t reader = cluster.first_reader; reader != kNone; reader = next_reader_[at(reader)]) {
        const Access& access = accesses_[at(reader)];
        if (access.owns.last < starts(latest)) {
          const bool own = latest == cluster.writer;
          return refuted(own ? Reason::kSeenBeforeAdded : Reason::kReplacedTooEarly,
                         {accesses_[at(latest)].op, access.op}, {cluster.value, touched(accesses_[at(latest)])});
        }
        note(reader, access.owns);
        if (access.owns.first > starts(last_reader)) last_reader = reader;
      }
      latest = last_reader;
    }
    zones_.push_back(zone);
    return std::nullopt;
  }

  static std::int32_t touched(const Access& access) { return access.act == Act::kRead ? access.old : access.now; }

  /// Compares the zones of chains, and assigns a gap to backward ones.
  std::optional<Found> compare() {
    std::vector<std::int32_t> forward;
    for (std::size_t i = 0; i < zones_.size(); ++i)
      if (zones_[i].forward()) forward.push_back(static_cast<std::int32_t>(i));
    std::sort(forward.begin(), forward.end(),
              [&](std::int32_t a, std::int32_t b) { return zones_[at(a)].f < zones_[at(b)].f; });
    for (std::size_t i = 1; i < forward.size(); ++i)
      if (zones_[at(forward[i])].f < zones_[at(forward[i - 1])].g)
        return conflict(Reason::kZonesOverlap, zones_[at(forward[i - 1])], zones_[at(forward[i])]);
    key_.resize(zones_.size());
    for (std::size_t i = 0; i < zones_.size(); ++i) {
      const Zone& zone = zones_[i];
      key_[i] = zone.forward() ? 2 * zone.f + 1 : 2 * zone.g;
      if (zone.forward()) continue;
      const auto after = std::lower_bound(forward.begin(), forward.end(), zone.g,
                                          [&](std::int32_t each, std::int32_t g) { return zones_[at(each)].f < g; });
      if (after == forward.begin()) continue;
      const Zone& around = zones_[at(*std::prev(after))];
      if (zone.g >= around.g) continue;
      if (zone.f < around.g) return conflict(Reason::kZoneInside, around, zone);
      key_[i] = 2 * around.g;
    }
    return std::nullopt;
  }

  [[nodiscard]] Found conflict(Reason reason, const Zone& a, const Zone& b) {
    std::vector<std::int32_t> evidence;
    std::vector<std::int32_t> values{clusters_[at(a.root)].value, clusters_[at(b.root)].value};
    for (const std::int32_t access : {a.ends_first, a.starts_last, b.ends_first, b.starts_last}) {
      if (access == kNone) continue;
      evidence.push_back(accesses_[at(access)].op);
      values.push_back(touched(accesses_[at(access)]));
    }
    return refuted(reason, std::move(evidence), std::move(values));
  }

  [[nodiscard]] Found ordered() {
    std::vector<std::int32_t> by_key(zones_.size());
    for (std::size_t i = 0; i < by_key.size(); ++i) by_key[i] = static_cast<std::int32_t>(i);
    std::sort(by_key.begin(), by_key.end(), [&](std::int32_t a, std::int32_t b) { return key_[at(a)] < key_[at(b)]; });
    std::vector<std::int32_t> accesses;
    std::vector<std::int32_t> values;
    std::vector<std::int32_t> readers;
    for (const std::int32_t zone : by_key)
      for (std::int32_t each = zones_[at(zone)].root; each != kNone; each = clusters_[at(each)].replaced_by) {
        const Cluster& cluster = clusters_[at(each)];
        if (cluster.writer != kNone) accesses.push_back(cluster.writer);
        readers.clear();
        for (std::int32_t reader = cluster.first_reader; reader != kNone; reader = next_reader_[at(reader)])
          readers.push_back(reader);
        std::sort(readers.begin(), readers.end(), [&](std::int32_t a, std::int32_t b) {
          return accesses_[at(a)].owns.first < accesses_[at(b)].owns.first;
        });
        accesses.insert(accesses.end(), readers.begin(), readers.end());
        values.resize(accesses.size(), cluster.value);
      }
    std::vector<Access> differing;
    for (const Access& access : accesses_)
      if (access.act == Act::kDiffers) differing.push_back(access);
    std::vector<std::int32_t> order;
    std::vector<Interval> owns;
    for (const std::int32_t access : accesses) {
      order.push_back(accesses_[at(access)].op);
      if (!differing.empty()) owns.push_back(accesses_[at(access)].owns);
    }
    if (!differing.empty() && !insert_differing(differing, owns, clusters_[0].value, values, order))
      return Found::excluded(Exclusion::kFailedCompare);
    return Found::linearizable(std::move(order));
  }

  /// A refutation by some values, together with the values that they replaced, without which it does not hold.
  [[nodiscard]] Found refuted(Reason reason, std::vector<std::int32_t> evidence, std::vector<std::int32_t> values) {
    std::sort(evidence.begin(), evidence.end());
    evidence.erase(std::unique(evidence.begin(), evidence.end()), evidence.end());
    for (const Access& access : accesses_)
      if (std::binary_search(evidence.begin(), evidence.end(), access.op)) values.push_back(touched(access));
    std::vector<bool> in(clusters_.size());
    std::vector<std::int32_t> wanted;
    for (std::size_t done = 0; done < values.size(); ++done) {
      for (std::int32_t each = slots_[values[done]]; each != kNone; each = clusters_[at(each)].alike) {
        if (in[at(each)]) break;
        in[at(each)] = true;
        const std::int32_t writer = clusters_[at(each)].writer;
        if (writer != kNone && accesses_[at(writer)].act == Act::kReplace) values.push_back(accesses_[at(writer)].old);
        const std::int32_t keeper = clusters_[at(each)].keeper;
        if (keeper != kNone) values.push_back(touched(accesses_[at(keeper)]));
      }
      wanted.push_back(values[done]);
    }
    std::sort(wanted.begin(), wanted.end());
    // Which of several equal values was meant depends on all writes.
    const auto has = [&](std::int32_t value) {
      return repeated_ || std::binary_search(wanted.begin(), wanted.end(), value);
    };
    std::vector<std::int32_t> scope;
    for (const Access& access : accesses_)
      if (access.act != Act::kDiffers && (access.act == Act::kRead ? has(access.old) : has(access.now)))
        scope.push_back(access.op);
    return Found::violation({reason, std::move(evidence), std::move(scope)});
  }

  std::span<const Access> accesses_;
  Slots slots_;  // of each value, the last of its clusters
  std::vector<Cluster> clusters_;
  std::vector<std::int32_t> next_reader_;
  std::vector<std::int32_t> cluster_of_writer_;
  std::vector<std::int32_t> latest_start_;  // of the certain writes that end by a gap; only with repeated values
  std::vector<Zone> zones_;
  std::vector<std::int32_t> key_;
  bool repeated_ = false;
  bool guessed_ = false;
};

}  // namespace

Found decide_register(std::span<const Access> accesses, std::int32_t initial, std::int32_t gaps) {
  return Register(accesses, initial, gaps).decide();
}

}  // namespace linpoint::monitors
