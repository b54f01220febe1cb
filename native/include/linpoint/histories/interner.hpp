// SPDX-License-Identifier: Apache-2.0
// Numbers for values, in order of appearance: integers, strings, and JSON texts that nobody has decoded yet.
//
// Guarantee: two integers, two strings or two texts share a number iff they are the same; a text never shares one
// with an integer or a string, even where it would decode to it. Cost: O(1) a value, one cache miss where integers
// lie apart and less where they follow each other, as counters and ids do. Memory: about 40 bytes a distinct integer,
// its own length and 40 bytes a distinct text.
#pragma once

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
  explicit Interner(std::int32_t constants) : integers_(static_cast<std::size_t>(constants), kNoInteger) {}

  /// `value` must not be kNoInteger.
  std::int32_t integer(std::int64_t value);
  std::int32_t string(std::string_view text) { return text_number(text, Kind::kString); }
  std::int32_t json(std::string_view text) { return text_number(text, Kind::kJson); }

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
  struct IntegerSlot {
    std::int64_t value;
    std::int32_t number = -1;
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
  [[nodiscard]] std::size_t integer_slot(std::int64_t value) const;
  [[nodiscard]] std::size_t text_slot(std::string_view text, Kind kind, std::uint64_t hash) const;
  [[nodiscard]] std::size_t text_index(std::int32_t number) const;
  void grow_integers();
  void grow_texts();

  std::vector<std::int64_t> integers_;      // by number
  std::vector<IntegerSlot> integer_slots_;  // open addressing, a power of two
  std::size_t integers_held_ = 0;
  std::vector<Text> texts_;               // by ascending number
  std::vector<std::int32_t> text_slots_;  // indices into texts_, open addressing
  std::string characters_;
};

}  // namespace linpoint::histories
