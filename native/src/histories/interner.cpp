// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/interner.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hashing.hpp"

namespace linpoint::histories {

namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
constexpr std::size_t kFirstSlots = 64;

template <typename T>
T load(std::string_view text, std::size_t at) {
  T word = 0;
  std::memcpy(&word, text.data() + at, sizeof word);
  return word;
}

std::uint64_t hash_of(std::string_view text, Interner::Kind kind) {
  std::uint64_t hash = (text.size() + 1) * kOdd + static_cast<std::uint64_t>(kind);
  const auto add = [&](std::uint64_t word) { hash = mix(hash ^ word); };
  for (; text.size() > 8; text.remove_prefix(8)) add(load<std::uint64_t>(text, 0));
  // Reads the rest with two loads that may overlap; a single load of variable length would be far slower.
  if (text.size() >= 4) {
    add(load<std::uint32_t>(text, 0) | std::uint64_t{load<std::uint32_t>(text, text.size() - 4)} << 32U);
  } else if (!text.empty()) {
    const auto byte = [&](std::size_t at) { return std::uint64_t{load<std::uint8_t>(text, at)}; };
    add(byte(0) | byte(text.size() / 2) << 8U | byte(text.size() - 1) << 16U);
  }
  return hash;
}

}  // namespace

std::vector<std::int32_t> Interner::absorb(const Interner& other) {
  constexpr std::size_t kAhead = 16;
  integers_.reserve(integers_.size() + other.integers_.size());
  std::vector<std::int32_t> numbers(other.size());
  auto text = other.texts_.begin();
  for (std::size_t number = 0; number < numbers.size(); ++number) {
    if (number + kAhead < numbers.size()) prefetch(other.integers_[number + kAhead]);
    if (other.integers_[number] != kNoInteger) {
      numbers[number] = integer(other.integers_[number]);
    } else if (text != other.texts_.end() && std::cmp_equal(text->number, number)) {
      numbers[number] = text_number(other.view(*text), text->kind);
      ++text;
    } else {
      numbers[number] = static_cast<std::int32_t>(number);
    }
  }
  return numbers;
}

std::int32_t Interner::find_integer(std::int64_t value) const {
  if (slots_.empty()) return -1;
  const Slot& slot = slots_[slot_of(value)];
  if (slot.number >= 0) return slot.integer == value ? slot.number : -1;
  return slot.number == kEmpty ? -1 : runs_[static_cast<std::size_t>(kFirstRun - slot.number)][place_of(value)];
}

void Interner::grow_slots() {
  std::vector<Slot> old(std::max(kFirstSlots, 2 * slots_.size()));
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.number != kEmpty) slots_[slot_of(slot.integer)] = slot;
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
