// SPDX-License-Identifier: Apache-2.0
// The forms of EDN: scalars, lists, maps and sets, and everything between them.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>
#include <tuple>
#include <vector>

#include "histories/float_times.hpp"
#include "histories/json_integer.hpp"
#include "histories/json_scan.hpp"
#include "histories/json_text.hpp"
#include "histories/utf8.hpp"
#include "histories/value_text.hpp"
#include "linpoint/histories/edn_reader.hpp"

namespace linpoint::histories {

namespace {

/// Half the limit of the Python reader, so that a tag before each list need not be counted.
constexpr int kDeepest = 28;
constexpr std::size_t kMostDigits = 300;

/// Whether a character ends a symbol, keyword or number.
bool ends_token(char each) {
  static constexpr auto kEnds = [] {
    std::array<bool, 256> ends{};
    for (unsigned code = 0; code <= 0x20; ++code) ends[code] = true;
    for (const char other : std::string_view(",;\"()[]{}\\")) ends[static_cast<unsigned char>(other)] = true;
    return ends;
  }();
  return kEnds[static_cast<unsigned char>(each)];
}

bool is_letter(char each) { return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z'); }

/// The token that begins here; empty if it is ended by a character that readers interpret differently.
std::string_view token_at(const char* at) {
  const char* end = at;
  bool ascii = true;
  for (; !ends_token(*end); ++end) ascii = ascii && static_cast<unsigned char>(*end) < 0x80;
  const std::string_view text(at, static_cast<std::size_t>(end - at));
  const bool odd = static_cast<unsigned char>(*end) < 0x20 && std::strchr("\t\n\r", *end) == nullptr;
  return odd || (!ascii && holds_unicode_space(text)) ? std::string_view() : text;
}

std::string_view digits_of(std::string_view text) { return text.substr(0, text.find_first_not_of("0123456789")); }

/// The character for a letter after a backslash, or 0.
char escaped(char letter) {
  constexpr std::string_view kLetters = "trnbf\\\"/'";
  constexpr std::string_view kCharacters = "\t\r\n\b\f\\\"/'";
  const std::size_t found = kLetters.find(letter);
  return found == std::string_view::npos ? '\0' : kCharacters[found];
}

/// Appends a character by its code point, which is below U+10000 and not a surrogate.
void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    out += static_cast<char>(0xE0U | (code >> 12U));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

}  // namespace

const char* EdnReader::find_form(const char* at, int depth) {
  tagged_ = false;
  for (; at != nullptr;) {
    switch (*at) {
      case '\n':
        ++line_;
        [[fallthrough]];
      case ' ':
      case '\t':
      case '\r':
      case ',':
        ++at;
        break;
      case ';':
        at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end_ - at)));
        break;
      case '#':
        if (at[1] == '{') return at;
        if (at[1] != '_') {
          at = tagged_ ? nullptr : skip_tag(at + 1);
          tagged_ = true;
          break;
        }
        if (depth >= kDeepest) return nullptr;
        {
          const bool tagged = tagged_;
          at = skip_form(at + 2, depth + 1);
          tagged_ = tagged;
        }
        break;
      default:
        return at;
    }
  }
  return nullptr;
}

const char* EdnReader::skip_tag(const char* at) {
  if (!is_letter(*at) && !(*at == ':' && is_letter(at[1]))) return nullptr;
  const std::string_view tag = token_at(at);
  return tag.empty() ? nullptr : at + tag.size();
}

const char* EdnReader::read_form(const char* at, int depth, Token& token) {
  switch (*at) {
    case '[':
    case '(':
    case '{':
    case '#':
      token.kind = Token::Kind::kList;
      return read_list(at, depth);
    case '"':
      return read_string(at, token);
    case ':':
      return read_keyword(at, token);
    case '\0':
      return missing(at);
    default:
      return read_symbol(at, token);
  }
}

const char* EdnReader::read_list(const char* at, int depth) {
  if (depth >= kDeepest) return nullptr;
  const bool set = *at == '#';
  const bool map = *at == '{';
  const char close = *at == '[' ? ']' : *at == '(' ? ')' : '}';
  ListTokens& lists = events_.store().lists;
  const std::size_t header = kept_ ? lists.open() : 0;
  const std::size_t names = names_.open();
  std::size_t items = 0;
  at = find_form(at + (set ? 2 : 1), depth + 1);
  for (; at != nullptr && *at != close; ++items) {
    const bool name = map && items % 2 == 0;
    if (name && (*at == '[' || *at == '(' || *at == '{' || *at == '#')) return nullptr;
    Token item;
    at = read_form(at, depth + 1, item);
    if (at != nullptr && kept_ && !(name ? put_name(item) : put_item(item))) return nullptr;
    if (at != nullptr) at = find_form(at, depth + 1);
  }
  if (at == nullptr || tagged_ || (map && items % 2 != 0)) return nullptr;
  if (!kept_) return at + 1;
  if (map && !names_.close(names)) return nullptr;
  if (set && !sort_set(header + 1, items)) return nullptr;
  if (items > ListTokens::kMost) return nullptr;
  lists.close(header, map ? items / 2 : items, map);
  return at + 1;
}

bool EdnReader::put_item(const Token& token) {
  if (token.kind == Token::Kind::kJson || token.kind == Token::Kind::kFloat) return false;
  if (token.kind != Token::Kind::kList) events_.store().lists.put(events_.store().number(token));
  return true;
}

/// A name is a string, or the JSON of any other scalar.
bool EdnReader::put_name(const Token& token) {
  Token name = token;
  std::string written;
  if (token.kind != Token::Kind::kString) {
    if (token.kind == Token::Kind::kJson || token.kind == Token::Kind::kFloat) return false;
    json::append_token(written, token);
    name = {.kind = Token::Kind::kString, .integer = 0, .text = written};
  }
  const std::int32_t number = events_.store().number(name);
  names_.add(number);
  events_.store().lists.put(number);
  return true;
}

/// Numbers by size, then other values by their JSON text; duplicates are removed.
bool EdnReader::sort_set(std::size_t from, std::size_t& items) {
  ValueStore& store = events_.store();
  using Item = std::tuple<bool, std::int64_t, std::string, std::int32_t>;
  std::vector<Item> sorted;
  for (const std::int32_t number : store.lists.since(from)) {
    if (number < 0) return false;
    const std::int64_t integer = store.values.integers()[static_cast<std::size_t>(number)];
    std::string text;
    if (integer == kNoInteger && !ValueText(store.values, Notation::kJson).append_scalar(text, number)) return false;
    sorted.emplace_back(integer == kNoInteger, integer, std::move(text), number);
  }
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());  // clang 14 rejects std::ranges::unique
  store.lists.drop(from);
  for (const Item& item : sorted) store.lists.put(std::get<std::int32_t>(item));
  items = sorted.size();
  return true;
}

const char* EdnReader::read_string(const char* at, Token& token) {
  const char* const begin = ++at;
  for (; *at != '"'; ++at) {
    if (*at == '\\') return read_escaped(begin, token);
    if (*at == '\n') ++line_;
    if (*at == '\0') return missing(at);
  }
  token = {.kind = Token::Kind::kString, .integer = 0, .text = {begin, static_cast<std::size_t>(at - begin)}};
  return at + 1;
}

/// Reads a string with escapes, starting after its opening quote. Surrogates are declined: they may come in pairs.
const char* EdnReader::read_escaped(const char* at, Token& token) {
  line_ -= static_cast<std::int32_t>(std::count(at, std::find(at, end_, '\\'), '\n'));  // they are counted again
  text_.clear();
  for (; *at != '"'; ++at) {
    if (*at == '\0') return missing(at);
    if (*at == '\n') ++line_;
    if (*at != '\\') {
      text_ += *at;
    } else if (at[1] != 'u') {
      const char character = escaped(*++at);
      if (*at == '\0' && at == end_) return missing(at);
      if (character == '\0') return nullptr;
      text_ += character;
    } else {
      unsigned code = 0;
      const auto [end, error] = std::from_chars(at + 2, std::min(at + 6, end_), code, 16);
      if (end_ - at < 6) return missing(end_);
      if (error != std::errc() || end != at + 6 || (code >= 0xD800 && code <= 0xDFFF)) return nullptr;
      append_utf8(text_, code);
      at += 5;
    }
  }
  token = {.kind = Token::Kind::kString, .integer = 0, .text = text_};
  return at + 1;
}

const char* EdnReader::read_keyword(const char* at, Token& token) {
  const std::string_view name = token_at(at + 1);
  token = {.kind = Token::Kind::kString, .integer = 0, .text = name};
  return name.empty() ? nullptr : name.data() + name.size();
}

const char* EdnReader::read_symbol(const char* at, Token& token) {
  const char* const integer = json::read_integer(at, token.integer);
  if (integer != nullptr && ends_token(*integer)) {
    token.kind = Token::Kind::kInteger;
    return integer;
  }
  const std::string_view text = token_at(at);
  if (text.empty()) return nullptr;
  token = {.kind = Token::Kind::kString, .integer = 0, .text = text};
  if (text == "nil") token.kind = Token::Kind::kNull;
  if (text == "true") token.kind = Token::Kind::kTrue;
  if (text == "false") token.kind = Token::Kind::kFalse;
  const std::size_t sign = text.front() == '+' || text.front() == '-' ? 1 : 0;
  const std::size_t dot = sign < text.size() && text[sign] == '.' ? 1 : 0;
  const bool number = sign + dot < text.size() && json::is_digit(text[sign + dot]);
  return !number || read_number(text, token) ? at + text.size() : nullptr;
}

/// Integers of any size and decimals, with the suffixes of exact ones.
bool EdnReader::read_number(std::string_view text, Token& token) {
  if (text.size() > kMostDigits) return false;
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  const std::string_view whole = digits_of(text);
  if (whole.empty() || (whole.front() == '0' && whole.size() > 1)) return false;
  text_.clear();
  if (negative) text_ += '-';
  text_.append(whole);
  const std::string_view rest = text.substr(whole.size());
  if (!rest.empty() && rest != "N") return read_float(rest, token);
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), token.integer);
  const bool fits = error == std::errc() && token.integer != kNoInteger;
  token.kind = fits ? Token::Kind::kInteger : Token::Kind::kJson;
  token.text = text_;
  return true;
}

/// Reads the rest of a decimal after its integer part, which is in `text_`.
bool EdnReader::read_float(std::string_view text, Token& token) {
  if (text.front() == '.') {
    const std::string_view fraction = digits_of(text.substr(1));
    if (!fraction.empty()) text_.append(".").append(fraction);
    text.remove_prefix(1 + fraction.size());
  }
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    const std::size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 1 : 0;
    const std::string_view exponent = digits_of(text.substr(1 + sign));
    if (exponent.empty()) return false;
    text_ += 'e';
    if (sign == 1 && text[1] == '-') text_ += '-';
    text_.append(exponent);
    text.remove_prefix(1 + sign + exponent.size());
  }
  if (!text.empty() && text != "M") return false;
  double value = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return false;
  text_.clear();
  json::append_float(text_, value);
  const std::optional<std::int64_t> ordered = ordered_float(value);
  token = {.kind = ordered ? Token::Kind::kFloat : Token::Kind::kJson, .integer = ordered.value_or(0), .text = text_};
  return true;
}

}  // namespace linpoint::histories
