// SPDX-License-Identifier: Apache-2.0
#include "host/crash/root_causes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

namespace linpoint::runtime::crash {

namespace {

using persistency::Channel;
using persistency::Kept;

/// After this number of failures, the stores of a group count as persistent, so that other causes become visible.
constexpr std::uint64_t kHealed = 4;

/// All channels that the state could keep further: those of the operation itself, then those of others, the latest
/// operation first. Within an operation the earliest store comes first, since recovery can often derive the effect of
/// later ones from it. For a dequeue that marks a node and then moves the head past it, that is the mark, although a
/// durable head would hide the mistake.
std::vector<Kept> further(const Walk& walk, const Failure& failure) {
  struct Further {
    std::uint32_t operation = 0;
    std::uint32_t first = 0;
    Kept kept;
  };
  std::vector<Further> found;
  std::map<std::uint32_t, std::uint32_t> last;  // store of each operation
  std::vector<std::uint32_t> stores;
  walk.now().for_each_channel([&](Channel channel, std::uint32_t count) {
    const std::uint32_t prefix = persistency::prefix_of(walk.now(), failure.state, channel);
    if (prefix >= count) return;
    stores.clear();
    walk.now().collect(channel, stores);
    const auto missing = std::span(stores).subspan(prefix);
    const auto first_of = [&](std::uint32_t operation) {
      return std::ranges::find(missing, operation, [&](std::uint32_t each) { return walk.trace()[each].operation; });
    };
    const std::uint32_t latest = walk.trace()[missing.back()].operation;
    const std::uint32_t whose = first_of(failure.operation) == missing.end() ? latest : failure.operation;
    found.push_back({whose, *first_of(whose), {channel, count}});
    last[whose] = std::max(last[whose], missing.back());
  });
  const auto rank = [&](const Further& each) {
    const bool others = each.operation != failure.operation;
    return std::tuple(others, others ? kNoEvent - last[each.operation] : 0, each.first);
  };
  std::ranges::sort(found, {}, rank);
  std::vector<Kept> all;
  all.reserve(found.size());
  for (const Further& each : found) all.push_back(each.kept);
  return all;
}

/// Calls `each(store, kept)` for the stores that the state has lost; `kept` is the prefix that would keep the store.
template <typename Each>
void for_each_missing(const Walk& walk, const Failure& failure, Each&& each) {
  walk.now().for_each_line([&](std::uint64_t line) {
    for (const persistency::Waiting& store : walk.now().waiting_in(line)) {
      if (persistency::has(walk.now(), failure.state, store.index, store.address)) continue;
      if (const auto kept = walk.now().place_of(store.index, store.address)) each(store.index, *kept);
    }
  });
}

std::uint32_t store_at(const Walk& walk, const Kept& kept) {
  std::vector<std::uint32_t> stores;
  walk.now().collect(kept.channel, stores);
  return kept.prefix == 0 || kept.prefix > stores.size() ? kNoEvent : stores[kept.prefix - 1];
}

/// The first store after a lost one that the state has kept.
std::uint32_t kept_after(const Walk& walk, const CrashState& state, std::uint32_t root) {
  std::uint32_t first = kNoEvent;
  std::vector<std::uint32_t> stores;
  for (const Kept& kept : persistency::listed(walk.now(), state).kept) {
    stores.clear();
    walk.now().collect(kept.channel, stores);
    for (std::uint32_t at = 0; at < kept.prefix; ++at)
      if (stores[at] > root) first = std::min(first, stores[at]);
  }
  return first;
}

}  // namespace

Group* Causes::find_group(Family family, std::uint64_t code) {
  const auto found =
      std::ranges::find_if(groups_, [=](const Group& group) { return group.family == family && group.code == code; });
  return found == groups_.end() ? nullptr : &*found;
}

void Causes::count(const Walk& walk, Group& group, const Failure& failure, std::uint32_t root) {
  ++group.count;
  // With everything that came before: that is the state of a crash before the next store.
  const bool found_early = group.family == Family::kUnrecovered && failure.kind == Class::kDl1;
  group.classes[static_cast<std::size_t>(found_early ? Class::kDl2 : failure.kind)] = true;
  // A returned operation is lost, although this was found in a different test.
  if (group.family == Family::kLost && !failure.overlap && root != kNoEvent &&
      walk.trace()[root].operation != failure.operation)
    group.classes[static_cast<std::size_t>(Class::kC2)] = true;
  if (group.family == Family::kLost && group.count == kHealed)
    healed_.insert(healed_.end(), group.codes.begin(), group.codes.end());
}

bool Causes::repairs(Walk& walk, const Failure& failure, const std::vector<Kept>& more) {
  CrashState state = failure.state;
  if (state.most) state = persistency::listed(walk.now(), state);
  for (const Kept& each : more) persistency::keep(walk.now(), state, each);
  return tester_.passes_again(walk, failure.kind, failure.context, state);
}

/// Whether the stores of a group are missing here, and are the cause.
bool Causes::is_of(Walk& walk, const Failure& failure, Group& group) {
  std::vector<Kept> missing;
  std::uint32_t last_missing = kNoEvent;
  for_each_missing(walk, failure, [&](std::uint32_t store, const Kept& kept) {
    if (std::ranges::find(group.codes, walk.trace()[store].code) == group.codes.end()) return;
    missing.push_back(kept);
    const bool own = walk.trace()[store].operation == failure.operation;
    if (own || last_missing == kNoEvent) last_missing = store;
  });
  if (missing.empty() || !repairs(walk, failure, missing)) return false;
  count(walk, group, failure, last_missing);
  return true;
}

/// Whether a known cause also causes this failure.
bool Causes::is_known(Walk& walk, const Failure& failure) {
  if (failure.lock || failure.culprit != kNoEvent) {
    if (failure.culprit == kNoEvent) return false;
    const Family family = failure.lock ? Family::kLock : Family::kUnrecovered;
    Group* group = find_group(family, walk.trace()[failure.culprit].code);
    if (group != nullptr) count(walk, *group, failure);
    return group != nullptr;
  }
  for (Group& group : groups_)
    if (group.family == Family::kLost && is_of(walk, failure, group)) return true;
  if (failure.suspect == kNoEvent) return false;
  Group* group = find_group(Family::kUnrecovered, walk.trace()[failure.suspect].code);
  if (group == nullptr || repairs(walk, failure, further(walk, failure))) return false;
  count(walk, *group, failure);
  return true;
}

/// The candidates that are required in addition to the background; the test passes with all of them.
std::vector<Kept> Causes::needed(Walk& walk, const Failure& failure, const std::vector<Kept>& background, bool changed,
                                 const std::vector<Kept>& candidates) {
  if (changed && repairs(walk, failure, background)) return {};
  if (candidates.size() == 1) return candidates;
  const auto middle = candidates.begin() + static_cast<std::ptrdiff_t>(candidates.size() / 2);
  const std::vector<Kept> preferred(candidates.begin(), middle);
  const std::vector<Kept> others(middle, candidates.end());
  std::vector<Kept> with = background;
  with.insert(with.end(), preferred.begin(), preferred.end());
  const std::vector<Kept> of_others = needed(walk, failure, with, true, others);
  with = background;
  with.insert(with.end(), of_others.begin(), of_others.end());
  std::vector<Kept> all = needed(walk, failure, with, !of_others.empty(), preferred);
  all.insert(all.end(), of_others.begin(), of_others.end());
  return all;
}

/// A store before the root in its operation that would also repair the failure, if all stores of its code were durable,
/// which is what the fix makes of them. After several dequeues whose marks are lost, one durable head hides all of
/// them, while no single mark does; yet it is the marks that must be flushed.
std::uint32_t Causes::find_earlier(Walk& walk, const Failure& failure, std::uint32_t root) {
  constexpr std::size_t kMost = 16;
  const Event& blamed = walk.trace()[root];
  std::map<std::uint32_t, std::uint64_t> before;  // stores of the same operation, with their code
  std::map<std::uint64_t, std::vector<Kept>> missing;
  for_each_missing(walk, failure, [&](std::uint32_t store, const Kept& kept) {
    const Event& event = walk.trace()[store];
    missing[event.code].push_back(kept);
    if (event.operation == blamed.operation && store < root && event.code != blamed.code) before[store] = event.code;
  });
  std::set<std::uint64_t> tried;
  for (const auto& [store, code] : before) {
    if (!tried.insert(code).second) continue;
    if (tried.size() > kMost) break;
    if (repairs(walk, failure, missing[code])) return store;
  }
  return root;
}

Cause Causes::find_lost(Walk& walk, const Failure& failure, std::vector<Kept> candidates) {
  // Among very many candidates, as when nothing is ever flushed, the first ones mostly suffice.
  constexpr std::size_t kMany = 64;
  while (candidates.size() > kMany) {
    std::vector<Kept> fewer(candidates.begin(),
                            candidates.begin() + static_cast<std::ptrdiff_t>(candidates.size() / 2));
    if (!repairs(walk, failure, fewer)) break;
    candidates = std::move(fewer);
  }
  std::vector<Kept> lines = needed(walk, failure, {}, false, candidates);
  // In each line, the first store that suffices.
  for (Kept& line : lines) {
    std::uint32_t low = persistency::prefix_of(walk.now(), failure.state, line.channel) + 1;
    std::uint32_t high = line.prefix;
    while (low < high) {
      line.prefix = low + (high - low) / 2;
      if (repairs(walk, failure, lines))
        high = line.prefix;
      else
        low = line.prefix + 1;
    }
    line.prefix = high;
  }
  Cause cause;
  cause.proven = repairs(walk, failure, lines);
  for (const Kept& line : lines) cause.also.push_back(store_at(walk, line));
  std::ranges::sort(cause.also);
  cause.root = cause.also.front();
  cause.also.erase(cause.also.begin());
  if (cause.proven && cause.also.empty()) cause.root = find_earlier(walk, failure, cause.root);
  cause.before = kept_after(walk, failure.state, cause.root);
  return cause;
}

Cause Causes::find(Walk& walk, const Failure& failure) {
  Cause cause;
  if (failure.lock) {
    cause.family = Family::kLock;
    cause.root = failure.culprit;
    return cause;
  }
  if (failure.culprit == kNoEvent) {
    std::vector<Kept> candidates = further(walk, failure);
    if (!candidates.empty() && repairs(walk, failure, candidates)) return find_lost(walk, failure, candidates);
  }
  cause.family = Family::kUnrecovered;
  cause.root = failure.culprit != kNoEvent ? failure.culprit : failure.suspect;
  cause.proven = cause.root != kNoEvent;
  return cause;
}

std::optional<Cause> Causes::add(Walk& walk, const Failure& failure) {
  if (is_known(walk, failure)) return std::nullopt;
  if (!tester_.fails_elsewhere(walk, failure.kind, failure.context, failure.state, failure.more)) {
    if (unconfirmed_++ == 0) qualify("a crash test failed, but passed in a fresh process: it is not counted");
    return std::nullopt;
  }
  Cause cause = find(walk, failure);
  const std::uint32_t blamed = cause.root != kNoEvent ? cause.root : failure.sync;
  const std::uint64_t code = blamed == kNoEvent ? 0 : walk.trace()[blamed].code;
  Group* known = find_group(cause.family, code);
  if (known != nullptr) {
    count(walk, *known, failure, cause.root);
    return std::nullopt;
  }
  Group& group = groups_.emplace_back();
  group.family = cause.family;
  group.code = code;
  group.codes = {code};
  for (const std::uint32_t store : cause.also) group.codes.push_back(walk.trace()[store].code);
  count(walk, group, failure, cause.root);
  return cause;
}

}  // namespace linpoint::runtime::crash
