// SPDX-License-Identifier: Apache-2.0
#include "host/crash/trace_walk.hpp"

#include <algorithm>

namespace linpoint::runtime::crash {

using persistency::Channel;
using persistency::Kept;
using persistency::Kind;

void Walk::begin(std::span<const Event> trace, std::uint32_t first, std::uint64_t cursor,
                 const persistency::LockWords& locks, Images& images) {
  trace_.assign(trace.begin(), trace.end());
  lock_.assign(trace.size(), false);
  images_ = &images;
  first_ = first;
  cursor_at_first_ = cursor;
  healed_.clear();
  healed_at_first_ = 0;
  for (std::size_t at = first; at < trace_.size(); ++at) {
    Event& event = trace_[at];
    if (!persistency::is_store(event.kind)) continue;
    images.reach(event.address + event.size);
    if (!locks.covers(event)) continue;
    lock_[at] = true;
    // It still orders earlier flushes.
    event.kind = persistency::is_update(event.kind) ? Kind::kFence : Kind::kCompare;
  }
  restart();
}

void Walk::restart() {
  now_.restart();
  bare_.restart();
  images_->restart();
  position_ = first_;
  cursor_ = cursor_at_first_;
}

bool Walk::healed(std::uint64_t code) const { return std::ranges::find(healed_, code) != healed_.end(); }

void Walk::settle() {
  const auto certain = now_.settled();
  for (; settled_ < certain.size(); ++settled_) images_->settle(trace_[certain[settled_]]);
}

void Walk::advance() {
  const Event& event = trace_[position_];
  settled_ = 0;
  now_.advance(event, position_);
  settle();
  if (healed_.size() > healed_at_first_) bare_.advance(event, position_);
  if (event.kind == Kind::kAllocate) {
    const std::uint64_t size = persistency::number_of(event.value.data());
    // PMDK's blocks lie within allocated blocks.
    cursor_ = std::max(cursor_, event.address + std::max<std::uint64_t>(size, 1));
    images_->reach(cursor_);
  }
  if (persistency::is_store(event.kind) && healed(event.code)) {
    now_.persist(position_, event.address);
    settle();
    if (std::find(healed_.begin(), healed_.begin() + static_cast<std::ptrdiff_t>(healed_at_first_), event.code) !=
        healed_.begin() + static_cast<std::ptrdiff_t>(healed_at_first_))
      bare_.persist(position_, event.address);
  }
  ++position_;
}

void Walk::heal(std::uint64_t code, bool given) {
  if (healed(code)) return;
  if (given) {
    healed_.insert(healed_.begin() + static_cast<std::ptrdiff_t>(healed_at_first_++), code);
  } else {
    // From here on they differ.
    if (healed_.size() == healed_at_first_) bare_ = now_;
    healed_.push_back(code);
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> stores;
  now_.for_each_line([&](std::uint64_t line) {
    for (const persistency::Waiting& each : now_.waiting_in(line))
      if (trace_[each.index].code == code) stores.emplace_back(each.index, each.address);
  });
  std::ranges::sort(stores);
  settled_ = now_.settled().size();
  for (const auto& [index, address] : stores)
    if (now_.place_of(index, address)) now_.persist(index, address);
  settle();
}

std::vector<Kept> Walk::reported_state(const CrashState& state) const {
  if (healed_.size() == healed_at_first_) return persistency::listed(now_, state).kept;
  std::vector<Kept> kept;
  bare_.for_each_channel([&](Channel channel, std::uint32_t) {
    std::vector<std::uint32_t> stores;
    bare_.collect(channel, stores);
    std::uint32_t prefix = 0;
    while (prefix < stores.size() && persistency::has(now_, state, stores[prefix], trace_[stores[prefix]].address))
      ++prefix;
    if (prefix > 0) kept.push_back({channel, prefix});
  });
  std::ranges::sort(kept, {}, &Kept::channel);
  return kept;
}

CrashState Walk::state_of(std::span<const Kept> kept) const {
  CrashState state = persistency::least(now_);
  for (const Kept& each : kept) persistency::keep(now_, state, each);
  return state;
}

}  // namespace linpoint::runtime::crash
