// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/interner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace linpoint::histories {

namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
constexpr std::size_t kFirstSlots = 64;

/// Neighbours share a run of slots, since logs are full of counters. The runs are scattered by Fibonacci hashing, which
/// spreads those that follow each other evenly: two full runs in one place would make each probe walk through both.
std::size_t place(std::int64_t value, std::size_t slots) {
  constexpr unsigned kRun = 3;
  const auto bits = static_cast<std::uint64_t>(value);
  const auto shift = 64U + kRun - static_cast<unsigned>(std::countr_zero(slots));
  return static_cast<std::size_t>(((((bits >> kRun) * kOdd) >> shift) << kRun) | (bits & ((1U << kRun) - 1)));
}

std::uint64_t hash_of(std::string_view text, Interner::Kind kind) {
  std::uint64_t hash = (text.size() + 1) * kOdd + static_cast<std::uint64_t>(kind);
  std::uint64_t word = 0;
  while (text.size() >= sizeof word) {
    std::memcpy(&word, text.data(), sizeof word);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32U;
    text.remove_prefix(sizeof word);
  }
  word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), text.size());
  hash = (hash ^ word) * kOdd;
  return hash ^ (hash >> 29U);
}

}  // namespace

std::size_t Interner::integer_slot(std::int64_t value) const {
  const std::size_t mask = integer_slots_.size() - 1;
  std::size_t at = place(value, integer_slots_.size());
  while (integer_slots_[at].number >= 0 && integer_slots_[at].value != value) at = (at + 1) & mask;
  return at;
}

std::int32_t Interner::integer(std::int64_t value) {
  if (2 * (integers_held_ + 1) > integer_slots_.size()) grow_integers();
  IntegerSlot& slot = integer_slots_[integer_slot(value)];
  if (slot.number < 0) {
    slot = {value, static_cast<std::int32_t>(integers_.size())};
    integers_.push_back(value);
    ++integers_held_;
  }
  return slot.number;
}

std::int32_t Interner::find_integer(std::int64_t value) const {
  return integer_slots_.empty() ? -1 : integer_slots_[integer_slot(value)].number;
}

void Interner::grow_integers() {
  std::vector<IntegerSlot> old(std::max(kFirstSlots, 2 * integer_slots_.size()));
  old.swap(integer_slots_);
  for (const IntegerSlot& slot : old)
    if (slot.number >= 0) integer_slots_[integer_slot(slot.value)] = slot;
}

std::size_t Interner::text_slot(std::string_view text, Kind kind, std::uint64_t hash) const {
  const std::size_t mask = text_slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  for (; text_slots_[at] >= 0; at = (at + 1) & mask) {
    const Text& other = texts_[static_cast<std::size_t>(text_slots_[at])];
    if (other.hash == hash && other.kind == kind && view(other) == text) break;
  }
  return at;
}

std::int32_t Interner::text_number(std::string_view text, Kind kind) {
  if (2 * (texts_.size() + 1) > text_slots_.size()) grow_texts();
  const std::uint64_t hash = hash_of(text, kind);
  std::int32_t& slot = text_slots_[text_slot(text, kind, hash)];
  if (slot < 0) {
    slot = static_cast<std::int32_t>(texts_.size());
    texts_.push_back({characters_.size(), text.size(), hash, static_cast<std::int32_t>(integers_.size()), kind});
    characters_ += text;
    integers_.push_back(kNoInteger);
  }
  return texts_[static_cast<std::size_t>(slot)].number;
}

std::int32_t Interner::find_string(std::string_view text) const {
  if (text_slots_.empty()) return -1;
  const std::int32_t slot = text_slots_[text_slot(text, Kind::kString, hash_of(text, Kind::kString))];
  return slot < 0 ? -1 : texts_[static_cast<std::size_t>(slot)].number;
}

void Interner::grow_texts() {
  text_slots_.assign(std::max(kFirstSlots, 2 * text_slots_.size()), -1);
  const std::size_t mask = text_slots_.size() - 1;
  for (std::size_t index = 0; index < texts_.size(); ++index) {
    std::size_t at = static_cast<std::size_t>(texts_[index].hash) & mask;
    while (text_slots_[at] >= 0) at = (at + 1) & mask;
    text_slots_[at] = static_cast<std::int32_t>(index);
  }
}

std::size_t Interner::text_index(std::int32_t number) const {
  const auto found = std::lower_bound(texts_.begin(), texts_.end(), number,
                                      [](const Text& text, std::int32_t wanted) { return text.number < wanted; });
  return static_cast<std::size_t>(found - texts_.begin());
}

Interner::Kind Interner::kind(std::int32_t number) const {
  if (integers_[static_cast<std::size_t>(number)] != kNoInteger) return Kind::kInteger;
  const std::size_t index = text_index(number);
  return index < texts_.size() && texts_[index].number == number ? texts_[index].kind : Kind::kConstant;
}

std::vector<std::int32_t> Interner::undecoded() const {
  std::vector<std::int32_t> numbers;
  for (const Text& text : texts_)
    if (text.kind == Kind::kJson) numbers.push_back(text.number);
  return numbers;
}

}  // namespace linpoint::histories
