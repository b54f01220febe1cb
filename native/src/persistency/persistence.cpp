// SPDX-License-Identifier: Apache-2.0
#include "linpoint/persistency/persistence.hpp"

#include <algorithm>

#include "hashing.hpp"

namespace linpoint::persistency {

namespace {

/// The bytes of the access that a store writes, one bit each.
std::uint32_t bytes_of(const Event& access, const Waiting& store) {
  const std::uint64_t begin = std::max(access.address, store.address);
  const std::uint64_t end = std::min(access.address + access.size, store.address + store.size);
  if (begin >= end) return 0;
  return ((1U << (end - begin)) - 1U) << (begin - access.address);
}

/// Occasionally frees the elements already taken from the front of a queue.
template <typename Queue>
void trim(Queue& queue, std::uint32_t& head) {
  if (head == queue.size()) {
    queue.clear();
  } else if (head >= 64 && head > queue.size() / 2) {
    queue.erase(queue.begin(), queue.begin() + head);
  } else {
    return;
  }
  head = 0;
}

}  // namespace

void Persistence::restart() {
  idle_ = false;
  position_ = 0;
  buffering_ = 0;
  waiting_ = combining_ = bound_ = 0;
  settled_.clear();
  active_.clear();
  for (Line& line : lines_) {
    line.stores.clear();
    line.head = line.combining = line.bound = line.flushed = 0;
  }
  for (Thread& each : threads_) {
    each.flushes.clear();
    each.combining.clear();
    each.buffer.clear();
    each.head = each.fenced = 0;
    each.flushed = false;
  }
}

void Persistence::advance(const Event& event, std::uint32_t index) {
  settled_.clear();
  idle_ = false;
  position_ = index + 1;
  switch (event.kind) {
    case Kind::kStore:
    case Kind::kNonTemporal:
      add(event, index);
      break;
    case Kind::kUpdate:
    case Kind::kExchange:
      // First the fence, which does not cover this store: "clwb x; lock inc x" may lose the increment.
      fence(event);
      see(event);
      add(event, index);
      if (mode_ == Mode::kEadr) settle(find(line_of(event.address)), index);
      break;
    case Kind::kFlush:
    case Kind::kFlushLater:
      flush(event, index);
      break;
    case Kind::kFence:
      fence(event);
      see(event);
      break;
    case Kind::kLock:
      fence(event);
      break;
    case Kind::kRead:
      see(event);
      break;
    default:
      break;
  }
  if (!std::is_sorted(settled_.begin(), settled_.end())) std::sort(settled_.begin(), settled_.end());
}

void Persistence::persist(std::uint32_t index, std::uint64_t address) {
  const std::uint32_t number = find(line_of(address));
  if (number == kNone) return;
  const auto before = static_cast<std::ptrdiff_t>(settled_.size());
  settle(number, index);
  std::sort(settled_.begin() + before, settled_.end());
}

/// A value that a thread reads has left the store buffers and write-combining buffers of the other threads: for each
/// byte, the last store.
void Persistence::see(const Event& event) {
  if (event.size == 0 || (combining_ == 0 && buffered_elsewhere(event.thread) == 0)) return;
  const std::uint32_t number = find(line_of(event.address));
  if (number == kNone) return;
  std::uint32_t unseen = (1U << event.size) - 1U;
  for (std::uint32_t bound_to = kNone; unseen != 0;) {
    // From the newest store on; settling may remove any of them.
    const Waiting* newest = nullptr;
    for (const Waiting& store : lines_[number].waiting())
      if (store.index < bound_to && (bytes_of(event, store) & unseen) != 0) newest = &store;
    if (newest == nullptr) return;
    bound_to = newest->index;
    unseen &= ~bytes_of(event, *newest);
    const bool buffered = mode_ == Mode::kEadr || newest->combining;
    if (buffered && newest->thread != event.thread) settle(number, newest->index);
  }
}

void Persistence::add(const Event& event, std::uint32_t index) {
  const std::uint32_t number = enter(line_of(event.address));
  Line& line = lines_[number];
  Waiting store;
  store.address = event.address;
  store.index = index;
  store.thread = event.thread;
  store.size = event.size;
  store.combining = event.kind == Kind::kNonTemporal;
  const bool mixed = store.combining || line.combining > 0 || buffered_elsewhere(event.thread) > 0;
  if (mixed) {
    for (const Waiting& earlier : line.waiting())
      store.bound |= overlap(earlier, store) && channel_of(earlier) != channel_of(store);
  }
  if (line.waiting().empty()) {
    line.active = static_cast<std::uint32_t>(active_.size());
    active_.push_back(number);
  }
  line.stores.push_back(store);
  ++waiting_;
  if (store.bound) {
    ++line.bound;
    ++bound_;
  }
  if (store.combining) {
    ++line.combining;
    ++combining_;
    thread(event.thread).combining.push_back({number, index});
  } else if (mode_ == Mode::kEadr) {
    Thread& owner = thread(event.thread);
    if (owner.head == owner.buffer.size()) ++buffering_;
    owner.buffer.push_back({number, index});
  }
}

void Persistence::flush(const Event& event, std::uint32_t index) {
  Thread& owner = thread(event.thread);
  owner.flushed = true;
  idle_ = true;
  if (mode_ == Mode::kEadr) return;
  const std::uint32_t number = find(line_of(event.address));
  if (number == kNone || lines_[number].cached() == 0) return;
  if (event.kind == Kind::kFlush) {
    idle_ = false;
    settle_cached(number, index);
    return;
  }
  Line& line = lines_[number];
  // Already recorded, unless there are later stores. Non-temporal stores may look like that; then it is recorded again.
  const bool noted = line.flushed > owner.fenced && line.flusher == event.thread;
  if (noted && line.stores.back().index < line.flushed - 1) return;
  idle_ = false;
  line.flushed = index + 1;
  line.flusher = event.thread;
  owner.flushes.push_back({number, index});
}

void Persistence::fence(const Event& event) {
  Thread& owner = thread(event.thread);
  const bool instruction = event.kind == Kind::kFence && event.address == 0 && event.value[0] == std::byte{0};
  const bool nothing = !owner.flushed && owner.combining.empty() && owner.head == owner.buffer.size();
  idle_ = instruction && nothing;
  for (const Flush& flush : owner.flushes) settle_cached(flush.line, flush.index);
  for (const Buffered& store : owner.combining) settle(store.line, store.index);
  if (owner.head < owner.buffer.size()) {
    const Buffered last = owner.buffer.back();
    settle(last.line, last.index);
  }
  owner.flushes.clear();
  owner.combining.clear();
  owner.flushed = false;
  owner.fenced = position_;
}

/// The stores of a line's own channel before an event.
void Persistence::settle_cached(std::uint32_t number, std::uint32_t before) {
  Line& line = lines_[number];
  if (line.combining > 0 || line.bound > 0) {
    const Waiting* last = nullptr;
    for (const Waiting& store : line.waiting())
      if (!store.combining && store.index < before) last = &store;
    if (last != nullptr) settle(number, last->index);
    return;
  }
  while (line.head < line.stores.size() && line.stores[line.head].index < before)
    remove(number, line.stores[line.head].index);
}

/// Makes a store persistent with all earlier stores of its channel, the oldest first, and the stores that these
/// overlap.
void Persistence::settle(std::uint32_t number, std::uint32_t index) {
  while (const Waiting* wanted = waiting_store(number, index)) {
    const Buffered oldest = oldest_of_channel(number, *wanted);
    while (const Waiting* beneath = oldest_beneath(oldest)) settle(oldest.line, beneath->index);
    remove(oldest.line, oldest.index);
  }
}

/// A store that this one overlaps and that must become persistent before it, if any.
const Waiting* Persistence::oldest_beneath(const Buffered& upper) const {
  const Waiting& store = *waiting_store(upper.line, upper.index);
  if (!store.bound) return nullptr;
  for (const Waiting& earlier : lines_[upper.line].waiting()) {
    if (earlier.index >= store.index) break;
    if (overlap(earlier, store)) return &earlier;
  }
  return nullptr;
}

Persistence::Buffered Persistence::oldest_of_channel(std::uint32_t number, const Waiting& store) const {
  if (mode_ == Mode::kEadr && !store.combining) {
    const Thread& owner = threads_[store.thread];
    return owner.buffer[owner.head];
  }
  const Channel channel = channel_of(store);
  for (const Waiting& each : lines_[number].waiting())
    if (channel_of(each) == channel) return {number, each.index};
  return {number, store.index};
}

void Persistence::remove(std::uint32_t number, std::uint32_t index) {
  Line& line = lines_[number];
  const auto first = line.stores.begin() + line.head;
  const auto found =
      first->index == index
          ? first
          : std::lower_bound(first, line.stores.end(), index,
                             [](const Waiting& store, std::uint32_t wanted) { return store.index < wanted; });
  const Waiting store = *found;
  if (found == first) {
    ++line.head;
    trim(line.stores, line.head);
  } else {
    line.stores.erase(found);
  }
  settled_.push_back(index);
  --waiting_;
  if (store.bound) {
    --line.bound;
    --bound_;
  }
  if (store.combining) {
    --line.combining;
    --combining_;
  } else if (mode_ == Mode::kEadr) {
    Thread& owner = threads_[store.thread];
    ++owner.head;
    trim(owner.buffer, owner.head);
    if (owner.buffer.empty()) --buffering_;
  }
  if (line.waiting().empty()) {
    lines_[active_.back()].active = line.active;
    active_[line.active] = active_.back();
    active_.pop_back();
  }
}

const Waiting* Persistence::waiting_store(std::uint32_t line, std::uint32_t index) const {
  const std::span<const Waiting> stores = lines_[line].waiting();
  const auto found = std::lower_bound(stores.begin(), stores.end(), index,
                                      [](const Waiting& store, std::uint32_t wanted) { return store.index < wanted; });
  return found == stores.end() || found->index != index ? nullptr : &*found;
}

/// The number of other threads whose store buffer is not empty.
std::uint32_t Persistence::buffered_elsewhere(std::uint16_t number) const {
  const bool own = number < threads_.size() && threads_[number].head < threads_[number].buffer.size();
  return buffering_ - (own ? 1 : 0);
}

Persistence::Thread& Persistence::thread(std::uint16_t number) {
  if (number >= threads_.size()) threads_.resize(std::size_t{number} + 1);
  return threads_[number];
}

std::uint32_t Persistence::slot_of(std::uint64_t line) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = mix(line) & mask;
  while (table_[slot] != 0 && lines_[table_[slot] - 1].address != line) slot = (slot + 1) & mask;
  return static_cast<std::uint32_t>(slot);
}

std::uint32_t Persistence::find(std::uint64_t line) const {
  return table_.empty() ? kNone : table_[slot_of(line)] - 1;  // an empty slot turns 0 into kNone
}

std::uint32_t Persistence::enter(std::uint64_t line) {
  if (2 * (lines_.size() + 1) > table_.size()) grow();
  const std::uint32_t slot = slot_of(line);
  if (table_[slot] == 0) {
    lines_.push_back({});
    lines_.back().address = line;
    table_[slot] = static_cast<std::uint32_t>(lines_.size());
  }
  return table_[slot] - 1;
}

void Persistence::grow() {
  table_.assign(std::max<std::size_t>(64, 2 * table_.size()), 0);
  for (std::size_t number = 0; number < lines_.size(); ++number)
    table_[slot_of(lines_[number].address)] = static_cast<std::uint32_t>(number) + 1;
}

}  // namespace linpoint::persistency
