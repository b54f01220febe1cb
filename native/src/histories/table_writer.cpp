// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/table_writer.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "histories/json_scan.hpp"
#include "histories/json_text.hpp"
#include "histories/value_text.hpp"

namespace linpoint::histories {

namespace {

using Field = OperationTable::Field;
using enum OperationTable::Field;

constexpr std::array<std::string_view, OperationTable::kFields> kNames{
    "process", "op", "args", "result", "call", "return", "outcome", "key", "order", "times",
};

void append_time(std::string& out, const Time& time) {
  if (const std::int64_t* const whole = std::get_if<std::int64_t>(&time))
    json::append_integer(out, *whole);
  else
    json::append_float(out, std::get<double>(time));
}

void append_time(std::string& out, const std::optional<Time>& time) {
  if (time)
    append_time(out, *time);
  else
    out += "null";
}

/// Whether JSON in a column that allows plain text is a string that can be written without quotes.
bool is_bare(std::string_view json) {
  if (json.size() < 3 || json.front() != '"') return false;
  const std::string_view text = json.substr(1, json.size() - 2);
  const auto letter = [](char each) {
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || each == '_';
  };
  return letter(text.front()) && text != "true" && text != "false" && text != "null" &&
         std::ranges::all_of(
             text, [&](char each) { return letter(each) || json::is_digit(each) || each == '.' || each == '-'; });
}

bool may_be_plain(Field field) { return field == kProcess || field == kOp || field == kOutcome || field == kKey; }

}  // namespace

bool TableWriter::uses(Field field) const {
  const auto any = [&](auto condition) {
    for (std::size_t op = 0; op < columns_.size(); ++op)
      if (condition(op)) return true;
    return false;
  };
  switch (field) {
    case kResult:
      return any([&](std::size_t op) { return columns_.certain(op) || columns_.result[op] != ValueStore::kNull; });
    case kOutcome:
      return any(
          [&](std::size_t op) { return columns_.failed(op) || (!columns_.certain(op) && columns_.ret[op] != kNever); });
    case kKey:
      return std::ranges::any_of(columns_.key, [](std::int32_t key) { return key != kNone; });
    case kOrder:
      return !columns_.hint.empty();
    case kTimes:
      return table_.clocked();
    default:
      return true;
  }
}

bool TableWriter::integral(Field field) const {
  const auto integers = [](const Interner& values, const std::vector<std::int32_t>& numbers) {
    return std::ranges::all_of(numbers, [&](std::int32_t number) {
      return number == kNone || (number >= 0 && values.integers()[static_cast<std::size_t>(number)] != kNoInteger);
    });
  };
  switch (field) {
    case kProcess:
      return integers(table_.processes(), columns_.process);
    case kKey:
      return integers(table_.values(), columns_.key);
    case kResult:
      return std::ranges::all_of(columns_.result, [&](std::int32_t number) {
        return number == ValueStore::kNull ||
               (number >= 0 && table_.values().integers()[static_cast<std::size_t>(number)] != kNoInteger);
      });
    case kCall:
    case kReturn:
      return !table_.fractional() || whole_times(field == kReturn);
    default:
      return field == kOrder;
  }
}

bool TableWriter::whole_times(bool returns) const {
  const auto whole = [](const std::optional<Time>& time) {
    return !time || std::holds_alternative<std::int64_t>(*time);
  };
  for (std::size_t op = 0; op < columns_.size(); ++op) {
    const Row row = table_.row(columns_, op);
    if (!whole(returns ? row.ret : row.call)) return false;
  }
  return true;
}

/// Whether an operation has a field; fields without information are left out.
bool TableWriter::has(const Row& row, Field field) {
  switch (field) {
    case kResult:
      return row.result != ValueStore::kNull || row.outcome == Outcome::kOk;
    case kOutcome:
      return row.outcome == Outcome::kFailed || (row.outcome == Outcome::kUnknown && row.ret);
    case kKey:
      return row.key != kNone;
    case kOrder:
      return row.hint.has_value();
    case kTimes:
      return row.clocked;
    default:
      return true;
  }
}

void TableWriter::append_value(std::string& out, const ValueText& values, std::int32_t number) const {
  const std::int32_t* token =
      number >= 0 ? &number : (*columns_.lists)[static_cast<std::size_t>(Lists::kFirst - number)].data();
  values.append(out, token);
}

void TableWriter::append_process(std::string& out, const ValueText& values, std::int32_t process) const {
  const std::int64_t number = table_.processes().integers()[static_cast<std::size_t>(process)];
  if (number == kNoInteger)
    values.append_string(out, table_.processes().text(process));
  else
    json::append_integer(out, number);
}

/// Appends the JSON of a field that the operation has.
void TableWriter::append_field(std::string& out, const ValueText& values, const Row& row, Field field) const {
  constexpr std::array<std::string_view, 3> kOutcomes{"\"ok\"", "\"failed\"", "\"unknown\""};
  switch (field) {
    case kProcess:
      return append_process(out, values, row.process);
    case kOp:
      values.append_string(out, table_.names().text(row.name));
      return;
    case kArguments:
      out += '[';
      for (std::size_t argument = 0; argument < row.arguments.size(); ++argument) {
        if (argument > 0) out += ", ";
        append_value(out, values, row.arguments[argument]);
      }
      out += ']';
      return;
    case kResult:
      return append_value(out, values, row.result);
    case kCall:
      return append_time(out, row.call);
    case kReturn:
      return append_time(out, row.ret);
    case kOutcome:
      out += kOutcomes[static_cast<std::size_t>(row.outcome)];
      return;
    case kKey:
      return append_value(out, values, row.key);
    case kOrder:
      return json::append_integer(out, *row.hint);
    case kTimes:
      out += '[';
      append_time(out, row.call_clock);
      out += ", ";
      append_time(out, row.return_clock);
      out += ']';
  }
}

std::string TableWriter::lines(std::size_t begin, std::size_t end) const {
  const ValueText values(table_.values(), Notation::kJson, written_);
  std::string out;
  for (std::size_t op = begin; op < end; ++op) {
    const Row row = table_.row(columns_, op);
    for (std::uint8_t at = 0; at < OperationTable::kFields; ++at) {
      const auto field = static_cast<Field>(at);
      if (!has(row, field)) continue;
      out.append(at == 0 ? "{\"" : ", \"").append(kNames[at]).append("\": ");
      append_field(out, values, row, field);
    }
    out += "}\n";
  }
  return out;
}

/// Appends the text of a non-empty cell: JSON, or plain text where that suffices.
void TableWriter::append_cell(std::string& out, const ValueText& values, const Row& row, Field field) const {
  const std::size_t begin = out.size();
  append_field(out, values, row, field);
  if (!may_be_plain(field) || !is_bare(std::string_view(out).substr(begin))) return;
  out.pop_back();
  out.erase(begin, 1);
}

std::string TableWriter::rows(std::size_t begin, std::size_t end, const std::vector<std::int32_t>& columns) const {
  const ValueText values(table_.values(), Notation::kJson, written_);
  std::string out;
  std::string cell;
  for (std::size_t op = begin; op < end; ++op) {
    const Row row = table_.row(columns_, op);
    for (std::size_t at = 0; at < columns.size(); ++at) {
      if (at > 0) out += ',';
      if (std::cmp_greater_equal(columns[at], OperationTable::kFields)) continue;
      const auto field = static_cast<Field>(columns[at]);
      if (!has(row, field) || (field == kReturn && !row.ret)) continue;
      cell.clear();
      append_cell(cell, values, row, field);
      if (cell.find_first_of(",\"") == std::string::npos) {
        out += cell;
        continue;
      }
      out += '"';
      for (const char each : cell) out.append(each == '"' ? 2 : 1, each);
      out += '"';
    }
    out += '\n';
  }
  return out;
}

std::int64_t TableWriter::integer(const Row& row, Field field) const {
  const auto of = [](const Interner& values, std::int32_t number) {
    return values.integers()[static_cast<std::size_t>(number)];
  };
  switch (field) {
    case kProcess:
      return of(table_.processes(), row.process);
    case kResult:
      return of(table_.values(), row.result);
    case kKey:
      return of(table_.values(), row.key);
    case kCall:
      return std::get<std::int64_t>(row.call);
    case kReturn:
      return std::get<std::int64_t>(*row.ret);
    default:
      return *row.hint;
  }
}

TableWriter::Column TableWriter::column(Field field, bool integers, std::size_t begin, std::size_t end) const {
  const ValueText values(table_.values(), Notation::kJson, written_);
  Column column;
  column.valid.resize((end - begin + 7) / 8);
  if (!integers) column.offsets.push_back(0);
  for (std::size_t op = begin; op < end; ++op) {
    const Row row = table_.row(columns_, op);
    const bool null =
        !has(row, field) || (field == kReturn && !row.ret) || (field == kResult && row.result == ValueStore::kNull);
    const std::size_t at = op - begin;
    if (!null) column.valid[at / 8] = static_cast<char>(column.valid[at / 8] | 1 << (at % 8));
    if (integers) {
      column.integers.push_back(null ? 0 : integer(row, field));
    } else {
      if (!null) append_cell(column.texts, values, row, field);
      column.offsets.push_back(static_cast<std::int32_t>(column.texts.size()));
    }
  }
  return column;
}

}  // namespace linpoint::histories
