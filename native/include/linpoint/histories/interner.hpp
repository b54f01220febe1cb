// SPDX-License-Identifier: Apache-2.0
// Numbers for values, in order of appearance: integers, strings, and JSON texts that have not been decoded yet.
//
// Guarantee: two integers, two strings or two texts share a number iff they are equal; a text never shares one with an
// integer or a string, even if it would decode to it. Cost: O(1) per value, one cache miss for scattered integers and
// less for consecutive ones, as in counters and ids. Memory: 20 bytes per distinct consecutive integer, 50 per
// scattered one; its own length plus 40 bytes per distinct text.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linpoint::histories {

/// Stands for a value that is not an integer of 64 bits.
inline constexpr std::int64_t kNoInteger = std::numeric_limits<std::int64_t>::min();

class Interner {
 public:
  enum class Kind : std::uint8_t { kConstant, kInteger, kString, kJson };

  /// The first `constants` numbers are reserved for constants of the caller.
  explicit Interner(std::size_t constants) : integers_(constants, kNoInteger) {}

  /// `value` must not be kNoInteger.
  std::int32_t integer(std::int64_t value);
  /// Prefetches the memory that `integer` is going to read.
  void prefetch(std::int64_t value) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[first_slot(value)]);
  }
  /// Interns all values and calls `put(index, number)` for each.
  template <typename Put>
  void integers(std::span<const std::int64_t> values, Put put);
  std::int32_t string(std::string_view text) { return text_number(text, Kind::kString); }
  std::int32_t json(std::string_view text) { return text_number(text, Kind::kJson); }

  /// Interns all values of another interner with the same constants; the result maps its numbers to numbers here.
  std::vector<std::int32_t> absorb(const Interner& other);

  /// The number of a value, or -1 if it has none.
  [[nodiscard]] std::int32_t find_integer(std::int64_t value) const;
  [[nodiscard]] std::int32_t find_string(std::string_view text) const;

  [[nodiscard]] std::size_t size() const { return integers_.size(); }
  [[nodiscard]] Kind kind(std::int32_t number) const;
  /// Integers by number; kNoInteger for other values.
  [[nodiscard]] std::span<const std::int64_t> integers() const { return integers_; }
  /// The text of a string or a JSON text.
  [[nodiscard]] std::string_view text(std::int32_t number) const { return view(texts_[text_index(number)]); }
  /// The numbers of the JSON texts.
  [[nodiscard]] std::vector<std::int32_t> undecoded() const;

 private:
  static constexpr unsigned kRunBits = 3;
  /// The numbers of eight integers that differ only in their last bits: logs contain many counters, which fill such
  /// runs.
  using Run = std::array<std::int32_t, 1U << kRunBits>;
  /// One integer with its number, or the first of several that have a run.
  struct Slot {
    std::int64_t integer = 0;
    std::int32_t number = kEmpty;  // for run i: kFirstRun - i
  };
  static constexpr std::int32_t kEmpty = -1;
  static constexpr std::int32_t kFirstRun = -2;
  struct Text {
    std::size_t offset;
    std::size_t size;
    std::uint64_t hash;
    std::int32_t number;
    Kind kind;
  };

  [[nodiscard]] std::string_view view(const Text& text) const {
    return std::string_view(characters_).substr(text.offset, text.size);
  }
  std::int32_t text_number(std::string_view text, Kind kind);
  [[nodiscard]] static bool share_run(std::int64_t one, std::int64_t other) {
    return (static_cast<std::uint64_t>(one) ^ static_cast<std::uint64_t>(other)) >> kRunBits == 0;
  }
  [[nodiscard]] static std::size_t place_of(std::int64_t value) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(value) % (1U << kRunBits));
  }
  [[nodiscard]] std::size_t first_slot(std::int64_t value) const;
  [[nodiscard]] std::size_t slot_of(std::int64_t value) const;
  std::int32_t& place_in_run(Slot& slot, std::int64_t value);
  std::int32_t add_integer(std::int64_t value);
  [[nodiscard]] std::size_t text_slot(std::string_view text, Kind kind, std::uint64_t hash) const;
  [[nodiscard]] std::size_t text_index(std::int32_t number) const;
  void grow_slots();
  void grow_texts();

  std::vector<std::int64_t> integers_;  // by number
  std::vector<Run> runs_;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
  std::size_t slots_held_ = 0;
  std::vector<Text> texts_;               // by ascending number
  std::vector<std::int32_t> text_slots_;  // indices into texts_, open addressing
  std::string characters_;
};

/// Fibonacci hashing, which spreads consecutive runs evenly.
inline std::size_t Interner::first_slot(std::int64_t value) const {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
  const auto shift = 64U - static_cast<unsigned>(std::countr_zero(slots_.size()));
  return static_cast<std::size_t>(((static_cast<std::uint64_t>(value) >> kRunBits) * kOdd) >> shift);
}

inline std::size_t Interner::slot_of(std::int64_t value) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = first_slot(value);
  while (slots_[at].number != kEmpty && !share_run(slots_[at].integer, value)) at = (at + 1) & mask;
  return at;
}

inline std::int32_t Interner::integer(std::int64_t value) {
  if (2 * (slots_held_ + 1) > slots_.size()) grow_slots();
  Slot& slot = slots_[slot_of(value)];
  if (slot.number >= 0 && slot.integer == value) return slot.number;
  if (slot.number == kEmpty) {
    slot = {value, add_integer(value)};
    ++slots_held_;
    return slot.number;
  }
  std::int32_t& number = place_in_run(slot, value);
  if (number < 0) number = add_integer(value);
  return number;
}

inline std::int32_t& Interner::place_in_run(Slot& slot, std::int64_t value) {
  if (slot.number >= 0) {
    runs_.emplace_back().fill(-1);
    runs_.back()[place_of(slot.integer)] = slot.number;
    slot.number = kFirstRun - static_cast<std::int32_t>(runs_.size() - 1);
  }
  return runs_[static_cast<std::size_t>(kFirstRun - slot.number)][place_of(value)];
}

inline std::int32_t Interner::add_integer(std::int64_t value) {
  integers_.push_back(value);
  return static_cast<std::int32_t>(integers_.size() - 1);
}

template <typename Put>
void Interner::integers(std::span<const std::int64_t> values, Put put) {
  constexpr std::size_t kAhead = 16;
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (at + kAhead < values.size()) prefetch(values[at + kAhead]);
    put(at, integer(values[at]));
  }
}

}  // namespace linpoint::histories
