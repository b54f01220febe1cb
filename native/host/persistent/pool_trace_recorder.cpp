// SPDX-License-Identifier: Apache-2.0
#include "host/persistent/pool_trace_recorder.hpp"

#include <algorithm>
#include <cstring>

#include "host/core/crash_mode.hpp"
#include "host/persistent/pool.hpp"

namespace linpoint::runtime::crash {

Recorder the_recorder;

namespace {

using persistency::Kind;

/// Maximum number of hooks between the announcement of a store and the store itself; in compiled code there are at most
/// two.
constexpr unsigned kOldest = 64;
/// Reads and comparisons only serve to rank stores: a longer trace continues without them.
constexpr std::size_t kMostReads = 4'000'000;
/// A program with a longer trace would not end, or its trace could not be tested.
constexpr std::size_t kMostEvents = 16'000'000;
constexpr std::uint32_t kNoFrame = 0;

constexpr std::uint64_t mixed(std::uint64_t number) {
  number ^= number >> 32U;
  number *= 0x9E3779B97F4A7C15U;
  return number ^ number >> 29U;
}

std::uint64_t number(const void* code) { return reinterpret_cast<std::uint64_t>(code); }

/// Restricts a range to the pool.
bool clip(std::uint64_t& address, std::uint64_t& size) {
  const std::uint64_t begin = std::max(address, hot.begin);
  const std::uint64_t end = std::min(address + size, hot.begin + hot.span);
  if (begin >= end) return false;
  address = begin;
  size = end - begin;
  return true;
}

/// Only a small part of a large pool is used: the rest stays untouched. Returns where the used part ends.
std::size_t copy_what_is_there(std::byte* to) {
  std::size_t end = 0;
  the_pool.for_each_page([&](std::size_t at) {
    std::memcpy(to + at, the_pool.memory() + at, Pool::kPage);
    end = at + Pool::kPage;
  });
  return end;
}

}  // namespace

void CodeSet::add(std::uint64_t code) {
  if (2 * (size_ + 1) > slots_.size()) {
    const HostVector<std::uint64_t> before = std::move(slots_);
    slots_.assign(std::max<std::size_t>(1024, 2 * before.size()), 0);
    size_ = 0;
    for (const std::uint64_t each : before)
      if (each != 0) add(each);
  }
  std::size_t at = mixed(code) & (slots_.size() - 1);
  while (slots_[at] != 0 && slots_[at] != code) at = (at + 1) & (slots_.size() - 1);
  size_ += slots_[at] == 0 ? 1 : 0;
  slots_[at] = code;
}

bool Recorder::prepare() {
  shadow_ = map_memory(the_pool.span());
  initial_ = map_memory(the_pool.span());
  return shadow_ != nullptr && initial_ != nullptr;
}

void Recorder::restart(std::size_t extent, bool keeps) {
  std::memcpy(shadow_, the_pool.memory(), extent);
  if (extent < extent_) std::memset(shadow_ + extent, 0, extent_ - extent);
  extent_ = extent;
  called_ = !keeps;
  events_.clear();
  frames_of_events_.clear();
  announced_.clear();
  volatile_.clear();
  frames_.assign(1, {});
  frame_slots_.assign(1024, 0);
  frame_ = kNoFrame;
  reads_ = 0;
  operation = persistency::kNoOperation;
}

Event& Recorder::add(Kind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code) {
  if (events_.size() == kMostEvents) fail(Fault::kMemory, "exceeds the maximum length of a trace", nullptr);
  Event& event = events_.emplace_back();
  event.kind = kind;
  event.size = static_cast<std::uint8_t>(size);
  event.thread = static_cast<std::uint16_t>(current_thread());
  event.operation = operation;
  event.address = address;
  event.code = code;
  frames_of_events_.push_back(frame_);
  return event;
}

bool Recorder::changed(std::uint64_t address, std::uint64_t size) const {
  return std::memcmp(the_pool.at(address), shadow_ + (address - Pool::kBegin), size) != 0;
}

void Recorder::add_store(Kind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code) {
  Event& event = add(kind, address, size, code);
  std::memcpy(event.value.data(), the_pool.at(address), size);
  std::memcpy(shadow_ + (address - Pool::kBegin), the_pool.at(address), size);
  extent_ = std::max(extent_, address + size - Pool::kBegin);
  end_silence();
  if (until_pause_ == 0) return;
  --until_pause_;
  pauses_ = pauses_ || until_pause_ == 0;
}

void Recorder::end_silence() {
  if (within_ == 0) {
    longest_silence_ = std::max(longest_silence_, fuel_then_ - hot.fuel);
  } else if (hot.fuel <= within_) {
    const std::int64_t more = std::min(within_ - hot.fuel, fuel_left_);
    fuel_left_ -= more;
    hot.fuel += more;
  }
  fuel_then_ = hot.fuel;
}

void Recorder::expect_stores(std::int64_t within, std::int64_t fuel) {
  within_ = std::min(within, fuel);
  fuel_left_ = fuel - within_;
  hot.fuel = within_;
}

bool Recorder::settle_one(const Announced& each) {
  if (each.kind == Kind::kUpdate) {
    if (changed(each.address, each.size))
      add_store(Kind::kUpdate, each.address, each.size, each.code);
    else
      add(Kind::kFence, each.address, each.size, each.code);
    return true;
  }
  if (!changed(each.address, each.size)) return false;
  persistency::for_each_part(each.address, each.size, [&](std::uint64_t address, std::uint64_t size) {
    if (changed(address, size)) add_store(each.kind, address, size, each.code);
  });
  return true;
}

void Recorder::settle() {
  if (announced_.empty()) return;
  std::erase_if(announced_, [this](Announced& each) { return settle_one(each) || ++each.age > kOldest; });
  pause_if_asked();
}

void Recorder::pause_if_asked() {
  if (!pauses_) return;
  pauses_ = false;
  pause_();
}

void Recorder::pause_after(std::uint64_t stores, void (*pause)()) {
  until_pause_ = stores;
  pauses_ = false;
  pause_ = pause;
}

void Recorder::rewind() {
  events_.clear();
  frames_of_events_.clear();
  announced_.clear();
  volatile_.clear();
  frame_ = kNoFrame;
  within_ = 0;
  until_pause_ = 0;
  pauses_ = false;
  operation = persistency::kNoOperation;
}

void Recorder::rewind_line(std::uint64_t line, const std::byte* bytes) {
  std::memcpy(shadow_ + line * kLine, bytes, kLine);
  extent_ = std::max<std::size_t>(extent_, (line + 1) * kLine);
}

void Recorder::settle_all() {
  const OutOfProgram host;
  settle();
  announced_.clear();
}

void Recorder::forget(std::uint64_t address, std::uint64_t size) {
  std::erase_if(announced_,
                [=](const Announced& each) { return persistency::overlap(each.address, each.size, address, size); });
}

void Recorder::write(std::uint64_t address, std::uint64_t size, const void* code) {
  const OutOfProgram host;
  settle();
  if (!clip(address, size)) return;
  forget(address, size);
  announced_.push_back({address, size, number(code), Kind::kStore, 0});
}

void Recorder::read(std::uint64_t address, std::uint64_t size, const void* code) {
  const OutOfProgram host;
  settle();
  if (!clip(address, size)) return;
  if (reads_ >= kMostReads) {
    left_out_ = true;
    return;
  }
  const auto one = [&](std::uint64_t at, std::uint64_t bytes) {
    ++reads_;
    Event& event = add(Kind::kRead, at, bytes, number(code));
    std::memcpy(event.value.data(), the_pool.at(at), bytes);
  };
  const bool whole =
      size <= persistency::kWordSize && persistency::line_of(address) == persistency::line_of(address + size - 1);
  if (whole)
    one(address, size);
  else
    persistency::for_each_part(address, size, one);
}

void Recorder::non_temporal(std::uint64_t address, std::uint64_t size, const void* code) {
  const OutOfProgram host;
  settle();
  if (!clip(address, size)) return;
  forget(address, size);
  announced_.push_back({address, size, number(code), Kind::kNonTemporal, 0});
}

void Recorder::locked(std::uint64_t address, std::uint64_t size, const void* code) {
  settle_all();
  const OutOfProgram host;
  if (clip(address, size))
    announced_.push_back({address, size, number(code), Kind::kUpdate, 0});
  else
    add(Kind::kFence, address, 0, number(code));
}

void Recorder::stored(std::uint64_t address, std::uint64_t size, Kind kind, const void* code) {
  const OutOfProgram host;
  const std::uint64_t whole = address;
  const bool inside = clip(address, size);
  if (persistency::is_update(kind)) {
    if (!inside)
      add(Kind::kFence, whole, 0, number(code));
    else if (changed(address, size))
      add_store(kind, address, size, number(code));
    else
      add(Kind::kFence, address, size, number(code));
    pause_if_asked();
    return;
  }
  if (!inside) return;
  if (size > persistency::kWordSize && kind == Kind::kStore) {
    persistency::for_each_part(address, size, [&](std::uint64_t at, std::uint64_t bytes) {
      if (changed(at, bytes)) add_store(kind, at, bytes, number(code));
    });
  } else if (changed(address, size)) {
    add_store(kind, address, size, number(code));
  }
  pause_if_asked();
}

void Recorder::flush(std::uint64_t address, bool later, const void* code) {
  settle_all();
  const OutOfProgram host;
  if (in_pool(address)) add(later ? Kind::kFlushLater : Kind::kFlush, address, 0, number(code));
}

void Recorder::fence(const void* code, bool loads) {
  settle_all();
  const OutOfProgram host;
  add(Kind::kFence, 0, 0, number(code)).value[0] = std::byte{loads};
}

void Recorder::allocate(std::uint64_t address, std::uint64_t size, const void* code) {
  const OutOfProgram host;
  settle();
  Event& event = add(Kind::kAllocate, address, 0, number(code));
  std::memcpy(event.value.data(), &size, sizeof size);
}

void Recorder::free(std::uint64_t address, const void* code) {
  const OutOfProgram host;
  settle();
  add(Kind::kFree, address, 0, number(code));
}

void Recorder::call(std::uint32_t which) {
  settle_all();
  const OutOfProgram host;
  if (!called_) {
    called_ = true;
    first_call_ = static_cast<std::uint32_t>(events_.size());
    initial_extent_ = copy_what_is_there(initial_);
  }
  operation = which;
  frame_ = kNoFrame;
  if (within_ == 0) fuel_then_ = hot.fuel;
  add(Kind::kCall, 0, 0, 0);
}

void Recorder::returns(std::uint32_t which) {
  settle_all();
  const OutOfProgram host;
  operation = which;
  end_silence();
  add(Kind::kReturn, 0, 0, 0);
  operation = persistency::kNoOperation;
}

void Recorder::lock(std::uint64_t address, bool takes, const void* code) {
  const OutOfProgram host;
  settle();
  add(takes ? Kind::kLock : Kind::kUnlock, address, 0, number(code));
}

void Recorder::compare(std::uint64_t one, std::uint64_t other, const void* code) {
  if (reads_ == 0 || reads_ >= kMostReads) return;
  const OutOfProgram host;
  ++reads_;
  settle();
  Event& event = add(Kind::kCompare, 0, 0, number(code));
  std::memcpy(event.value.data(), &one, sizeof one);
  std::memcpy(event.value.data() + sizeof one, &other, sizeof other);
}

void Recorder::library_object(std::uint64_t address, std::uint64_t size) {
  const OutOfProgram host;
  if (!clip(address, size)) return;
  const auto known = std::ranges::find(volatile_, address, &Bytes::address);
  if (known == volatile_.end()) volatile_.push_back({address, size});
}

void Recorder::enter(const void* caller) {
  const OutOfProgram host;
  if (2 * frames_.size() > frame_slots_.size()) {
    frame_slots_.assign(2 * frame_slots_.size(), 0);
    for (std::uint32_t each = 1; each < frames_.size(); ++each) {
      std::size_t at = mixed(frames_[each].caller + mixed(frames_[each].outer)) & (frame_slots_.size() - 1);
      while (frame_slots_[at] != 0) at = (at + 1) & (frame_slots_.size() - 1);
      frame_slots_[at] = each;
    }
  }
  const std::uint64_t code = number(caller);
  std::size_t at = mixed(code + mixed(frame_)) & (frame_slots_.size() - 1);
  while (frame_slots_[at] != 0) {
    const Frame& frame = frames_[frame_slots_[at]];
    if (frame.outer == frame_ && frame.caller == code) break;
    at = (at + 1) & (frame_slots_.size() - 1);
  }
  if (frame_slots_[at] == 0) {
    frame_slots_[at] = static_cast<std::uint32_t>(frames_.size());
    frames_.push_back({frame_, code});
  }
  frame_ = frame_slots_[at];
}

void Recorder::leave() { frame_ = frames_[frame_].outer; }

void Recorder::blame_callers(const StandardCode& standard) {
  for (std::size_t at = 0; at < events_.size(); ++at) {
    std::uint64_t code = events_[at].code;
    std::uint32_t frame = frames_of_events_[at];
    while (frame != kNoFrame && standard.contains(code)) {
      code = frames_[frame].caller;
      frame = frames_[frame].outer;
    }
    // Only the host has called it.
    if (standard.contains(code)) continue;
    events_[at].code = code;
    frames_of_events_[at] = frame;
  }
}

bool Recorder::differs() {
  settle_all();
  for (const Bytes& each : volatile_)
    std::memcpy(shadow_ + (each.address - Pool::kBegin), the_pool.at(each.address), each.size);
  bool differ = false;
  the_pool.for_each_page(
      [&](std::size_t at) { differ = differ || std::memcmp(shadow_ + at, the_pool.memory() + at, Pool::kPage) != 0; });
  return differ;
}

}  // namespace linpoint::runtime::crash
