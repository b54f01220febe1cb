// SPDX-License-Identifier: Apache-2.0
#include "host/crash/hash128.hpp"

#include <algorithm>
#include <cstring>

namespace linpoint::runtime::crash {

namespace {

constexpr std::uint64_t kOne = 0x9E3779B97F4A7C15U;
constexpr std::uint64_t kTwo = 0xC2B2AE3D27D4EB4FU;

std::uint64_t folded(std::uint64_t one, std::uint64_t other) {
  const Hash product = Hash{one} * other;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace

Hash mixed(std::uint64_t one, std::uint64_t other) {
  const std::uint64_t low = folded(one ^ kOne, other ^ kTwo);
  const std::uint64_t high = folded(other + kOne, one * kTwo + 1);
  return Hash{folded(high ^ kTwo, kOne)} << 64U | folded(low ^ kOne, kTwo);
}

Hash hash_of(const void* bytes, std::size_t size, Hash seed) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  Hash hash = seed + mixed(kOne, size);
  for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    hash = mixed(word ^ static_cast<std::uint64_t>(hash >> 64U), static_cast<std::uint64_t>(hash)) + hash;
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, at, size);
  return mixed(rest ^ static_cast<std::uint64_t>(hash >> 64U), static_cast<std::uint64_t>(hash)) + hash;
}

void HashTable::clear() {
  slots_.clear();
  size_ = 0;
}

void HashTable::grow() {
  const HostVector<Slot> before = std::move(slots_);
  slots_.assign(std::max<std::size_t>(4096, 2 * before.size()), {});
  for (const Slot& slot : before) {
    if (slot.used == 0) continue;
    std::size_t at = static_cast<std::size_t>(slot.hash) & (slots_.size() - 1);
    while (slots_[at].used != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

std::uint8_t& HashTable::at(Hash hash, bool& known) {
  if (2 * (size_ + 1) > slots_.size()) grow();
  std::size_t at = static_cast<std::size_t>(hash) & (slots_.size() - 1);
  while (slots_[at].used != 0 && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
  Slot& slot = slots_[at];
  known = slot.used != 0;
  size_ += known ? 0 : 1;
  slot.used = 1;
  slot.hash = hash;
  return slot.value;
}

}  // namespace linpoint::runtime::crash
