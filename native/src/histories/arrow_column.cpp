// SPDX-License-Identifier: Apache-2.0
#include "histories/arrow_column.hpp"

#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

namespace linpoint::histories {

namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

template <typename T>
T load(const std::uint8_t* values, std::size_t at) {
  T value{};
  std::memcpy(&value, values + at * sizeof value, sizeof value);
  return value;
}

bool is_set(const std::uint8_t* bits, std::size_t at) { return ((bits[at / 8] >> (at % 8)) & 1U) != 0; }

/// The nanoseconds of a unit given by its letter; 0 for an unknown letter.
std::int64_t nanoseconds(char unit) {
  switch (unit) {
    case 's':
      return 1'000'000'000;
    case 'm':
      return 1'000'000;
    case 'u':
      return 1'000;
    case 'n':
      return 1;
    default:
      return 0;
  }
}

}  // namespace

std::optional<ArrowColumn> ArrowColumn::of(const ArrowSchema& schema, const ArrowArray& array) {
  ArrowColumn column;
  if (array.length < 0 || array.offset < 0 || !column.understand(schema.format)) return std::nullopt;
  column.offset_ = static_cast<std::size_t>(array.offset);
  column.length_ = static_cast<std::size_t>(array.length);
  column.name_ = schema.name == nullptr ? "" : schema.name;
  const auto buffer = [&](std::int64_t at) {
    return at < array.n_buffers ? static_cast<const std::uint8_t*>(array.buffers[at]) : nullptr;
  };
  if (column.kind_ != Kind::kNull && array.null_count != 0) column.valid_ = buffer(0);
  column.values_ = buffer(1);
  if (column.kind_ == Kind::kText) column.characters_ = reinterpret_cast<const char*>(buffer(2));
  if (schema.dictionary != nullptr) {
    if (array.dictionary == nullptr || column.kind_ != Kind::kInteger || column.unit_ != 1) return std::nullopt;
    std::optional<ArrowColumn> dictionary = of(*schema.dictionary, *array.dictionary);
    if (!dictionary) return std::nullopt;
    column.dictionary_ = std::make_shared<ArrowColumn>(std::move(*dictionary));
  }
  if (!column.take_children(schema, array)) return std::nullopt;
  return column;
}

bool ArrowColumn::understand(std::string_view format) {
  constexpr std::string_view kIntegers = "cCsSiIlL";
  const std::size_t integer = format.size() == 1 ? kIntegers.find(format.front()) : std::string_view::npos;
  if (integer != std::string_view::npos) {
    width_ = 1U << (integer / 2);
    signed_ = integer % 2 == 0;
    kind_ = width_ == 8 && !signed_ ? Kind::kUnsigned : Kind::kInteger;
  } else if (format == "f" || format == "g") {
    kind_ = Kind::kFloat;
    width_ = format == "f" ? 4 : 8;
  } else if (format == "u" || format == "U") {
    kind_ = Kind::kText;
    width_ = format == "u" ? 4 : 8;
  } else if (format == "+l" || format == "+L") {
    kind_ = Kind::kList;
    width_ = format == "+l" ? 4 : 8;
  } else if (format.starts_with("+w:")) {
    kind_ = Kind::kList;
    std::from_chars(format.data() + 3, format.data() + format.size(), fixed_);
    return fixed_ >= 0;
  } else if (format == "+s") {
    kind_ = Kind::kStruct;
  } else if (format == "b") {
    kind_ = Kind::kBool;
  } else if (format.size() >= 3 && (format.starts_with("ts") || format.starts_with("tD"))) {
    kind_ = Kind::kInteger;
    width_ = 8;
    unit_ = nanoseconds(format[2]);
    return unit_ != 0;
  } else {
    return format == "n";
  }
  return true;
}

bool ArrowColumn::take_children(const ArrowSchema& schema, const ArrowArray& array) {
  if (schema.n_children != array.n_children) return false;
  for (std::int64_t at = 0; at < array.n_children; ++at) {
    std::optional<ArrowColumn> child = of(*schema.children[at], *array.children[at]);
    if (!child) return false;
    children_.push_back(std::move(*child));
  }
  return kind_ != Kind::kList || children_.size() == 1;
}

std::optional<std::size_t> ArrowColumn::find(std::size_t row) const {
  if (row >= length_ || kind_ == Kind::kNull) return std::nullopt;
  if (valid_ != nullptr && !is_set(valid_, offset_ + row)) return std::nullopt;
  if (!dictionary_) return row;
  const std::int64_t at = whole(offset_ + row);
  return at < 0 ? std::nullopt : dictionary_->find(static_cast<std::size_t>(at));
}

bool ArrowColumn::bit(std::size_t row) const { return is_set(values_, offset_ + row); }

/// An unscaled number.
std::int64_t ArrowColumn::whole(std::size_t at) const {
  switch (width_) {
    case 1:
      return signed_ ? load<std::int8_t>(values_, at) : load<std::uint8_t>(values_, at);
    case 2:
      return signed_ ? load<std::int16_t>(values_, at) : load<std::uint16_t>(values_, at);
    case 4:
      return signed_ ? std::int64_t{load<std::int32_t>(values_, at)} : std::int64_t{load<std::uint32_t>(values_, at)};
    default:
      return load<std::int64_t>(values_, at);
  }
}

std::optional<std::int64_t> ArrowColumn::integer(std::size_t row) const {
  const std::int64_t value = whole(offset_ + row);
  std::int64_t scaled = value;
  if ((unit_ != 1 && __builtin_mul_overflow(value, unit_, &scaled)) || scaled == kLowest) return std::nullopt;
  return scaled;
}

std::uint64_t ArrowColumn::unsigned_integer(std::size_t row) const {
  return load<std::uint64_t>(values_, offset_ + row);
}

double ArrowColumn::number(std::size_t row) const {
  return width_ == 4 ? static_cast<double>(load<float>(values_, offset_ + row)) : load<double>(values_, offset_ + row);
}

/// An offset into characters or items.
std::size_t ArrowColumn::bound(std::size_t at) const {
  return static_cast<std::size_t>(width_ == 4 ? std::int64_t{load<std::int32_t>(values_, at)}
                                              : load<std::int64_t>(values_, at));
}

std::string_view ArrowColumn::text(std::size_t row) const {
  const std::size_t begin = bound(offset_ + row);
  const std::size_t size = bound(offset_ + row + 1) - begin;
  return size == 0 ? std::string_view() : std::string_view(characters_ + begin, size);
}

std::pair<std::size_t, std::size_t> ArrowColumn::items(std::size_t row) const {
  const std::size_t at = offset_ + row;
  if (fixed_ < 0) return {bound(at), bound(at + 1)};
  const auto size = static_cast<std::size_t>(fixed_);
  return {at * size, (at + 1) * size};
}

}  // namespace linpoint::histories
