// SPDX-License-Identifier: Apache-2.0
#include "linpoint/persistency/crash_states.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace linpoint::persistency {

namespace {

bool by_channel(const Kept& a, const Kept& b) { return a.channel < b.channel; }

void raise(CrashState& state, Kept kept) {
  const auto found = std::lower_bound(state.kept.begin(), state.kept.end(), kept, by_channel);
  if (found != state.kept.end() && found->channel == kept.channel) {
    found->prefix = std::max(found->prefix, kept.prefix);
  } else {
    state.kept.insert(found, kept);
  }
}

/// A store that must be in the image but is not, although a later store to some of its bytes is.
std::optional<Kept> missing(const Persistence& now, const CrashState& state) {
  std::optional<Kept> found;
  now.for_each_line([&](std::uint64_t line) {
    const std::span<const Waiting> stores = now.waiting_in(line);
    for (std::size_t at = 0; at < stores.size() && !found; ++at) {
      if (!stores[at].bound || !has(now, state, stores[at].index, stores[at].address)) continue;
      for (const Waiting& earlier : stores.first(at)) {
        if (!overlap(earlier, stores[at])) continue;
        if (!has(now, state, earlier.index, earlier.address)) found = now.place_of(earlier.index, earlier.address);
      }
    }
  });
  return found;
}

std::uint64_t bytes_in_line(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t bytes = size >= kLineSize ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
  return bytes << (address - line_of(address));
}

}  // namespace

CrashState least(const Persistence& now) { return {now.position(), false, {}}; }

CrashState most(const Persistence& now) { return {now.position(), true, {}}; }

CrashState incompletely_durable(const Persistence& now, std::uint32_t store, std::uint64_t address) {
  CrashState state = least(now);
  if (const std::optional<Kept> place = now.place_of(store, address)) keep(now, state, *place);
  return state;
}

void keep(const Persistence& now, CrashState& state, Kept kept) {
  if (state.most || kept.prefix == 0) return;
  raise(state, kept);
  if (!now.bound()) return;
  while (const std::optional<Kept> needed = missing(now, state)) raise(state, *needed);
}

std::uint32_t prefix_of(const Persistence& now, const CrashState& state, Channel channel) {
  if (state.most) return now.count(channel);
  const auto found = std::lower_bound(state.kept.begin(), state.kept.end(), Kept{channel, 0}, by_channel);
  return found != state.kept.end() && found->channel == channel ? found->prefix : 0;
}

bool has(const Persistence& now, const CrashState& state, std::uint32_t store, std::uint64_t address) {
  if (store >= state.position) return false;
  if (state.most) return true;
  const std::optional<Kept> place = now.place_of(store, address);
  return !place || place->prefix <= prefix_of(now, state, place->channel);
}

bool feasible(const Persistence& now, const CrashState& state) {
  if (state.position != now.position()) return false;
  if (state.most) return state.kept.empty();
  for (const Kept& kept : state.kept)
    if (kept.prefix > now.count(kept.channel)) return false;
  return !now.bound() || !missing(now, state);
}

CrashState listed(const Persistence& now, const CrashState& state) {
  if (!state.most) return state;
  CrashState whole = least(now);
  now.for_each_channel([&](Channel channel, std::uint32_t count) { whole.kept.push_back({channel, count}); });
  std::sort(whole.kept.begin(), whole.kept.end(), by_channel);
  return whole;
}

double count_new(const Persistence& now, std::uint32_t store, std::uint64_t address) {
  const auto own = now.place_of(store, address);
  if (!own) return 1;  // certain immediately
  double count = 1;
  now.for_each_channel([&](Channel channel, std::uint32_t stores) {
    if (channel != own->channel) count *= double{1} + stores;
  });
  return count;
}

void collect_writes(const Persistence& now, std::span<const Event> trace, const CrashState& state,
                    std::vector<Write>& into) {
  into.clear();
  if (state.most) {
    collect_writes(now, trace, listed(now, state), into);
    return;
  }
  const auto add = [&](std::uint32_t index) {
    const Event& event = trace[index];
    into.push_back({event.address, event.size, event.value.data(), index});
  };
  std::vector<std::uint32_t> buffered;
  for (const Kept& kept : state.kept) {
    if (is_buffer(kept.channel)) {
      now.collect(kept.channel, buffered);
      for (std::size_t at = 0; at < kept.prefix && at < buffered.size(); ++at) add(buffered[at]);
      continue;
    }
    const std::span<const Waiting> stores = now.waiting_in(line_of_channel(kept.channel));
    std::size_t end = 0;
    for (std::uint32_t found = 0; end < stores.size() && found < kept.prefix; ++end)
      found += now.channel_of(stores[end]) == kept.channel ? 1 : 0;
    // Stores that later stores of the channel overwrite need not be written: counters that are never flushed accumulate
    // thousands of waiting stores in a line.
    std::uint64_t written = 0;
    for (std::size_t at = end; at > 0 && ~written != 0; --at) {
      const Waiting& store = stores[at - 1];
      if (now.channel_of(store) != kept.channel) continue;
      const std::uint64_t bytes = bytes_in_line(store.address, store.size);
      if ((bytes & ~written) != 0) add(store.index);
      written |= bytes;
    }
  }
  std::sort(into.begin(), into.end(), [](const Write& a, const Write& b) { return a.event < b.event; });
}

Exhaustive::Exhaustive(const Persistence& now) : now_(now) {
  now.for_each_channel([&](Channel channel, std::uint32_t count) { digits_.push_back({channel, {}, count, 0}); });
  sort();
}

Exhaustive::Exhaustive(const Persistence& now, std::span<const std::uint64_t> lines) : now_(now) {
  std::vector<std::uint64_t> chosen;
  chosen.reserve(lines.size());
  for (const std::uint64_t line : lines) chosen.push_back(line_of(line));
  std::sort(chosen.begin(), chosen.end());
  const auto is_chosen = [&](std::uint64_t line) { return std::binary_search(chosen.begin(), chosen.end(), line); };
  std::vector<std::uint64_t> touched;
  now.for_each_channel([&](Channel channel, std::uint32_t count) {
    const bool needed = now.bound() && now.mode() == Mode::kEadr;  // possibly, by stores to chosen lines in a buffer
    if (needed || !is_buffer(channel)) {
      if (needed || is_chosen(line_of_channel(channel))) digits_.push_back({channel, {}, count, 0});
    } else {
      Digit digit{channel, {0}, 0, 0};
      now.collect_lines(channel, touched);
      for (std::uint32_t at = 0; at < count; ++at)
        if (is_chosen(touched[at])) digit.prefixes.push_back(at + 1);
      if (digit.prefixes.size() > 1) digits_.push_back(digit);
    }
  });
  sort();
}

void Exhaustive::sort() {
  std::sort(digits_.begin(), digits_.end(), [](const Digit& a, const Digit& b) { return a.channel < b.channel; });
}

std::uint64_t Exhaustive::Digit::values() const {
  return prefixes.empty() ? std::uint64_t{most} + 1 : std::uint64_t{prefixes.size()};
}

std::uint64_t Exhaustive::count() const {
  std::uint64_t product = 1;
  for (const Digit& digit : digits_) {
    if (product > std::numeric_limits<std::uint64_t>::max() / digit.values())
      return std::numeric_limits<std::uint64_t>::max();
    product *= digit.values();
  }
  return product;
}

bool Exhaustive::next(CrashState& state) {
  while (step()) {
    show(state);
    if (!now_.bound() || feasible(now_, state)) return true;
  }
  return false;
}

bool Exhaustive::step() {
  if (ended_) return false;
  if (!begun_) {
    begun_ = true;
    return true;
  }
  for (Digit& digit : digits_) {
    if (++digit.at < digit.values()) return true;
    digit.at = 0;
  }
  ended_ = true;
  return false;
}

void Exhaustive::show(CrashState& state) const {
  state.position = now_.position();
  state.most = false;
  state.kept.clear();
  for (const Digit& digit : digits_)
    if (digit.prefix() > 0) state.kept.push_back({digit.channel, digit.prefix()});
}

}  // namespace linpoint::persistency
