// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/line_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "histories/float_times.hpp"
#include "histories/json_scan.hpp"
#include "histories/utf8.hpp"

namespace linpoint::histories {

namespace {

// Every name of ours fits into eight bytes with its closing quote; the order is that of Field.
constexpr std::array kNames{
    json::Word("process\""), json::Word("op\""),   json::Word("args\""),
    json::Word("result\""),  json::Word("call\""), json::Word("return\""),
    json::Word("outcome\""), json::Word("key\""),  json::Word("order\""),
};

constexpr std::size_t kMostWaiting = 32;
constexpr std::int64_t kLargestTime = 4'611'686'018'427'387'904;  // 2^62, so that no sum of two overflows

constexpr std::uint8_t kCallIsFloat = 1;
constexpr std::uint8_t kReturnIsFloat = 2;

bool is_whole_time(const Token& token) {
  return token.kind == Token::Kind::kInteger && token.integer > -kLargestTime && token.integer < kLargestTime;
}

/// Whether a token is a time; the integer of a float becomes one that compares as it does.
bool is_time(Token& token) {
  if (token.kind != Token::Kind::kJson) return is_whole_time(token);
  const std::optional<std::int64_t> time = ordered_text(token.text);
  token.integer = time.value_or(0);
  return time.has_value();
}

/// The outcome that a line names; without a return, what is not failed is unknown.
std::optional<Outcome> outcome_of(const Token& token, bool returned) {
  const Outcome fallback = returned ? Outcome::kOk : Outcome::kUnknown;
  if (token.kind == Token::Kind::kMissing) return fallback;
  if (token.kind != Token::Kind::kString) return std::nullopt;
  if (token.text == "ok") return fallback;
  if (token.text == "failed") return Outcome::kFailed;
  if (token.text == "unknown") return Outcome::kUnknown;
  return std::nullopt;
}

/// From behind a name to the value.
const char* skip_colon(const char* at) {
  at = json::skip_space(at);
  return *at == ':' ? json::skip_space(at + 1) : nullptr;
}

}  // namespace

/// The fields of one line as they stand there.
struct LineReader::Line {
  std::array<Token, kFields> fields;
  bool other = false;  // has a field of lines without an operation

  [[nodiscard]] const Token& operator[](Field field) const { return fields[field]; }
};

LineReader::Field LineReader::field_named(std::uint64_t text, Field expected) {
  static_assert(kNames.size() == kFields);
  if (expected != kUnknown && kNames[expected].begins(text)) return expected;
  for (std::uint8_t field = 0; field < kFields; ++field)
    if (kNames[field].begins(text)) return static_cast<Field>(field);
  return kUnknown;
}

bool LineReader::feed(std::string_view block) {
  if (declined_) return false;
  if (block_.size() < held_ + block.size() + json::kLookahead) block_.resize(held_ + block.size() + json::kLookahead);
  std::memcpy(block_.data() + held_, block.data(), block.size());
  const std::size_t end = held_ + block.size();
  const std::size_t newline = std::string_view(block_).substr(held_, block.size()).rfind('\n');
  if (newline == std::string_view::npos) {
    held_ = end;
    return true;
  }
  const std::size_t complete = held_ + newline + 1;
  if (columns_.size() == 0) reserve(std::string_view(block_).substr(0, complete));
  declined_ = !read(block_.data(), block_.data() + complete);
  held_ = end - complete;
  std::memmove(block_.data(), block_.data() + complete, held_);
  return !declined_;
}

void LineReader::reserve(std::string_view lines) {
  const auto counted = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  if (counted == 0) return;
  const std::size_t operations = expected_bytes_ / (lines.size() / counted);
  const std::size_t enough = operations + operations / 16 + counted;
  for (std::vector<std::int32_t>* column : {
           &columns_.process,
           &columns_.key,
           &columns_.name,
           &columns_.result,
           &columns_.first_argument,
           &columns_.arguments,
           &lines_,
       })
    column->reserve(enough);
  for (std::vector<std::int64_t>* column : {&columns_.call, &columns_.ret}) column->reserve(enough);
  columns_.outcome.reserve(enough);
}

bool LineReader::flush() {
  if (!declined_ && held_ > 0) feed("\n");
  settle();
  block_ = {};
  arguments_ = {};
  waiting_ = {};
  return !declined_;
}

bool LineReader::finish() {
  flush();
  if (columns_.size() == 0 && others_.empty()) declined_ = true;
  if (fractional() && !order_times()) declined_ = true;
  columns_.end = columns_.ret;
  columns_.lists = lists_.take();
  if (!columns_.hint.empty()) columns_.hint.resize(columns_.size(), kNoHint);
  if (columns_.first_argument.empty()) columns_.first_argument.push_back(0);
  return !declined_;
}

bool LineReader::read(const char* begin, const char* end) {
  if (!is_utf8({begin, static_cast<std::size_t>(end - begin)})) return false;
  lists_.begin(static_cast<std::size_t>(end - begin), expected_bytes_);
  for (const char* at = begin; at != end;) {
    ++line_;
    at = read_line(at);
    if (at == nullptr) return false;
  }
  lists_.settle(values_);
  return true;
}

const char* LineReader::read_line(const char* begin) {
  const char* at = json::skip_space(begin);
  if (*at == '\n') return at + 1;
  if (*at != '{') return nullptr;
  Line line;
  arguments_.clear();
  const std::size_t lists = lists_.size();
  Field field = kUnknown;
  do {
    at = json::skip_space(at + 1);
    if (*at != '"') return nullptr;
    field = next_[field] = field_named(json::word(at + 1), next_[field]);
    at = field == kUnknown ? skip_unknown(at, line) : read_field(at + 1 + kNames[field].length, field, line);
    if (at == nullptr) return nullptr;
    at = json::skip_space(at);
  } while (*at == ',');
  if (*at != '}') return nullptr;
  at = json::skip_space(at + 1);
  if (*at != '\n') return nullptr;
  if (line.other || line[kOp].kind == Token::Kind::kMissing) {
    others_.emplace_back(line_, std::string(begin, static_cast<std::size_t>(at - begin)));
    lists_.shrink(lists);
    return at + 1;
  }
  return keep(line) ? at + 1 : nullptr;
}

const char* LineReader::read_field(const char* at, Field field, Line& line) {
  Token& token = line.fields[field];
  if (token.kind != Token::Kind::kMissing) return nullptr;  // of several the last would count
  at = skip_colon(at);
  if (at == nullptr) return nullptr;
  if (field == kResult) return read_value(at, token);
  if (field != kArguments) return json::read_value(at, token);
  token.kind = Token::Kind::kJson;
  return read_arguments(at);
}

/// A result or an argument.
const char* LineReader::read_value(const char* at, Token& token) {
  if (*at != '[' && *at != '{') return json::read_value(at, token);
  const char* const end = lists_.read(at, values_);
  if (end == nullptr) return json::read_value(at, token);
  token.kind = Token::Kind::kList;
  token.integer = static_cast<std::int64_t>(lists_.size()) - 1;
  return end;
}

const char* LineReader::skip_unknown(const char* at, Line& line) {
  const char* const end = json::plain_string_end(at + 1);
  if (end == nullptr) return nullptr;
  const std::string_view name(at + 1, static_cast<std::size_t>(end - at - 1));
  if (name == "times") return nullptr;
  line.other = line.other || name == "crash" || name == "annotation";
  at = skip_colon(end + 1);
  return at == nullptr ? nullptr : json::skip_value(at, 0);
}

const char* LineReader::read_arguments(const char* at) {
  if (*at != '[') return nullptr;
  at = json::skip_space(at + 1);
  if (*at == ']') return at + 1;
  for (;;) {
    at = read_value(at, arguments_.emplace_back());
    if (at == nullptr) return nullptr;
    at = json::skip_space(at);
    if (*at == ']') return at + 1;
    if (*at != ',') return nullptr;
    at = json::skip_space(at + 1);
  }
}

std::optional<Outcome> LineReader::understood(Line& line) {
  const Token& process = line[kProcess];
  if (process.kind != Token::Kind::kInteger && process.kind != Token::Kind::kString) return std::nullopt;
  if (line[kOp].kind != Token::Kind::kString || line[kOp].text.empty()) return std::nullopt;
  if (!is_time(line.fields[kCall])) return std::nullopt;
  if (!line[kReturn].absent() && !is_time(line.fields[kReturn])) return std::nullopt;
  if (!line[kOrder].absent() && !is_whole_time(line[kOrder])) return std::nullopt;
  const std::optional<Outcome> outcome = outcome_of(line[kOutcome], !line[kReturn].absent());
  if (outcome == Outcome::kOk && line[kResult].kind == Token::Kind::kMissing) return std::nullopt;
  return outcome;
}

bool LineReader::keep(Line& line) {
  const std::optional<Outcome> outcome = understood(line);
  const std::size_t position = columns_.size();
  if (!outcome || position >= kMostOperations || columns_.arguments.size() > kMostOperations - arguments_.size())
    return false;
  const Token& process = line[kProcess];
  columns_.process.push_back(process.kind == Token::Kind::kInteger ? processes_.integer(process.integer)
                                                                   : processes_.string(process.text));
  columns_.name.push_back(names_.string(line[kOp].text));
  if (position == 0) columns_.first_argument.push_back(0);
  for (const Token& argument : arguments_) put(columns_.arguments, argument);
  columns_.first_argument.push_back(static_cast<std::int32_t>(columns_.arguments.size()));
  put(columns_.result, line[kResult]);
  if (line[kKey].absent()) {
    columns_.key.push_back(kNone);
  } else {
    put(columns_.key, line[kKey]);
  }
  columns_.call.push_back(line[kCall].integer);
  columns_.outcome.push_back(static_cast<std::uint8_t>(*outcome));
  if (!line[kReturn].absent()) {
    columns_.ret.push_back(line[kReturn].integer);
  } else if (*outcome == Outcome::kFailed) {
    columns_.ret.push_back(line[kCall].integer);
    unreturned_.push_back(static_cast<std::int32_t>(position));
  } else {
    columns_.ret.push_back(kNever);
  }
  const Token& last = line[kReturn].absent() ? line[kCall] : line[kReturn];
  if (line[kCall].kind == Token::Kind::kJson || last.kind == Token::Kind::kJson) {
    fractions_.resize(position);
    fractions_.push_back(static_cast<std::uint8_t>((line[kCall].kind == Token::Kind::kJson ? kCallIsFloat : 0) +
                                                   (last.kind == Token::Kind::kJson ? kReturnIsFloat : 0)));
  }
  if (!line[kOrder].absent()) {
    columns_.hint.resize(position, kNoHint);
    columns_.hint.push_back(line[kOrder].integer);
  }
  lines_.push_back(line_);
  return true;
}

void LineReader::put(std::vector<std::int32_t>& column, const Token& token) {
  switch (token.kind) {
    case Token::Kind::kTrue:
      column.push_back(kTrue);
      break;
    case Token::Kind::kFalse:
      column.push_back(kFalse);
      break;
    case Token::Kind::kInteger:
      values_.prefetch(token.integer);
      waiting_.push_back({&column, column.size(), token.integer});
      column.push_back(kNull);
      if (waiting_.size() == kMostWaiting) settle();
      break;
    case Token::Kind::kString:
      column.push_back(values_.string(token.text));
      break;
    case Token::Kind::kJson:
      column.push_back(values_.json(token.text));
      break;
    case Token::Kind::kList:
      column.push_back(Lists::kFirst - static_cast<std::int32_t>(token.integer));
      break;
    default:
      column.push_back(kNull);
  }
}

void LineReader::settle() {
  for (const Waiting& each : waiting_) (*each.column)[each.position] = values_.integer(each.integer);
  waiting_.clear();
}

bool LineReader::order_times() {
  for (std::size_t op = 0; op < columns_.size(); ++op) {
    const std::uint8_t fractions = op < fractions_.size() ? fractions_[op] : std::uint8_t{0};
    for (const auto& [column, flag] :
         {std::pair(&columns_.call, kCallIsFloat), std::pair(&columns_.ret, kReturnIsFloat)}) {
      std::int64_t& time = (*column)[op];
      if ((fractions & flag) != 0 || time == kNever) continue;
      const std::optional<std::int64_t> exact = ordered_whole(time);
      if (!exact) return false;
      time = *exact;
    }
  }
  return true;
}

std::optional<std::int64_t> LineReader::instant(const Time& time) const {
  const std::int64_t* const whole = std::get_if<std::int64_t>(&time);
  if (whole == nullptr) {
    const double* const fraction = std::get_if<double>(&time);
    return fractional() && fraction != nullptr ? ordered_float(*fraction) : std::nullopt;
  }
  if (fractional()) return ordered_whole(*whole);
  return *whole > -kLargestTime && *whole < kLargestTime ? std::optional(*whole) : std::nullopt;
}

Row LineReader::row(const Columns& columns, std::size_t position) const {
  const auto arguments = columns.arguments_of(position);
  const bool returned = columns.ret[position] != kNever && !std::binary_search(unreturned_.begin(), unreturned_.end(),
                                                                               static_cast<std::int32_t>(position));
  const std::uint8_t fractions = position < fractions_.size() ? fractions_[position] : std::uint8_t{0};
  const auto time = [&](std::int64_t instant, std::uint8_t flag) {
    if (!fractional()) return Time(instant);
    if ((fractions & flag) != 0) return Time(unordered(instant));
    return Time(static_cast<std::int64_t>(unordered(instant)));
  };
  const bool hinted = !columns.hint.empty() && columns.hint[position] != kNoHint;
  return {
      .process = columns.process[position],
      .name = columns.name[position],
      .arguments = {arguments.begin(), arguments.end()},
      .result = columns.result[position],
      .call = time(columns.call[position], kCallIsFloat),
      .ret = returned ? std::optional(time(columns.ret[position], kReturnIsFloat)) : std::nullopt,
      .outcome = static_cast<Outcome>(columns.outcome[position]),
      .key = columns.key[position],
      .hint = hinted ? std::optional(columns.hint[position]) : std::nullopt,
      .line = lines_[position],
  };
}

}  // namespace linpoint::histories
