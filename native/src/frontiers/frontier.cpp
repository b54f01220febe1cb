// SPDX-License-Identifier: Apache-2.0
#include "frontiers/frontier.hpp"

#include <algorithm>
#include <numeric>

namespace linpoint::frontiers {
namespace {

/// Calls and returns in order: 2 * operation for a call, 2 * operation + 1 for a return. Ranks are distinct.
std::vector<std::int32_t> events_of(std::span<const Operation> operations, const std::vector<std::int32_t>& members) {
  std::int32_t latest = -1;
  for (const std::int32_t member : members) {
    const Operation& each = operations[at(member)];
    latest = std::max(latest, each.ret == kNoReturn ? each.call : each.ret);
  }
  std::vector<std::int32_t> events(at(latest + 1), histories::kNone);
  for (const std::int32_t member : members) {
    const Operation& each = operations[at(member)];
    events[at(each.call)] = 2 * member;
    if (each.ret != kNoReturn) events[at(each.ret)] = 2 * member + 1;
  }
  std::erase(events, histories::kNone);
  return events;
}

bool is_return(std::int32_t event) { return event % 2 != 0; }

}  // namespace

std::vector<std::int32_t> everything(std::span<const Operation> operations) {
  std::vector<std::int32_t> all(operations.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::size_t Timeline::width(std::span<const Operation> operations) {
  std::size_t open = 0;
  std::size_t most = 0;
  for (const std::int32_t event : events_of(operations, everything(operations))) {
    open = is_return(event) ? open - 1 : open + 1;
    most = std::max(most, open);
  }
  return most;
}

Timeline::Timeline(std::span<const Operation> operations, const std::vector<std::int32_t>& members, StopToken& stop)
    : operations_(operations), slot_(operations.size()), table_(stop) {
  const std::vector<std::int32_t> events = events_of(operations, members);
  std::vector<std::uint8_t> free;
  std::size_t returns = 0;
  for (const std::int32_t event : events) {
    if (is_return(event)) {
      free.push_back(slot_[at(event / 2)]);
      ++returns;
      continue;
    }
    if (free.empty()) {
      if (width_ == kMostSlots) {
        fits_ = false;
        return;
      }
      free.push_back(static_cast<std::uint8_t>(width_++));
    }
    slot_[at(event / 2)] = free.back();
    free.pop_back();
  }
  fits_ = table_.refill((returns + 1) * width_, histories::kNone);
  if (!fits_) return;
  ends_.reserve(returns);
  open_.reserve(returns + 1);
  std::vector<std::int32_t> now(width_, histories::kNone);
  Mask mask = 0;
  const auto keep_row = [&] {
    std::copy(now.begin(), now.end(), table_.data() + ends_.size() * width_);
    open_.push_back(mask);
  };
  for (const std::int32_t event : events) {
    const std::size_t slot = slot_[at(event / 2)];
    if (is_return(event)) {
      keep_row();
      ends_.push_back(event / 2);
      now[slot] = histories::kNone;
      mask &= ~(Mask{1} << slot);
    } else {
      now[slot] = event / 2;
      mask |= Mask{1} << slot;
    }
  }
  keep_row();
}

}  // namespace linpoint::frontiers
