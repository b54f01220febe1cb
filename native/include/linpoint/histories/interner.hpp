// SPDX-License-Identifier: Apache-2.0
// Numbers for values, in order of appearance: integers, strings, and JSON texts that nobody has decoded yet.
//
// Guarantee: two integers, two strings or two texts share a number iff they are the same; a text never shares one
// with an integer or a string, even where it would decode to it. Cost: O(1) a value, one cache miss where integers
// lie apart and less where they follow each other, as counters and ids do. Memory: 20 bytes a distinct integer where they
// do, 80 where they lie apart; its own length and 40 bytes a distinct text.
#pragma once

#include <algorithm>
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

/// What stands for a value that is no integer of 64 bits.
inline constexpr std::int64_t kNoInteger = std::numeric_limits<std::int64_t>::min();

class Interner {
 public:
  enum class Kind : std::uint8_t { kConstant, kInteger, kString, kJson };

  /// The first numbers are for constants that the caller knows.
  explicit Interner(std::size_t constants) : integers_(constants, kNoInteger) {}

  /// `value` must not be kNoInteger.
  std::int32_t integer(std::int64_t value);
  /// Begin to fetch what `integer` is going to look at.
  void prefetch(std::int64_t value) const {
    if (!run_slots_.empty()) __builtin_prefetch(&run_slots_[slot_of(key_of(value))]);
  }
  /// All of them, with `put(index, number)` for each.
  template <typename Put>
  void integers(std::span<const std::int64_t> values, Put put);
  std::int32_t string(std::string_view text) { return text_number(text, Kind::kString); }
  std::int32_t json(std::string_view text) { return text_number(text, Kind::kJson); }

  /// The numbers here of all values of another interner with the same constants, by their numbers there.
  std::vector<std::int32_t> absorb(const Interner& other);

  /// The number of a value that has one, else -1.
  [[nodiscard]] std::int32_t find_integer(std::int64_t value) const;
  [[nodiscard]] std::int32_t find_string(std::string_view text) const;

  [[nodiscard]] std::size_t size() const { return integers_.size(); }
  [[nodiscard]] Kind kind(std::int32_t number) const;
  /// By number; kNoInteger for what is none.
  [[nodiscard]] std::span<const std::int64_t> integers() const { return integers_; }
  /// Of a string or a JSON text.
  [[nodiscard]] std::string_view text(std::int32_t number) const { return view(texts_[text_index(number)]); }
  /// The numbers of the JSON texts.
  [[nodiscard]] std::vector<std::int32_t> undecoded() const;

 private:
  static constexpr unsigned kRunBits = 3;
  /// The numbers of eight integers that differ in their last bits only: logs are full of counters, which fill them.
  using Run = std::array<std::int32_t, 1U << kRunBits>;
  struct RunSlot {
    std::int64_t key = 0;
    std::int32_t run = -1;
  };
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
  [[nodiscard]] static std::int64_t key_of(std::int64_t value) { return value >> kRunBits; }  // NOLINT
  [[nodiscard]] static std::size_t place_of(std::int64_t value) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(value) % (1U << kRunBits));
  }
  [[nodiscard]] std::size_t slot_of(std::int64_t key) const;
  [[nodiscard]] std::size_t run_slot(std::int64_t key) const;
  [[nodiscard]] std::size_t text_slot(std::string_view text, Kind kind, std::uint64_t hash) const;
  [[nodiscard]] std::size_t text_index(std::int32_t number) const;
  void grow_runs();
  void grow_texts();

  std::vector<std::int64_t> integers_;  // by number
  std::vector<Run> runs_;
  std::vector<RunSlot> run_slots_;        // open addressing, a power of two, at most half full
  std::vector<Text> texts_;               // by ascending number
  std::vector<std::int32_t> text_slots_;  // indices into texts_, open addressing
  std::string characters_;
};

/// Fibonacci hashing, which spreads keys that follow each other evenly.
inline std::size_t Interner::slot_of(std::int64_t key) const {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
  const auto shift = 64U - static_cast<unsigned>(std::countr_zero(run_slots_.size()));
  return static_cast<std::size_t>((static_cast<std::uint64_t>(key) * kOdd) >> shift);
}

inline std::size_t Interner::run_slot(std::int64_t key) const {
  const std::size_t mask = run_slots_.size() - 1;
  std::size_t at = slot_of(key);
  while (run_slots_[at].run >= 0 && run_slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

inline std::int32_t Interner::integer(std::int64_t value) {
  if (2 * (runs_.size() + 1) > run_slots_.size()) grow_runs();
  RunSlot& slot = run_slots_[run_slot(key_of(value))];
  if (slot.run < 0) {
    slot = {key_of(value), static_cast<std::int32_t>(runs_.size())};
    runs_.emplace_back().fill(-1);
  }
  std::int32_t& number = runs_[static_cast<std::size_t>(slot.run)][place_of(value)];
  if (number < 0) {
    number = static_cast<std::int32_t>(integers_.size());
    integers_.push_back(value);
  }
  return number;
}

template <typename Put>
void Interner::integers(std::span<const std::int64_t> values, Put put) {
  constexpr std::size_t kAhead = 16;
  const std::size_t early = values.size() - std::min(kAhead, values.size());
  for (std::size_t at = 0; at < values.size() - early; ++at) prefetch(values[at]);
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (at < early) prefetch(values[at + kAhead]);
    put(at, integer(values[at]));
  }
}

}  // namespace linpoint::histories
