// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/process/program_heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace linpoint::runtime {

namespace {

/// The address of the arena if it is free: the same in every process. 0: any free address.
constexpr std::array<std::uintptr_t, 4> kBases = {0x2000'0000'0000, 0x3000'0000'0000, 0x1000'0000'0000, 0};
/// Address space per region, as much as the machine has available.
constexpr std::array<std::size_t, 3> kStrides = {std::size_t{4} << 30U, std::size_t{512} << 20U,
                                                 std::size_t{64} << 20U};
/// From this number of bytes on, it is cheaper to return pages than to clear them.
constexpr std::size_t kWorthGivingBack = std::size_t{256} << 10U;
constexpr std::size_t kPage = 4096;

std::size_t rounded_up(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

void* map(std::uintptr_t at, std::size_t size, int more) {
  void* wanted = reinterpret_cast<void*>(at);  // NOLINT(performance-no-int-to-ptr)
  return ::mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more, -1, 0);
}

void clear(unsigned char* begin, std::size_t size) {
  if (size < kWorthGivingBack) {
    std::memset(begin, 0, size);
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::size_t head = rounded_up(address, kPage) - address;
  std::memset(begin, 0, head);
  ::madvise(begin + head, rounded_up(size - head, kPage), MADV_DONTNEED);
}

/// Leaves equal bytes untouched: after a fork, the kernel copies each written page.
void copy_changes(unsigned char* to, const unsigned char* from, std::size_t size) {
  for (std::size_t at = 0; at < size; at += kPage) {
    const std::size_t some = std::min(kPage, size - at);
    if (std::memcmp(to + at, from + at, some) != 0) std::memcpy(to + at, from + at, some);
  }
}

}  // namespace

bool Arena::reserve(std::uintptr_t base, std::size_t stride) {
  const std::size_t span = stride * kRegions;
  void* memory = map(base, span, base == 0 ? 0 : MAP_FIXED_NOREPLACE);
  if (memory == MAP_FAILED) return false;
  void* states = map(0, span / kGranule, 0);
  // Kernels without MAP_FIXED_NOREPLACE treat the address only as a hint.
  const bool elsewhere = base != 0 && reinterpret_cast<std::uintptr_t>(memory) != base;
  if (states == MAP_FAILED || elsewhere) {
    ::munmap(memory, span);
    if (states != MAP_FAILED) ::munmap(states, span / kGranule);
    return false;
  }
  base_ = reinterpret_cast<std::uintptr_t>(memory);
  stride_ = stride;
  span_ = span;
  states_ = static_cast<std::uint8_t*>(states);
  return true;
}

Arena::~Arena() {
  if (base_ == 0) return;
  ::munmap(memory(0), span_);
  ::munmap(states_, span_ / kGranule);
}

bool Arena::prepare(ArenaOptions options) {
  options_ = options;
  for (const std::size_t stride : kStrides)
    for (const std::uintptr_t base : kBases)
      if (reserve(base, stride)) return true;
  return false;
}

std::size_t Arena::capacity_of(std::size_t size) {
  constexpr std::size_t kFine = 1024;
  const std::size_t capacity = rounded_up(std::max<std::size_t>(size, 1), kGranule);
  return capacity <= kFine ? capacity : std::bit_ceil(capacity);
}

void Arena::mark(std::uintptr_t begin, std::size_t size, std::uint8_t state) {
  std::memset(states_ + (begin - base_) / kGranule, state,
              rounded_up(std::max<std::size_t>(size, 1), kGranule) / kGranule);
}

void* Arena::give(unsigned region, Slot& slot, std::size_t size) {
  slot.size = size;
  slot.number = allocations_++;
  unsigned char* block = memory(region) + slot.begin;
  mark(reinterpret_cast<std::uintptr_t>(block), size, kLive);
  in_use_ += size;
  return block;
}

void* Arena::take_free(std::size_t size, std::size_t alignment) {
  const std::size_t capacity = capacity_of(size);
  for (auto free = free_.rbegin(); free != free_.rend(); ++free) {
    Slot& slot = regions_[free->region].slots[free->slot];
    if (free->capacity != capacity || slot.begin % alignment != 0) continue;
    const unsigned region = free->region;
    free_.erase(std::next(free).base());
    return give(region, slot, size);
  }
  return nullptr;
}

void* Arena::allocate(unsigned thread, std::size_t size, std::size_t alignment) {
  if (size > options_.most || in_use_ + size > options_.most) return nullptr;
  if (options_.reuse)
    if (void* block = take_free(size, alignment)) return block;
  const unsigned number = std::min(thread, kRegions - 1);
  Region& region = regions_[number];
  const std::size_t capacity =
      options_.reuse ? capacity_of(size) : rounded_up(std::max<std::size_t>(size, 1), kGranule);
  const std::uint64_t begin = rounded_up(region.used + kGranule, std::max(alignment, kGranule));
  if (begin + capacity > stride_) return nullptr;
  region.used = begin + capacity;
  regions_used_ = std::max(regions_used_, number + 1);
  region.slots.push_back({begin, size, capacity, 0});
  return give(number, region.slots.back(), size);
}

Freed Arena::release(void* block) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const auto number = static_cast<unsigned>((address - base_) / stride_);
  Region& region = regions_[number];
  const std::uint64_t begin = address - base_ - number * stride_;
  const auto slot = std::ranges::lower_bound(region.slots, begin, {}, &Slot::begin);
  if (slot == region.slots.end() || slot->begin != begin) return Freed::kNoBlock;
  if (states_[(address - base_) / kGranule] != kLive) return Freed::kTwice;
  mark(address, slot->size, kGone);
  in_use_ -= options_.reuse ? slot->size : 0;
  if (options_.reuse)
    free_.push_back({number, static_cast<std::uint32_t>(slot - region.slots.begin()), slot->capacity});
  return Freed::kDone;
}

std::optional<Allocation> Arena::block_at(std::uintptr_t address) const {
  if (!contains(address)) return std::nullopt;
  const auto number = static_cast<unsigned>((address - base_) / stride_);
  const Region& region = regions_[number];
  const std::uint64_t offset = address - base_ - number * stride_;
  const auto after = std::ranges::upper_bound(region.slots, offset, {}, &Slot::begin);
  if (after == region.slots.begin()) return std::nullopt;
  const Slot& slot = *std::prev(after);
  const std::uintptr_t begin = base_ + number * stride_ + slot.begin;
  return Allocation{slot.number, begin, slot.size, states_[(begin - base_) / kGranule] == kLive};
}

void Arena::keep() {
  std::size_t used = 0;
  for (unsigned number = 0; number < regions_used_; ++number) used += regions_[number].used;
  kept_.bytes.resize(used);
  kept_.states.resize(used / kGranule);
  std::size_t bytes = 0;
  for (unsigned number = 0; number < regions_used_; ++number) {
    const Region& region = regions_[number];
    kept_.used[number] = region.used;
    kept_.slots[number] = region.slots;
    copy_changes(kept_.bytes.data() + bytes, memory(number), region.used);
    const std::uint8_t* states = states_ + number * stride_ / kGranule;
    copy_changes(kept_.states.data() + bytes / kGranule, states, region.used / kGranule);
    bytes += region.used;
  }
  kept_.free = free_;
  kept_.in_use = in_use_;
  kept_.allocations = allocations_;
}

void Arena::restore() {
  std::size_t bytes = 0;
  for (unsigned number = 0; number < regions_used_; ++number) {
    Region& region = regions_[number];
    const std::uint64_t kept = kept_.used[number];
    unsigned char* begin = memory(number);
    std::uint8_t* states = states_ + number * stride_ / kGranule;
    if (kept != 0) {
      std::memcpy(begin, kept_.bytes.data() + bytes, kept);
      std::memcpy(states, kept_.states.data() + bytes / kGranule, kept / kGranule);
      bytes += kept;
    }
    clear(begin + kept, region.used - kept);
    clear(states + kept / kGranule, (region.used - kept) / kGranule);
    region.used = kept;
    region.slots.resize(kept_.slots[number].size());
    // Only a reused slot can differ from the saved one.
    if (options_.reuse) std::ranges::copy(kept_.slots[number], region.slots.begin());
  }
  free_.assign(kept_.free.begin(), kept_.free.end());
  in_use_ = kept_.in_use;
  allocations_ = kept_.allocations;
}

}  // namespace linpoint::runtime
