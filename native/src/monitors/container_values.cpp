// SPDX-License-Identifier: Apache-2.0
#include "monitors/container_values.hpp"

#include <algorithm>
#include <map>

#include "monitors/value_slots.hpp"

namespace linpoint::monitors {

using histories::kNone;

std::optional<Found> Contents::read(std::span<const Handling> handlings, std::span<const Observation> empties,
                                    std::int32_t gaps) {
  handlings_ = handlings;
  empties_.assign(empties.begin(), empties.end());
  gaps_ = gaps;
  group();
  values_.reserve(groups_.size());
  for (const Group& group : groups_)
    if (auto found = settle(group)) return found;
  return std::nullopt;
}

void Contents::group() {
  Slots slots(handlings_, [](const Handling& each) { return each.value; });
  next_.assign(handlings_.size(), kNone);
  for (std::size_t i = 0; i < handlings_.size(); ++i) {
    const Handling& each = handlings_[i];
    std::int32_t& slot = slots[each.value];
    if (slot == kNone) {
      slot = static_cast<std::int32_t>(groups_.size());
      groups_.push_back({each.value});
    }
    Group& group = groups_[at(slot)];
    (group.first == kNone ? group.first : next_[at(group.last)]) = static_cast<std::int32_t>(i);
    group.last = static_cast<std::int32_t>(i);
    if (each.role == Role::kAdd) ++group.adds;
    if (each.role == Role::kRemove) ++group.removals;
  }
}

std::optional<Found> Contents::settle(const Group& group) {
  if (group.adds > 1) return match(group);
  if (group.adds == 0) {
    const std::int32_t op = handlings_[at(group.first)].op;
    return refuted_group(Reason::kNeverAdded, {op}, group.value);
  }
  std::vector<std::int32_t> observers;
  Value value{group.value, kNone, kNone, {}, {gaps_, gaps_}, 0, 0};
  bool optional = false;
  for (std::int32_t i = group.first; i != kNone; i = next_[at(i)]) {
    const Handling& each = handlings_[at(i)];
    if (each.role == Role::kAdd) {
      value.add = each.op;
      value.added = each.owns;
      optional = each.optional;
    } else if (each.role == Role::kObserve) {
      observers.push_back(i);
    } else if (value.removal == kNone) {
      value.removal = each.op;
      value.removed = each.owns;
    } else {
      return refuted_group(Reason::kRemovedTwice, {value.add, value.removal, each.op}, group.value);
    }
  }
  // No operation observed it, so whether it was ever added is irrelevant.
  if (optional && value.removal == kNone && observers.empty()) return std::nullopt;
  return finish(value, observers);
}

/// Matches duplicates: the removal that returned first has the fewest adds to choose from. If in that order each has
/// exactly one left, the matching is unique.
std::optional<Found> Contents::match(const Group& group) {
  Duplicates equal;
  for (std::int32_t i = group.first; i != kNone; i = next_[at(i)]) {
    const Role role = handlings_[at(i)].role;
    if (role == Role::kAdd) equal.adds.push_back(i);
    if (role == Role::kRemove) equal.removals.push_back(i);
    if (role == Role::kObserve) equal.observers.push_back(i);
  }
  std::sort(equal.adds.begin(), equal.adds.end(), [&](std::int32_t a, std::int32_t b) {
    return owns(a).first != owns(b).first ? owns(a).first < owns(b).first : a < b;
  });
  std::sort(equal.removals.begin(), equal.removals.end(), [&](std::int32_t a, std::int32_t b) {
    return owns(a).last != owns(b).last ? owns(a).last < owns(b).last : a < b;
  });
  if (auto found = match_removals(equal, group.value)) return found;
  if (auto found = match_observers(equal, group.value)) return found;
  for (std::size_t i = 0; i < equal.adds.size(); ++i) {
    const Handling& add = handlings_[at(equal.adds[i])];
    const std::int32_t removal = equal.removal_of[i];
    if (add.optional && removal == kNone && equal.observers_of[i].empty()) continue;
    Value value{group.value, add.op, kNone, add.owns, {gaps_, gaps_}, 0, 0};
    if (removal != kNone) {
      value.removal = handlings_[at(removal)].op;
      value.removed = owns(removal);
    }
    if (auto found = finish(value, equal.observers_of[i])) return found;
  }
  return std::nullopt;
}

std::optional<Found> Contents::match_removals(Duplicates& equal, std::int32_t number) {
  equal.removal_of.assign(equal.adds.size(), kNone);
  std::size_t called = 0;
  std::multimap<std::int32_t, std::size_t> open;  // adds by the end of their calls
  for (std::size_t i = 0; i < equal.removals.size(); ++i) {
    const std::int32_t removal = equal.removals[i];
    for (; called < equal.adds.size() && owns(equal.adds[called]).first <= owns(removal).last; ++called)
      open.emplace(owns(equal.adds[called]).last, called);
    if (open.empty()) {
      std::vector<std::int32_t> evidence;
      for (std::size_t each = 0; each <= i; ++each) evidence.push_back(handlings_[at(equal.removals[each])].op);
      return refuted_group(Reason::kRemovedTwice, std::move(evidence), number);
    }
    if (open.size() > 1) guessed_ = true;
    equal.removal_of[open.begin()->second] = removal;
    open.erase(open.begin());
  }
  return std::nullopt;
}

std::optional<Found> Contents::match_observers(Duplicates& equal, std::int32_t number) {
  equal.observers_of.resize(equal.adds.size());
  for (const std::int32_t observer : equal.observers) {
    std::vector<std::size_t> possible;
    for (std::size_t i = 0; i < equal.adds.size() && owns(equal.adds[i]).first <= owns(observer).last; ++i) {
      const std::int32_t removal = equal.removal_of[i];
      if (removal == kNone || !owns(removal).precedes(owns(observer))) possible.push_back(i);
    }
    if (possible.empty()) {
      const bool early = owns(observer).precedes(owns(equal.adds.front()));
      const Reason reason = early ? Reason::kSeenBeforeAdded : Reason::kSeenAfterRemoved;
      return refuted_group(reason, {handlings_[at(observer)].op}, number);
    }
    if (possible.size() > 1) guessed_ = true;
    equal.observers_of[possible.front()].push_back(observer);
  }
  return std::nullopt;
}

std::optional<Found> Contents::finish(Value value, std::span<const std::int32_t> observers) {
  if (value.removed.precedes(value.added))
    return refuted_group(Reason::kSeenBeforeAdded, {value.removal, value.add}, value.number);
  value.first_observation = static_cast<std::int32_t>(observations_.size());
  value.observations = static_cast<std::int32_t>(observers.size());
  const Interval added = value.added;
  value.added.last = std::min(added.last, value.removed.last);
  value.removed.first = std::max(value.removed.first, added.first);
  for (const std::int32_t i : observers) {
    const Handling& each = handlings_[at(i)];
    if (each.owns.precedes(added)) return refuted_group(Reason::kSeenBeforeAdded, {each.op, value.add}, value.number);
    if (value.removed.precedes(each.owns))
      return refuted_group(Reason::kSeenAfterRemoved, {value.removal, each.op}, value.number);
    if (each.owns.last < value.added.last) {
      value.added.last = each.owns.last;
      value.seen_first = each.op;
    }
    if (each.owns.first > value.removed.first) {
      value.removed.first = each.owns.first;
      value.seen_last = each.op;
    }
    observations_.push_back(
        {each.op, {std::max(each.owns.first, added.first), std::min(each.owns.last, value.removed.last)}});
  }
  values_.push_back(value);
  return std::nullopt;
}

Found Contents::refuted_group(Reason reason, std::vector<std::int32_t> evidence, std::int32_t number) const {
  std::vector<std::int32_t> scope;
  for (const Group& group : groups_)
    if (group.value == number)
      for (std::int32_t i = group.first; i != kNone; i = next_[at(i)]) scope.push_back(handlings_[at(i)].op);
  std::erase(scope, kNone);
  std::erase(evidence, kNone);
  return Found::violation({reason, std::move(evidence), std::move(scope)});
}

Found Contents::refuted(Reason reason, std::vector<std::int32_t> evidence, std::span<const std::int32_t> values,
                        std::span<const std::int32_t> empties) const {
  std::vector<std::int32_t> numbers;
  for (const std::int32_t value : values) numbers.push_back(values_[at(value)].number);
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::int32_t> scope(empties.begin(), empties.end());
  for (const Group& group : groups_)
    if (std::binary_search(numbers.begin(), numbers.end(), group.value))
      for (std::int32_t i = group.first; i != kNone; i = next_[at(i)]) scope.push_back(handlings_[at(i)].op);
  std::erase(scope, kNone);
  std::erase(evidence, kNone);
  return Found::violation({reason, std::move(evidence), std::move(scope)});
}

std::vector<std::int32_t> Contents::next_free() const {
  std::vector<std::int32_t> inside(at(gaps_) + 1);
  for (const Value& value : values_) {
    const Interval stay = value.inside();
    if (stay.first > stay.last) continue;
    ++inside[at(stay.first)];
    --inside[at(stay.last) + 1];
  }
  for (std::size_t gap = 1; gap < inside.size(); ++gap) inside[gap] += inside[gap - 1];
  std::vector<std::int32_t> next(at(gaps_) + 1, gaps_);
  for (std::int32_t gap = gaps_ - 1; gap >= 0; --gap) next[at(gap)] = inside[at(gap)] == 0 ? gap : next[at(gap) + 1];
  return next;
}

std::vector<std::int32_t> Contents::cover(const Interval& owns, std::span<const std::int32_t> candidates) const {
  std::vector<std::int32_t> by_start(candidates.begin(), candidates.end());
  std::sort(by_start.begin(), by_start.end(), [&](std::int32_t a, std::int32_t b) {
    return values_[at(a)].inside().first < values_[at(b)].inside().first;
  });
  std::vector<std::int32_t> chosen;
  std::size_t i = 0;
  std::int32_t best = kNone;
  for (std::int32_t gap = owns.first; gap <= owns.last;) {
    for (; i < by_start.size() && values_[at(by_start[i])].inside().first <= gap; ++i)
      if (best == kNone || values_[at(by_start[i])].inside().last > values_[at(best)].inside().last) best = by_start[i];
    if (best == kNone || values_[at(best)].inside().last < gap) return {};
    chosen.push_back(best);
    gap = values_[at(best)].inside().last + 1;
  }
  return chosen;
}

void Contents::tell(std::int32_t value, std::vector<std::int32_t>& evidence) const {
  const Value& moved = values_[at(value)];
  for (const std::int32_t op : {moved.add, moved.removal, moved.seen_first})
    if (op != kNone) evidence.push_back(op);
  if (moved.seen_last != kNone && moved.seen_last != moved.seen_first) evidence.push_back(moved.seen_last);
}

std::vector<std::int32_t> Contents::extremes(std::int32_t value) const {
  const auto seen = observations(values_[at(value)]);
  if (seen.empty()) return {};
  const auto first = std::min_element(
      seen.begin(), seen.end(), [](const Observation& a, const Observation& b) { return a.owns.last < b.owns.last; });
  const auto last = std::max_element(
      seen.begin(), seen.end(), [](const Observation& a, const Observation& b) { return a.owns.first < b.owns.first; });
  return {first->op, last->op};
}

Found Contents::not_empty(const Observation& empty) const {
  std::vector<std::int32_t> all(values_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
  const std::vector<std::int32_t> covering = cover(empty.owns, all);
  std::vector<std::int32_t> evidence{empty.op};
  for (const std::int32_t value : covering) tell(value, evidence);
  return refuted(Reason::kEmptyWhileInside, std::move(evidence), covering, {{empty.op}});
}

}  // namespace linpoint::monitors
