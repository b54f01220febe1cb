// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/event_table.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "histories/event_values.hpp"
#include "histories/json_text.hpp"
#include "histories/value_text.hpp"

namespace linpoint::histories {

namespace {

constexpr std::string_view kNemesis = "nemesis";

std::size_t at(std::int32_t place) { return static_cast<std::size_t>(place); }

}  // namespace

std::optional<EventTable::Type> EventTable::type_of(const Token& token) {
  if (token.kind != Token::Kind::kString) return std::nullopt;
  if (token.text == "invoke") return Type::kInvoke;
  if (token.text == "ok") return Type::kOk;
  if (token.text == "fail") return Type::kFail;
  if (token.text == "info") return Type::kInfo;
  return std::nullopt;
}

bool EventTable::add(const EventFields& fields, std::int32_t line) {
  const auto type = type_of(fields.type);
  const Token& process = fields.process;
  const bool number = process.kind == Token::Kind::kInteger;
  if (!type || (!number && process.kind != Token::Kind::kString)) return false;
  if (fields.f.kind != Token::Kind::kString || fields.f.text.empty()) return false;
  if (!fields.index.absent() && fields.index.kind != Token::Kind::kInteger) return false;
  // A number that is neither a 64-bit integer nor a plain float.
  if (fields.time.kind == Token::Kind::kJson || events_.size() >= std::numeric_limits<std::int32_t>::max())
    return false;
  Event event{
      .index = fields.index.integer,
      .time = fields.time.integer,
      .process = number ? processes_.integer(process.integer) : processes_.string(process.text),
      .f = names_.string(fields.f.text),
      .value = fields.value,
      .key = fields.key,
      .line = line,
      .type = *type,
      .has_index = !fields.index.absent(),
      .time_kind = fields.time.kind,
  };
  if (porcupine_ && type == Type::kOk && fields.f.text == "get" && event.value >= 0 &&
      event.value == store_.values.find_string(""))
    event.value = ValueStore::kNull;
  events_.push_back(event);
  return true;
}

bool EventTable::pair(OperationTable& table) {
  if (events_.empty() || !put_in_order()) return false;
  table.store().values = std::move(store_.values);
  values_ = &table.store().values;
  if (!find_calls(table)) return false;
  std::vector<NameMeaning> meanings;
  for (std::int32_t name = 0; at(name) < names_.size(); ++name) meanings.emplace_back(names_.text(name));
  const bool pairs = keyed_ ? *keyed_ && !have_key_field() : are_pairs(meanings);
  const bool words =
      std::ranges::any_of(calls_, [&](const Call& call) { return meanings[at(invocation(call).f)].has_words; });
  std::vector<bool> answering;
  if (!find_answering(meanings, pairs, answering)) return false;
  table.reserve(calls_.size());
  return std::ranges::all_of(calls_, [&](const Call& call) {
    const std::int32_t f = invocation(call).f;
    return add_operation(call, meanings[at(f)], pairs, words, !answering[at(f)], table);
  });
}

/// Orders events by index if each has one, else keeps the order of the text.
bool EventTable::put_in_order() {
  if (!std::ranges::all_of(events_, &Event::has_index)) return true;
  const auto repeats = [&] { return std::ranges::adjacent_find(events_, {}, &Event::index) != events_.end(); };
  if (!std::ranges::is_sorted(events_, {}, &Event::index)) std::ranges::stable_sort(events_, {}, &Event::index);
  return !repeats();
}

bool EventTable::find_calls(OperationTable& table) {
  const std::int32_t nemesis = processes_.find_string(kNemesis);
  std::vector<std::int32_t> last(processes_.size(), kNone);  // the last call of each process
  std::vector<std::string> plain;
  for (std::int32_t name = 0; at(name) < names_.size(); ++name) plain.push_back(NameMeaning(names_.text(name)).plain);
  for (std::int32_t position = 0; at(position) < events_.size(); ++position) {
    const Event& event = events_[at(position)];
    if (event.process == nemesis) {
      if (!annotate(event, at(position), table)) return false;
      continue;
    }
    std::int32_t& mine = last[at(event.process)];
    const bool open = mine != kNone && calls_[at(mine)].completion == kNone;
    if (open == (event.type == Type::kInvoke)) return false;
    if (event.type == Type::kInvoke) {
      mine = static_cast<std::int32_t>(calls_.size());
      calls_.push_back({.invocation = position});
      continue;
    }
    if (plain[at(invocation(calls_[at(mine)]).f)] != plain[at(event.f)]) return false;
    calls_[at(mine)].completion = position;
  }
  return true;
}

/// Adds an injected fault as an annotation, with the text of `event_pairing.py`.
bool EventTable::annotate(const Event& event, std::size_t position, OperationTable& table) const {
  std::string words(names_.text(event.f));
  const Value value = value_of(event.value);
  if (!value.is_null()) {
    const std::int32_t* token = value.list.empty() ? &value.number : value.list.data();
    words += ' ';
    if (!ValueText(*values_, Notation::kJson).append(words, token)) return false;
  }
  std::string text = "{\"annotation\":";
  json::append_string(text, words);
  text.append(",\"time\":").append(std::to_string(position)).append("}");
  table.add_other(event.line, std::move(text));
  return true;
}

const EventTable::Event& EventTable::invocation(const Call& call) const { return events_[at(call.invocation)]; }

/// The completion, if it has a result.
const EventTable::Event* EventTable::ok(const Call& call) const {
  const Event* const completion = call.completion == kNone ? nullptr : &events_[at(call.completion)];
  return completion != nullptr && completion->type == Type::kOk ? completion : nullptr;
}

bool EventTable::have_key_field() const {
  return std::ranges::any_of(calls_, [&](const Call& call) { return invocation(call).key != ValueStore::kNull; });
}

bool EventTable::are_pairs(std::span<const NameMeaning> meanings) const {
  if (calls_.empty() || have_key_field()) return false;
  return std::ranges::all_of(calls_, [&](const Call& call) {
    const Event& event = invocation(call);
    const Value value = value_of(event.value);
    if (!is_pair(value)) return false;
    if (meanings[at(event.f)].use == ValueUse::kCas && value.list[2] != Lists::list_of(2)) return false;
    const Event* const completion = ok(call);
    return completion == nullptr || is_pair(value_of(completion->value));
  });
}

EventTable::Value EventTable::value_of(std::int32_t number) const {
  if (number >= 0) return {.number = number, .list = {}};
  return {.number = ValueStore::kNull, .list = store_.lists.lists()[at(Lists::kFirst - number)]};
}

/// Whether a value is a list of two items whose first item is a scalar.
bool EventTable::is_pair(const Value& value) const {
  return !value.list.empty() && value.list.front() == Lists::list_of(2) && value.list[1] > ValueStore::kNull;
}

/// The items of a list of two.
std::optional<std::pair<EventTable::Value, EventTable::Value>> EventTable::halves(const Value& value) {
  if (value.list.empty() || value.list.front() != Lists::list_of(2)) return std::nullopt;
  const auto item = [](std::span<const std::int32_t> run) {
    return run.front() < 0 ? Value{.list = run} : Value{.number = run.front(), .list = {}};
  };
  const auto items = value.list.subspan(1);
  const std::size_t first = item_size(items);
  return std::pair(item(items.first(first)), item(items.subspan(first)));
}

std::optional<EventTable::Parts> EventTable::parts_of(const Call& call, bool pairs) const {
  const Event& event = invocation(call);
  const Event* const completion = ok(call);
  const Value invoked = value_of(event.value);
  const Value completed = completion == nullptr ? Value() : value_of(completion->value);
  if (!pairs) {
    const bool same = completion == nullptr || completion->key == ValueStore::kNull || completion->key == event.key;
    return same ? std::optional(Parts{event.key, invoked, completed}) : std::nullopt;
  }
  if (!is_pair(invoked) || (completion != nullptr && !is_pair(completed))) return std::nullopt;
  Parts parts{invoked.list[1], halves(invoked)->second, {}};
  if (completion == nullptr) return parts;
  if (completed.list[1] != parts.key) return std::nullopt;
  parts.completed = halves(completed)->second;
  return parts;
}

/// Nothing if numbers alone do not decide.
std::optional<bool> EventTable::equal(const Value& one, const Value& other) const {
  if (one.list.empty() != other.list.empty()) return false;
  if (one.list.empty()) {
    if (one.number == other.number) return true;
    const auto decoded = [&](std::int32_t number) { return values_->kind(number) != Interner::Kind::kJson; };
    return decoded(one.number) && decoded(other.number) ? std::optional(false) : std::nullopt;
  }
  if (std::ranges::equal(one.list, other.list)) return true;
  const auto plain = [](std::int32_t token) { return token > Lists::kFirstObject; };
  return std::ranges::all_of(one.list, plain) && std::ranges::all_of(other.list, plain) ? std::optional(false)
                                                                                        : std::nullopt;
}

/// Finds which names, by number, have a completion whose value differs from the invocation's.
bool EventTable::find_answering(std::span<const NameMeaning> meanings, bool pairs, std::vector<bool>& answering) const {
  answering.assign(meanings.size(), false);
  for (const Call& call : calls_) {
    const NameMeaning& name = meanings[at(invocation(call).f)];
    if (name.use != ValueUse::kUnlisted || ok(call) == nullptr) continue;
    const std::optional<Parts> parts = parts_of(call, pairs);
    const std::optional<bool> echo = parts ? equal(parts->invoked, parts->completed) : std::nullopt;
    if (!echo) return false;
    if (*echo) continue;
    for (std::size_t other = 0; other < meanings.size(); ++other)
      if (meanings[other].plain == name.plain) answering[other] = true;
  }
  return true;
}

bool EventTable::add_operation(const Call& call, const NameMeaning& name, bool pairs, bool words, bool echo,
                               OperationTable& table) {
  using enum OperationTable::Field;
  const std::optional<Parts> parts = parts_of(call, pairs);
  if (!parts) return false;
  const Event& event = invocation(call);
  const Event* const completion = call.completion == kNone ? nullptr : &events_[at(call.completion)];
  const auto text = [](std::string_view characters) { return Token{.kind = Token::Kind::kString, .text = characters}; };
  const auto integer = [](std::int64_t value) { return Token{.kind = Token::Kind::kInteger, .integer = value}; };
  const auto clock = [](const Event* of) {
    const bool given =
        of != nullptr && (of->time_kind == Token::Kind::kInteger || of->time_kind == Token::Kind::kFloat);
    return given ? Token{.kind = of->time_kind, .integer = of->time} : Token{.kind = Token::Kind::kNull};
  };
  fields_.clear();
  const std::int64_t process = processes_.integers()[at(event.process)];
  fields_[kProcess] = process == kNoInteger ? text(processes_.text(event.process)) : integer(process);
  fields_[kOp] = text(names_.text(event.f));
  if (!put_arguments(name, *parts, words, table)) return false;
  const bool unknown = completion == nullptr || completion->type == Type::kInfo;
  fields_[kResult].kind = Token::Kind::kNull;
  if (ok(call) != nullptr && !put_result(name, *parts, echo, table)) return false;
  fields_[kCall] = integer(call.invocation);
  if (!unknown) fields_[kReturn] = integer(call.completion);
  fields_[kOutcome] = text(unknown ? "unknown" : completion->type == Type::kFail ? "failed" : "ok");
  if (parts->key != ValueStore::kNull) fields_[kKey] = {.kind = Token::Kind::kNumber, .integer = parts->key};
  fields_.clocks = {.given = true, .call = clock(&event), .ret = clock(completion)};
  fields_.clocks.given = !fields_.clocks.call.absent() || !fields_.clocks.ret.absent();
  return table.add(fields_, event.line);
}

bool EventTable::put_arguments(const NameMeaning& name, const Parts& parts, bool words, OperationTable& table) {
  const bool word_read = name.is_read && words;
  if (!word_read && (name.use == ValueUse::kAnswer || name.use == ValueUse::kSilent || name.use == ValueUse::kTry))
    return true;
  if (name.use == ValueUse::kCas) {
    const auto both = halves(parts.invoked);
    if (!both) return false;
    fields_.arguments.push_back(token_of(both->first, table));
    fields_.arguments.push_back(token_of(both->second, table));
    return true;
  }
  const bool keyed = parts.key != ValueStore::kNull;
  if (!word_read && parts.invoked.is_null() && ((keyed && name.may_drop_value) || name.use == ValueUse::kUnlisted))
    return true;
  fields_.arguments.push_back(token_of(parts.invoked, table));
  return true;
}

bool EventTable::put_result(const NameMeaning& name, const Parts& parts, bool echo, OperationTable& table) {
  Token& result = fields_[OperationTable::kResult];
  const Value& completed = parts.completed;
  switch (name.use) {
    case ValueUse::kAnswer:
    case ValueUse::kQuery:
      result = token_of(completed, table);
      return true;
    case ValueUse::kCas:
      result = completed.is_bool() ? token_of(completed, table) : Token{.kind = Token::Kind::kTrue};
      return true;
    case ValueUse::kTry:
      if (completed.is_bool()) result = token_of(completed, table);
      return true;
    case ValueUse::kChange:
      // Equality of a bool and any other value is always certain.
      if (completed.is_bool() && !(parts.invoked.list.empty() && parts.invoked.number == completed.number))
        result = token_of(completed, table);
      return true;
    case ValueUse::kUnlisted:
      if (!echo) result = token_of(completed, table);
      return true;
    default:
      return true;
  }
}

/// A value in the form that operations use: lists are copied to the table's lists.
Token EventTable::token_of(const Value& value, OperationTable& table) {
  if (value.list.empty()) return {.kind = Token::Kind::kNumber, .integer = value.number};
  table.store().lists.add(value.list);
  return {.kind = Token::Kind::kList, .integer = static_cast<std::int64_t>(table.store().lists.size()) - 1};
}

}  // namespace linpoint::histories
