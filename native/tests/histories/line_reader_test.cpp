// SPDX-License-Identifier: Apache-2.0
// The reader of operation lines: what it accepts and as what, what it declines, and any text cut into any blocks.
#include "linpoint/histories/line_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "histories/utf8.hpp"
#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/interner.hpp"
#include "tests/support/harness.hpp"

namespace {

using linpoint::histories::Columns;
using linpoint::histories::Interner;
using linpoint::histories::is_utf8;
using linpoint::histories::kNever;
using linpoint::histories::kNoInteger;
using linpoint::histories::kNone;
using linpoint::histories::LineReader;
using linpoint::histories::Lists;
using linpoint::histories::OperationTable;
using linpoint::histories::Outcome;
using linpoint::histories::Row;
using linpoint::histories::Time;
using linpoint::histories::ValueStore;

/// Whether a text is read to its end, in blocks of this size.
bool read(LineReader& reader, std::string_view text, std::size_t block = 1U << 16U) {
  for (; !text.empty(); text.remove_prefix(std::min(block, text.size())))
    if (!reader.feed(text.substr(0, block))) return false;
  return reader.finish();
}

bool accepts(std::string_view text) {
  LineReader reader;
  return read(reader, text);
}

template <typename T>
bool is(const std::optional<Time>& time, T value) {
  const T* const held = time ? std::get_if<T>(&*time) : nullptr;
  return held != nullptr && *held == value;
}

/// Written with ' for ", as that reads better here.
std::string quoted(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\'', '"');
  return line;
}

/// A line with this result.
std::string returning(std::string_view value) {
  return quoted("{'process':0,'op':'read','call':1,'return':2,'result':").append(value).append("}\n");
}

void fields() {
  LineReader reader;
  EXPECT(read(reader,
              quoted("{'process': 3, 'op': 'enqueue', 'args': [12, 'x'], 'result': null, 'call': 10, 'return': 25}\n"
                     "\r\n"
                     "{'call':12,'op':'dequeue','process':'p'}\r\n"
                     "{'crash': true, 'process': 9, 'time': 13}\n"
                     " { 'outcome' : 'failed' , 'op' : 'enqueue' , 'args' : [ ] , 'process' : 3 , 'call' : 30 } ")));
  const Columns columns = reader.table().take_columns();
  EXPECT(columns.size() == 3);
  EXPECT(reader.table().processes().size() == 2);
  EXPECT(reader.table().names().size() == 2);
  const Row first = reader.table().row(columns, 0);
  EXPECT(first.line == 1 && is<std::int64_t>(first.call, 10) && is<std::int64_t>(first.ret, 25) &&
         first.outcome == Outcome::kOk && first.key == kNone);
  EXPECT(first.result == ValueStore::kNull && first.arguments.size() == 2);
  EXPECT(reader.table().values().integers()[static_cast<std::size_t>(first.arguments[0])] == 12);
  EXPECT(reader.table().values().text(first.arguments[1]) == "x");
  const Row second = reader.table().row(columns, 1);
  EXPECT(second.line == 3 && !second.ret && second.outcome == Outcome::kUnknown && columns.ret[1] == kNever);
  const Row third = reader.table().row(columns, 2);
  EXPECT(third.line == 5 && !third.ret && third.outcome == Outcome::kFailed && columns.ret[2] == 30);
  EXPECT(reader.table().others().size() == 1 && reader.table().others()[0].first == 4);
}

void values() {
  LineReader reader;
  std::string text;
  for (const std::string_view value : {
           "null",
           "true",
           "false",
           "7",
           "-7",
           "'7'",
           "7.0",
           "[7]",
           "'\\u0037'",
           "9223372036854775807",
           "9223372036854775808",
           "-9223372036854775807",
           "-9223372036854775808",
           "-0",
           "0",
           "1e9",
           "{'a': [1, {}]}",
       })
    text += returning(quoted(value));
  EXPECT(read(reader, text));
  const Columns columns = reader.table().take_columns();
  EXPECT(columns.result[0] == ValueStore::kNull && columns.result[1] == ValueStore::kTrue);
  EXPECT(columns.result[2] == ValueStore::kFalse);
  const auto integers = reader.table().values().integers();
  const auto at = [&](std::size_t op) { return integers[static_cast<std::size_t>(columns.result[op])]; };
  EXPECT(at(3) == 7 && at(4) == -7 && at(9) == 9223372036854775807 && at(11) == -9223372036854775807 && at(14) == 0);
  for (const std::size_t op : {6U, 8U, 10U, 12U, 13U, 15U})
    EXPECT(reader.table().values().kind(columns.result[op]) == Interner::Kind::kJson && at(op) == kNoInteger);
  EXPECT(reader.table().values().kind(columns.result[5]) == Interner::Kind::kString);
  EXPECT(reader.table().values().undecoded().size() == 6);
  EXPECT(columns.result[7] == Lists::kFirst && columns.result[16] == Lists::kFirst - 1);
}

void declined() {
  for (const std::string_view value : {
           "01",        "1.", ".5",   "-",  "+1",    "1e",    "1e400", "nul",  "'\\x'", "'\\ud800'",
           "'\\udc00'", "'a", "[1,]", "[1", "{'a'}", "{1:2}", "NaN",   "'\t'", "",
       })
    EXPECT(!accepts(returning(quoted(value))));
  EXPECT(!accepts(returning(std::string(70, '[') + std::string(70, ']'))));
  EXPECT(!accepts(returning("'\xff'")));
  const std::string line = returning("1");
  EXPECT(accepts(line));
  for (std::size_t length = 0; length + 2 < line.size(); ++length) EXPECT(!accepts(line.substr(0, length)));
  for (const std::string_view text : {
           "",
           "\n",
           "[]",
           "{}",
           "1",
           "\xEF\xBB\xBF{'op':'r','process':0,'call':1}",
           "{'op':'r','process':0,'call':1} x",
           "{'op':'r','process':0,'call':1,}",
           "{'op':'r','op':'r','process':0,'call':1}",
           "{'op':'','process':0,'call':1}",
           "{'op':'r','process':true,'call':1}",
           "{'op':'r','process':0,'call':-0.0}",
           "{'op':'r','process':0,'call':4611686018427387904}",
           "{'op':'r','process':0,'call':1,'return':2}",
           "{'op':'r','process':0,'call':1,'outcome':'no'}",
           "{'op':'r','process':0}",
           "{'op':'r','process':0,'call':1,'args':null}",
           "{'op':'r','process':0,'call':1,'times':[-0.0,1]}",
           "{'op':'r','process':0,'call':1,'times':[1,}",
           "{'\\u006fp':'r','process':0,'call':1}",
       })
    EXPECT(!accepts(quoted(text)));
}

void fractions() {
  LineReader reader;
  EXPECT(read(reader, quoted("{'process':0,'op':'r','call':-3,'return':-2.5,'result':1}\n"
                             "{'process':0,'op':'r','call':-1e0,'return':2,'result':1}\n"
                             "{'process':0,'op':'r','call':2.5,'outcome':'failed'}\n"
                             "{'process':0,'op':'r','call':3}\n")));
  EXPECT(reader.table().fractional());
  const Columns columns = reader.table().take_columns();
  for (std::size_t op = 0; op < columns.size(); ++op) {
    EXPECT(columns.call[op] <= columns.ret[op]);
    EXPECT(op == 0 || columns.ret[op - 1] < columns.call[op]);
  }
  const Row first = reader.table().row(columns, 0);
  EXPECT(is<std::int64_t>(first.call, -3) && is<double>(first.ret, -2.5));
  EXPECT(is<double>(reader.table().row(columns, 1).call, -1.0) &&
         is<std::int64_t>(reader.table().row(columns, 1).ret, 2));
  EXPECT(is<double>(reader.table().row(columns, 2).call, 2.5) && !reader.table().row(columns, 2).ret);
  EXPECT(columns.ret[3] == kNever);
  EXPECT(columns.call[2] < reader.table().instant(Time(2.75)) && reader.table().instant(Time(2.75)) < columns.call[3]);
  EXPECT(!reader.table().instant(Time(std::int64_t{1'000'000'000'000'000'000})));
  EXPECT(!accepts(quoted("{'process':0,'op':'r','call':1.5}\n{'process':1,'op':'r','call':9007199254740993}\n")));
}

void clocks() {
  LineReader reader;
  const std::string_view line = "{'process':0,'op':'r','call':1,'return':1,'result':1";
  std::string text;
  for (const std::string_view times : {"[1,2]", "[null,-2.5]", "[null,null]", "[]", "[1]", "[1,2,3]", "['1',2]", "7"})
    text += quoted(std::string(line).append(",'times':").append(times).append("}\n"));
  EXPECT(read(reader, text + quoted(std::string(line).append("}\n"))));
  const Columns columns = reader.table().take_columns();
  EXPECT(reader.table().clocked());
  const Row first = reader.table().row(columns, 0);
  EXPECT(first.clocked && is<std::int64_t>(first.call_clock, 1) && is<std::int64_t>(first.return_clock, 2));
  const Row second = reader.table().row(columns, 1);
  EXPECT(second.clocked && !second.call_clock && is<double>(second.return_clock, -2.5));
  EXPECT(reader.table().row(columns, 2).clocked && !reader.table().row(columns, 2).call_clock);
  for (std::size_t op = 3; op < columns.size(); ++op) EXPECT(!reader.table().row(columns, op).clocked);
}

/// Any cut into blocks reads the same, and what a random change makes of a text is read or declined, never worse.
void blocks_and_damage() {
  std::mt19937 random(7);
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += returning(std::to_string(random() % 20)) + returning("\"v\xC3\xA4" + std::to_string(random() % 9) + "\"");
  LineReader whole;
  EXPECT(read(whole, text));
  const Columns expected = whole.table().take_columns();
  for (std::size_t block = 1; block < 200; ++block) {
    LineReader cut;
    EXPECT(read(cut, text, block));
    EXPECT(cut.table().take_columns().result == expected.result);
  }
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = text.substr(0, random() % 300);
    for (std::uint_fast32_t changes = random() % 4; changes > 0 && !damaged.empty(); --changes)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    LineReader reader;
    if (!read(reader, damaged, 1 + random() % 400)) continue;
    const Columns columns = reader.table().take_columns();
    EXPECT(columns.result.size() == columns.call.size() && columns.process.size() == columns.call.size());
  }
}

/// Two readers, each with a part of the lines, are as good as one.
void parts() {
  const std::vector<std::string> lines = {
      returning("1"),
      quoted("{'crash':true,'time':3}\n"),
      returning(quoted("'x'")),
      quoted("{'process':'p','op':'w','args':[1,true,[2]],'call':4,'outcome':'failed'}\n"),
      "\n",
      quoted("{'process':7,'op':'read','args':['y',null],'call':4.5,'key':'k','order':5}\n"),
      returning("[2]"),
  };
  std::string text;
  for (const std::string& line : lines) text += line;
  LineReader whole;
  EXPECT(read(whole, text));
  const Columns expected = whole.table().take_columns();
  std::size_t cut = 0;
  for (std::size_t count = 0; count <= lines.size(); cut += count < lines.size() ? lines[count].size() : 0, ++count) {
    LineReader first;
    LineReader second;
    EXPECT(first.feed(std::string_view(text).substr(0, cut)) && second.feed(std::string_view(text).substr(cut)));
    EXPECT(first.append(second) && first.finish());
    const Columns columns = first.table().take_columns();
    EXPECT(columns.process == expected.process && columns.name == expected.name && columns.call == expected.call);
    EXPECT(columns.ret == expected.ret && columns.outcome == expected.outcome && columns.hint == expected.hint);
    EXPECT(columns.first_argument == expected.first_argument && columns.end == expected.end);
    for (std::size_t op = 0; op < columns.size(); ++op) {
      const Row mine = first.table().row(columns, op);
      const Row theirs = whole.table().row(expected, op);
      EXPECT(mine.line == theirs.line && mine.ret.has_value() == theirs.ret.has_value());
      EXPECT((mine.result < 0) == (theirs.result < 0));
      EXPECT(mine.result < 0 || first.table().values().kind(mine.result) == whole.table().values().kind(theirs.result));
      EXPECT((mine.key == kNone) == (theirs.key == kNone));
    }
    EXPECT(first.table().others() == whole.table().others() &&
           first.table().values().size() == whole.table().values().size());
  }
  LineReader good;
  LineReader bad;
  EXPECT(good.feed(returning("1")) && !bad.feed("x\n") && !good.append(bad) && !good.finish());
}

void numbers() {
  Interner interner(3);
  std::mt19937_64 random(3);
  std::vector<std::int64_t> seen;
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t strided = std::int64_t{i} * (i % 3 == 0 ? 1 : 1024);
    const std::int64_t value = i % 3 == 2 ? static_cast<std::int64_t>(random() >> 1U) : strided;
    const auto known = interner.size();
    const std::int32_t number = interner.integer(value);
    if (interner.size() > known) seen.push_back(value);
    EXPECT(interner.find_integer(value) == number);
    EXPECT(interner.integers()[static_cast<std::size_t>(number)] == value);
  }
  EXPECT(interner.size() == seen.size() + 3);
  EXPECT(interner.find_integer(-5) == -1 && interner.find_string("5") == -1);
  for (int i = 0; i < 5'000; ++i) {
    const std::string text = "text " + std::to_string(i % 700);
    const std::int32_t number = interner.string(text);
    EXPECT(interner.find_string(text) == number && interner.text(number) == text);
    EXPECT(interner.json(text) != number);
  }
  EXPECT(interner.undecoded().size() == 700);
}

void utf8() {
  const std::string ascii(200, 'a');
  EXPECT(is_utf8("") && is_utf8(ascii) && is_utf8(ascii + "\xC3\xA4" + ascii) && is_utf8("\xF0\x9F\x98\x80"));
  for (const std::string_view bad : {
           "\x80",
           "\xC3",
           "\xC0\xAF",
           "\xE0\x80\x80",
           "\xED\xA0\x80",
           "\xF4\x90\x80\x80",
           "\xFF",
           "\xF0\x9F\x98",
           "\xE2\x82",
       })
    EXPECT(!is_utf8(bad) && !is_utf8(std::string(ascii).append(bad).append(ascii)));
}

}  // namespace

int main() {
  fields();
  values();
  declined();
  fractions();
  clocks();
  blocks_and_damage();
  parts();
  numbers();
  utf8();
  return linpoint::tests::finish();
}
