// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/operation_table.hpp"

#include <algorithm>

#include "histories/float_times.hpp"

namespace linpoint::histories {

namespace {

constexpr std::size_t kMostWaiting = 32;
constexpr std::int64_t kLargestTime = 4'611'686'018'427'387'904;  // 2^62, so that the sum of two cannot overflow

constexpr std::uint8_t kCallIsFloat = 1;
constexpr std::uint8_t kReturnIsFloat = 2;

constexpr std::uint8_t kNoReading = 0;
constexpr std::uint8_t kWholeReading = 1;
constexpr std::uint8_t kFloatReading = 2;

bool is_whole_time(const Token& token) {
  return token.kind == Token::Kind::kInteger && token.integer > -kLargestTime && token.integer < kLargestTime;
}

/// Whether a token is a time; a float becomes an integer with the same order.
bool is_time(Token& token) {
  if (token.kind == Token::Kind::kFloat) return true;
  if (token.kind != Token::Kind::kJson) return is_whole_time(token);
  const std::optional<std::int64_t> time = ordered_text(token.text);
  token.integer = time.value_or(0);
  token.kind = Token::Kind::kFloat;
  return time.has_value();
}

/// The outcome that an operation states. Without a return, an operation that did not fail is unknown.
std::optional<Outcome> outcome_of(const Token& token, bool returned) {
  const Outcome fallback = returned ? Outcome::kOk : Outcome::kUnknown;
  if (token.kind == Token::Kind::kMissing) return fallback;
  if (token.kind != Token::Kind::kString) return std::nullopt;
  if (token.text == "ok") return fallback;
  if (token.text == "failed") return Outcome::kFailed;
  if (token.text == "unknown") return Outcome::kUnknown;
  return std::nullopt;
}

/// The outcome, if all fields are valid.
std::optional<Outcome> understood(OperationTable::Fields& fields) {
  using enum OperationTable::Field;
  const Token& process = fields[kProcess];
  if (process.kind != Token::Kind::kInteger && process.kind != Token::Kind::kString) return std::nullopt;
  if (fields[kOp].kind != Token::Kind::kString || fields[kOp].text.empty()) return std::nullopt;
  if (!is_time(fields[kCall])) return std::nullopt;
  if (!fields[kReturn].absent() && !is_time(fields[kReturn])) return std::nullopt;
  if (!fields[kOrder].absent() && !is_whole_time(fields[kOrder])) return std::nullopt;
  const std::optional<Outcome> outcome = outcome_of(fields[kOutcome], !fields[kReturn].absent());
  if (outcome == Outcome::kOk && fields[kResult].kind == Token::Kind::kMissing) return std::nullopt;
  return outcome;
}

/// The kind of a clock reading and its representation; nothing if it must be declined.
std::optional<std::pair<std::uint8_t, std::int64_t>> reading_of(const Token& token) {
  if (token.absent()) return std::pair(kNoReading, std::int64_t{0});
  if (token.kind == Token::Kind::kInteger) return std::pair(kWholeReading, token.integer);
  Token fraction = token;
  if (!is_time(fraction)) return std::nullopt;
  return std::pair(kFloatReading, fraction.integer);
}

std::optional<Time> reading(std::uint8_t kind, std::int64_t value) {
  if (kind == kNoReading) return std::nullopt;
  return kind == kWholeReading ? Time(value) : Time(unordered(value));
}

}  // namespace

void OperationTable::reserve(std::size_t operations) {
  for (std::vector<std::int32_t>* column : {
           &columns_.process,
           &columns_.key,
           &columns_.name,
           &columns_.result,
           &columns_.first_argument,
           &columns_.arguments,
       })
    column->reserve(operations);
  for (std::vector<std::int64_t>* column : {&columns_.call, &columns_.ret}) column->reserve(operations);
  columns_.outcome.reserve(operations);
}

bool OperationTable::add(Fields& fields, std::int32_t line) {
  const std::optional<Outcome> outcome = understood(fields);
  const std::size_t position = columns_.size();
  const std::size_t arguments = fields.arguments.size();
  if (!outcome || position >= kMostOperations || columns_.arguments.size() > kMostOperations - arguments) return false;
  if (fields.clocks.given && !put_clocks(fields.clocks)) return false;
  const Token& process = fields[kProcess];
  columns_.process.push_back(process.kind == Token::Kind::kInteger ? processes_.integer(process.integer)
                                                                   : processes_.string(process.text));
  columns_.name.push_back(names_.string(fields[kOp].text));
  if (position == 0) columns_.first_argument.push_back(0);
  for (const Token& argument : fields.arguments) put(columns_.arguments, argument);
  columns_.first_argument.push_back(static_cast<std::int32_t>(columns_.arguments.size()));
  put(columns_.result, fields[kResult]);
  if (fields[kKey].absent()) {
    columns_.key.push_back(kNone);
  } else {
    put(columns_.key, fields[kKey]);
  }
  const Token& call = fields[kCall];
  const Token& ret = fields[kReturn];
  columns_.call.push_back(call.integer);
  columns_.outcome.push_back(static_cast<std::uint8_t>(*outcome));
  if (!ret.absent()) {
    columns_.ret.push_back(ret.integer);
  } else if (*outcome == Outcome::kFailed) {
    columns_.ret.push_back(call.integer);
    unreturned_.push_back(static_cast<std::int32_t>(position));
  } else {
    columns_.ret.push_back(kNever);
  }
  const Token& last = ret.absent() ? call : ret;
  if (call.kind == Token::Kind::kFloat || last.kind == Token::Kind::kFloat) {
    fractions_.resize(position);
    fractions_.push_back(static_cast<std::uint8_t>((call.kind == Token::Kind::kFloat ? kCallIsFloat : 0) +
                                                   (last.kind == Token::Kind::kFloat ? kReturnIsFloat : 0)));
  }
  if (!fields[kOrder].absent()) {
    columns_.hint.resize(position, kNoHint);
    columns_.hint.push_back(fields[kOrder].integer);
  }
  lines_.add(position, line);
  return true;
}

bool OperationTable::put_clocks(const ClockReadings& readings) {
  const auto call = reading_of(readings.call);
  const auto ret = reading_of(readings.ret);
  if (!call || !ret) return false;
  clocks_.resize(columns_.size());
  clocks_.push_back({call->second, ret->second, call->first, ret->first, true});
  return true;
}

void OperationTable::put(std::vector<std::int32_t>& column, const Token& token) {
  if (token.kind != Token::Kind::kInteger) {
    column.push_back(store_.number(token));
    return;
  }
  store_.values.prefetch(token.integer);
  waiting_.push_back({&column, column.size(), token.integer});
  column.push_back(ValueStore::kNull);
  if (waiting_.size() == kMostWaiting) settle();
}

void OperationTable::settle() {
  for (const Waiting& each : waiting_) (*each.column)[each.position] = store_.values.integer(each.integer);
  waiting_.clear();
}

bool OperationTable::finish() {
  settle();
  waiting_ = {};
  if (columns_.size() == 0 && others_.empty()) return false;
  if (fractional() && !order_times()) return false;
  columns_.lists = store_.lists.take();
  if (!columns_.hint.empty()) columns_.hint.resize(columns_.size(), kNoHint);
  if (columns_.first_argument.empty()) columns_.first_argument.push_back(0);
  return true;
}

bool OperationTable::order_times() {
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

std::optional<std::int64_t> OperationTable::instant(const Time& time) const {
  const std::int64_t* const whole = std::get_if<std::int64_t>(&time);
  if (whole == nullptr) {
    const double* const fraction = std::get_if<double>(&time);
    return fractional() && fraction != nullptr ? ordered_float(*fraction) : std::nullopt;
  }
  if (fractional()) return ordered_whole(*whole);
  return *whole > -kLargestTime && *whole < kLargestTime ? std::optional(*whole) : std::nullopt;
}

Row OperationTable::row(const Columns& columns, std::size_t position) const {
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
  const Clocks clocks = position < clocks_.size() ? clocks_[position] : Clocks();
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
      .clocked = clocks.given,
      .call_clock = reading(clocks.call_kind, clocks.call),
      .return_clock = reading(clocks.return_kind, clocks.ret),
      .line = lines_[position],
  };
}

}  // namespace linpoint::histories
