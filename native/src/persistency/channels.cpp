// SPDX-License-Identifier: Apache-2.0
// Queries of a Persistence about its channels.
#include <algorithm>

#include "linpoint/persistency/persistence.hpp"

namespace linpoint::persistency {

Channel Persistence::channel_of(const Waiting& store) const {
  if (store.combining) return combining_channel(store.address, store.thread);
  return mode_ == Mode::kAdr ? line_channel(store.address) : buffer_channel(store.thread);
}

std::uint32_t Persistence::count(Channel channel) const {
  if (is_buffer(channel)) {
    const std::size_t number = (channel >> 48U) - 1;
    if (number >= threads_.size()) return 0;
    return static_cast<std::uint32_t>(threads_[number].buffer.size()) - threads_[number].head;
  }
  const std::uint32_t number = find(line_of_channel(channel));
  if (number == kNone) return 0;
  if (channel >> 48U == 0) return mode_ == Mode::kAdr ? lines_[number].cached() : 0;
  std::uint32_t count = 0;
  for (const Waiting& store : lines_[number].waiting()) count += channel_of(store) == channel ? 1 : 0;
  return count;
}

void Persistence::collect(Channel channel, std::vector<std::uint32_t>& into) const {
  into.clear();
  if (is_buffer(channel)) {
    const std::size_t number = (channel >> 48U) - 1;
    if (number >= threads_.size()) return;
    const Thread& owner = threads_[number];
    for (const Buffered& store : std::span(owner.buffer).subspan(owner.head)) into.push_back(store.index);
    return;
  }
  for (const Waiting& store : waiting_in(line_of_channel(channel)))
    if (channel_of(store) == channel) into.push_back(store.index);
}

void Persistence::collect_lines(Channel buffer, std::vector<std::uint64_t>& into) const {
  into.clear();
  const std::size_t number = (buffer >> 48U) - 1;
  if (!is_buffer(buffer) || number >= threads_.size()) return;
  const Thread& owner = threads_[number];
  for (const Buffered& store : std::span(owner.buffer).subspan(owner.head)) into.push_back(lines_[store.line].address);
}

void Persistence::count_combining(const Line& line, std::vector<Kept>& into) const {
  const auto begin = static_cast<std::ptrdiff_t>(into.size());
  for (const Waiting& store : line.waiting()) {
    if (!store.combining) continue;
    const Channel channel = channel_of(store);
    const auto same = [channel](const Kept& each) { return each.channel == channel; };
    const auto found = std::find_if(into.begin() + begin, into.end(), same);
    if (found == into.end()) {
      into.push_back({channel, 1});
    } else {
      ++found->prefix;
    }
  }
}

std::span<const Waiting> Persistence::waiting_in(std::uint64_t line) const {
  const std::uint32_t number = find(line);
  return number == kNone ? std::span<const Waiting>{} : lines_[number].waiting();
}

std::optional<Kept> Persistence::place_of(std::uint32_t index, std::uint64_t address) const {
  const std::uint32_t number = find(line_of(address));
  if (number == kNone) return std::nullopt;
  const Waiting* store = waiting_store(number, index);
  if (store == nullptr) return std::nullopt;
  Kept place{channel_of(*store), 0};
  if (is_buffer(place.channel)) {
    const Thread& owner = threads_[store->thread];
    const auto after = std::upper_bound(owner.buffer.begin() + owner.head, owner.buffer.end(), index,
                                        [](std::uint32_t wanted, const Buffered& each) { return wanted < each.index; });
    place.prefix = static_cast<std::uint32_t>(after - owner.buffer.begin()) - owner.head;
  } else if (lines_[number].combining == 0) {
    place.prefix = static_cast<std::uint32_t>(store - lines_[number].waiting().data()) + 1;
  } else {
    for (const Waiting& each : lines_[number].waiting())
      place.prefix += each.index <= index && channel_of(each) == place.channel ? 1 : 0;
  }
  return place;
}

}  // namespace linpoint::persistency
