// SPDX-License-Identifier: Apache-2.0
#include "histories/value_text.hpp"

#include <algorithm>

#include "histories/json_text.hpp"
#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/value_store.hpp"

namespace linpoint::histories {

namespace {

/// Writes strings with the escapes that Clojure's own reader supports.
void append_edn_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char each : text) {
    const std::size_t escape = std::string_view("\\\"\n\r\t").find(each);
    if (escape == std::string_view::npos)
      out += each;
    else
      out.append({'\\', "\\\"nrt"[escape]});
  }
  out += '"';
}

}  // namespace

std::size_t item_size(std::span<const std::int32_t> tokens) {
  std::size_t at = 0;
  for (std::int64_t left = 1; left > 0; ++at, --left) {
    const std::int32_t token = tokens[at];
    if (token <= Lists::kFirstObject)
      left += 2 * (std::int64_t{Lists::kFirstObject} - token);
    else if (token < 0)
      left += std::int64_t{Lists::kFirst} - token;
  }
  return at;
}

bool ValueText::append(std::string& out, const std::int32_t*& token) const {
  const std::int32_t header = *token++;
  if (header >= 0) return append_scalar(out, header);
  const bool object = header <= Lists::kFirstObject;
  const std::string_view between = notation_ == Notation::kJson          ? ", "
                                   : notation_ == Notation::kCompactJson ? ","
                                                                         : " ";
  const std::int32_t items = (object ? Lists::kFirstObject : Lists::kFirst) - header;
  out += object ? '{' : '[';
  for (std::int32_t item = 0; item < items; ++item) {
    if (item > 0) out += object && notation_ == Notation::kEdn ? ", " : between;
    if (object) {
      if (!append_scalar(out, *token++)) return false;
      out += notation_ == Notation::kJson ? ": " : notation_ == Notation::kCompactJson ? ":" : " ";
    }
    if (!append(out, token)) return false;
  }
  out += object ? '}' : ']';
  return true;
}

bool ValueText::append_scalar(std::string& out, std::int32_t number) const {
  const std::int64_t integer = values_.integers()[static_cast<std::size_t>(number)];
  if (integer != kNoInteger) {
    json::append_integer(out, integer);
    return true;
  }
  switch (number) {
    case ValueStore::kNull:
      out += notation_ == Notation::kEdn ? "nil" : "null";
      return true;
    case ValueStore::kTrue:
      out += "true";
      return true;
    case ValueStore::kFalse:
      out += "false";
      return true;
    default:
      return values_.kind(number) == Interner::Kind::kJson ? append_written(out, number)
                                                           : append_string(out, values_.text(number));
  }
}

bool ValueText::append_string(std::string& out, std::string_view text) const {
  if (notation_ == Notation::kEdn)
    append_edn_string(out, text);
  else
    json::append_string(out, text);
  return true;
}

bool ValueText::append_written(std::string& out, std::int32_t number) const {
  const auto found = std::ranges::lower_bound(written_, number, {}, &Written::first);
  if (found == written_.end() || found->first != number) return false;
  out += found->second;
  return true;
}

}  // namespace linpoint::histories
