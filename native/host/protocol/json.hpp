// SPDX-License-Identifier: Apache-2.0
// Writes the JSON that results need. Text of the program may contain any bytes; invalid UTF-8 becomes U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace linpoint::runtime {

/// A key that the protocol declares.
struct Name {
  std::string_view text;
};

class Json {
 public:
  Json& open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  Json& close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  Json& key(Name name) { return entry(name.text); }
  /// A key that is data.
  Json& entry(std::string_view name) {
    separate();
    quote(name);
    text_ += ':';
    first_ = true;
    return *this;
  }
  Json& value(std::string_view text) {
    separate();
    quote(text);
    return *this;
  }
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(bool holds) { return raw(holds ? "true" : "false"); }
  template <typename Number>
    requires std::is_integral_v<Number>
  Json& value(Number number) {
    return raw(std::to_string(number));
  }
  Json& null() { return raw("null"); }
  Json& raw(std::string_view text) {
    separate();
    text_ += text;
    return *this;
  }
  template <typename Value>
  Json& field(Name name, const Value& what) {
    return key(name).value(what);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  void quote(std::string_view text);

  std::string text_;
  bool first_ = true;
};

}  // namespace linpoint::runtime
