// SPDX-License-Identifier: Apache-2.0
// Arguments and results of operations as JSON, and their types.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace linpoint::detail {

template <typename Type>
inline constexpr bool is_optional = false;
template <typename Type>
inline constexpr bool is_optional<std::optional<Type>> = true;
template <typename Type>
inline constexpr bool is_list = false;
template <typename Type, typename Allocator>
inline constexpr bool is_list<std::vector<Type, Allocator>> = true;
template <typename Type, std::size_t Size>
inline constexpr bool is_list<std::array<Type, Size>> = true;
template <typename Type>
inline constexpr bool is_array = false;
template <typename Type, std::size_t Size>
inline constexpr bool is_array<std::array<Type, Size>> = true;
template <typename Type>
inline constexpr bool is_tuple = false;
template <typename... Types>
inline constexpr bool is_tuple<std::tuple<Types...>> = true;
template <typename First, typename Second>
inline constexpr bool is_tuple<std::pair<First, Second>> = true;
template <typename Type>
inline constexpr bool is_text = std::is_same_v<Type, std::string> || std::is_same_v<Type, std::string_view> ||
                                std::is_same_v<Type, const char*> || std::is_same_v<Type, char*>;
template <typename Type>
inline constexpr bool never = false;

/// Reads JSON text as values of known types. Remembers whether anything did not fit.
class Reader {
 public:
  explicit Reader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] bool at_end() {
    skip();
    return at_ == end_;
  }
  bool take(char letter) {
    skip();
    if (at_ == end_ || *at_ != letter) return false;
    ++at_;
    return true;
  }
  void need(char letter) {
    if (!take(letter)) fits_ = false;
  }
  bool take_word(std::string_view word) {
    skip();
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  std::string number() {
    skip();
    const char* begin = at_;
    while (at_ != end_ && std::string_view("+-.0123456789eE").find(*at_) != std::string_view::npos) ++at_;
    if (begin == at_) fits_ = false;
    return {begin, at_};
  }
  std::string text() {
    std::string read;
    need('"');
    while (fits_ && at_ != end_ && *at_ != '"') letter(read);
    need('"');
    return read;
  }
  void refuse() { fits_ = false; }

 private:
  void skip() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  void letter(std::string& into) {
    if (*at_ != '\\') {
      into += *at_++;
      return;
    }
    if (++at_ == end_) return refuse();
    const char escape = *at_++;
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    const std::size_t known = kEscapes.find(escape);
    if (known != std::string_view::npos) {
      into += kMeant[known];
    } else if (escape == 'u') {
      std::uint32_t code = unit();
      if (code >= 0xD800 && code < 0xDC00) {
        need('\\');
        need('u');
        code = 0x10000 + ((code - 0xD800) << 10U) + (unit() - 0xDC00);
      }
      append_utf8(into, code);
    } else {
      refuse();
    }
  }

  std::uint32_t unit() {
    std::uint32_t code = 0;
    for (int digit = 0; digit < 4; ++digit) {
      const std::string_view digits = "0123456789abcdef";
      const std::size_t value = at_ == end_ ? std::string_view::npos : digits.find(static_cast<char>(*at_ | 0x20));
      if (value == std::string_view::npos) {
        refuse();
        return 0;
      }
      code = code * 16 + static_cast<std::uint32_t>(value);
      ++at_;
    }
    return code;
  }

  static void append_utf8(std::string& into, std::uint32_t code) {
    const auto put = [&into](std::uint32_t byte) { into += static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
      put(0xC0 | (code >> 6U));
    } else if (code < 0x10000) {
      put(0xE0 | (code >> 12U));
      put(0x80 | ((code >> 6U) & 0x3FU));
    } else {
      put(0xF0 | (code >> 18U));
      put(0x80 | ((code >> 12U) & 0x3FU));
      put(0x80 | ((code >> 6U) & 0x3FU));
    }
    put(0x80 | (code & 0x3FU));
  }

  const char* at_;
  const char* end_;
  bool fits_ = true;
};

template <typename Integer>
Integer read_integer(Reader& reader) {
  const std::string digits = reader.number();
  if (digits.find_first_of(".eE") != std::string::npos) reader.refuse();
  if constexpr (std::is_signed_v<Integer>) {
    const long long wide = std::strtoll(digits.c_str(), nullptr, 10);
    if (wide < std::numeric_limits<Integer>::min() || wide > std::numeric_limits<Integer>::max()) reader.refuse();
    return static_cast<Integer>(wide);
  } else {
    const unsigned long long wide = std::strtoull(digits.c_str(), nullptr, 10);
    if (wide > std::numeric_limits<Integer>::max() || (!digits.empty() && digits[0] == '-')) reader.refuse();
    return static_cast<Integer>(wide);
  }
}

template <typename Type>
Type read_value(Reader& reader);

template <typename Tuple, std::size_t... Numbers>
Tuple read_tuple(Reader& reader, std::index_sequence<Numbers...> /*unused*/) {
  reader.need('[');
  Tuple tuple{(Numbers != 0 ? reader.need(',') : void(), read_value<std::tuple_element_t<Numbers, Tuple>>(reader))...};
  reader.need(']');
  return tuple;
}

template <typename List>
List read_list(Reader& reader) {
  std::vector<typename List::value_type> items;
  reader.need('[');
  while (reader.fits() && !reader.take(']')) {
    if (!items.empty()) reader.need(',');
    items.push_back(read_value<typename List::value_type>(reader));
  }
  if constexpr (std::is_same_v<List, std::vector<typename List::value_type>>) {
    return items;
  } else {
    List list{};
    if (items.size() != list.size()) reader.refuse();
    for (std::size_t at = 0; at < list.size() && at < items.size(); ++at) list[at] = std::move(items[at]);
    return list;
  }
}

template <typename Type>
Type read_value(Reader& reader) {
  if constexpr (std::is_same_v<Type, bool>) {
    const bool yes = reader.take_word("true");
    if (!yes && !reader.take_word("false")) reader.refuse();
    return yes;
  } else if constexpr (std::is_same_v<Type, char>) {
    const std::string text = reader.text();
    if (text.size() != 1) reader.refuse();
    return text.empty() ? '\0' : text[0];
  } else if constexpr (std::is_enum_v<Type>) {
    return static_cast<Type>(read_integer<std::underlying_type_t<Type>>(reader));
  } else if constexpr (std::is_integral_v<Type>) {
    return read_integer<Type>(reader);
  } else if constexpr (std::is_floating_point_v<Type>) {
    return static_cast<Type>(std::strtod(reader.number().c_str(), nullptr));
  } else if constexpr (std::is_same_v<Type, std::string>) {
    return reader.text();
  } else if constexpr (is_optional<Type>) {
    if (reader.take_word("null")) return std::nullopt;
    return read_value<typename Type::value_type>(reader);
  } else if constexpr (is_tuple<Type>) {
    return read_tuple<Type>(reader, std::make_index_sequence<std::tuple_size_v<Type>>());
  } else if constexpr (is_list<Type>) {
    return read_list<Type>(reader);
  } else {
    static_assert(never<Type>, "an argument of an operation cannot have this type: give the test a method of its own");
  }
}

/// Text that is not UTF-8 is written as its bytes.
void write_text(std::string& into, std::string_view text);

template <typename Type>
void write_value(std::string& into, const Type& value) {
  if constexpr (std::is_same_v<Type, bool>) {
    into += value ? "true" : "false";
  } else if constexpr (std::is_same_v<Type, char>) {
    write_text(into, std::string_view(&value, 1));
  } else if constexpr (std::is_enum_v<Type>) {
    write_value(into, static_cast<std::underlying_type_t<Type>>(value));
  } else if constexpr (std::is_integral_v<Type>) {
    into += std::to_string(value);
  } else if constexpr (std::is_floating_point_v<Type>) {
    std::array<char, 40> digits{};
    int precision = 17;
    if constexpr (std::is_same_v<Type, float>) {
      // The fewest digits that distinguish it from other floats, so that 0.1 stays 0.1 instead of becoming the nearest
      // double.
      for (precision = 1; precision < 9; ++precision) {
        (void)std::snprintf(digits.data(), digits.size(), "%.*g", precision, static_cast<double>(value));
        if (std::strtof(digits.data(), nullptr) == value) break;
      }
    }
    (void)std::snprintf(digits.data(), digits.size(), "%.*g", precision, static_cast<double>(value));
    const bool plain = std::string_view(digits.data()).find_first_not_of("+-.0123456789e") == std::string_view::npos;
    into += plain ? digits.data() : "{\"number\":\"" + std::string(digits.data()) + "\"}";
  } else if constexpr (std::is_same_v<Type, const char*> || std::is_same_v<Type, char*>) {
    if (value == nullptr)
      into += "null";
    else
      write_text(into, value);
  } else if constexpr (is_text<Type>) {
    write_text(into, value);
  } else if constexpr (is_optional<Type>) {
    if (value)
      write_value(into, *value);
    else
      into += "null";
  } else if constexpr (is_tuple<Type>) {
    into += '[';
    std::apply(
        [&into](const auto&... each) {
          bool first = true;
          ((into += std::exchange(first, false) ? "" : ",", write_value(into, each)), ...);
        },
        value);
    into += ']';
  } else if constexpr (is_list<Type>) {
    into += '[';
    bool first = true;
    for (const auto& each : value) {
      if (!std::exchange(first, false)) into += ',';
      write_value<typename Type::value_type>(into, each);
    }
    into += ']';
  } else {
    static_assert(never<Type>, "the result of an operation cannot have this type: give the test a method of its own");
  }
}

inline void write_text(std::string& into, std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto hex = [&into](unsigned value) { into += "0123456789abcdef"[value & 15U]; };
  const std::size_t begin = into.size();
  into += '"';
  for (std::size_t at = 0; at < text.size();) {
    const unsigned lead = byte(at);
    const std::size_t more = lead < 0x80 ? 0 : lead >= 0xC2 && lead < 0xE0 ? 1 : lead >= 0xE0 && lead < 0xF0 ? 2 : 3;
    bool whole = lead < 0x80 || (lead >= 0xC2 && lead < 0xF5 && at + more < text.size());
    for (std::size_t next = 1; whole && next <= more; ++next) whole = (byte(at + next) & 0xC0U) == 0x80;
    if (whole && more == 2) whole = !(lead == 0xE0 && byte(at + 1) < 0xA0) && !(lead == 0xED && byte(at + 1) >= 0xA0);
    if (whole && more == 3) whole = !(lead == 0xF0 && byte(at + 1) < 0x90) && !(lead == 0xF4 && byte(at + 1) >= 0x90);
    if (!whole) {
      into.resize(begin);
      into += "{\"bytes\":\"";
      for (const char each : text) {
        hex(static_cast<unsigned char>(each) >> 4U);
        hex(static_cast<unsigned char>(each));
      }
      into += "\"}";
      return;
    }
    if (lead == '"' || lead == '\\') {
      into += '\\';
      into += text[at];
    } else if (lead < 0x20 || lead == 0x7F) {
      into += "\\u00";
      hex(lead >> 4U);
      hex(lead);
    } else {
      into.append(text, at, more + 1);
    }
    at += more + 1;
  }
  into += '"';
}

template <typename Type>
void describe_type(std::string& into);

template <typename Tuple, std::size_t... Numbers>
void describe_parts(std::string& into, std::index_sequence<Numbers...> /*unused*/) {
  ((into += Numbers != 0 ? "," : "", describe_type<std::tuple_element_t<Numbers, Tuple>>(into)), ...);
}

/// Describes the type in JSON: its kind, and the details of that kind.
template <typename Type>
void describe_type(std::string& into) {
  if constexpr (std::is_void_v<Type>) {
    into += R"({"kind":"nothing"})";
  } else if constexpr (std::is_same_v<Type, bool>) {
    into += R"({"kind":"boolean"})";
  } else if constexpr (std::is_same_v<Type, char>) {
    into += R"({"kind":"letter"})";
  } else if constexpr (std::is_enum_v<Type>) {
    describe_type<std::underlying_type_t<Type>>(into);
  } else if constexpr (std::is_integral_v<Type>) {
    into += R"({"kind":"integer","least":)" + std::to_string(std::numeric_limits<Type>::min());
    into += R"(,"most":)" + std::to_string(std::numeric_limits<Type>::max()) + "}";
  } else if constexpr (std::is_floating_point_v<Type>) {
    into += R"({"kind":"number"})";
  } else if constexpr (is_text<Type>) {
    into += R"({"kind":"string"})";
  } else if constexpr (is_optional<Type>) {
    into += R"({"kind":"optional","parts":[)";
    describe_type<typename Type::value_type>(into);
    into += "]}";
  } else if constexpr (is_tuple<Type>) {
    into += R"({"kind":"tuple","parts":[)";
    describe_parts<Type>(into, std::make_index_sequence<std::tuple_size_v<Type>>());
    into += "]}";
  } else if constexpr (is_array<Type>) {
    into += R"({"kind":"tuple","parts":[)";
    for (std::size_t number = 0; number < std::tuple_size_v<Type>; ++number) {
      if (number != 0) into += ',';
      describe_type<typename Type::value_type>(into);
    }
    into += "]}";
  } else if constexpr (is_list<Type>) {
    into += R"({"kind":"list","parts":[)";
    describe_type<typename Type::value_type>(into);
    into += "]}";
  } else {
    static_assert(never<Type>, "an operation cannot take or return this type: give the test a method of its own");
  }
}

}  // namespace linpoint::detail
