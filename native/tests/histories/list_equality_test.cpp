// SPDX-License-Identifier: Apache-2.0
// Lists as they are read, in parts or whole, and which of them are equal.
#include "linpoint/histories/list_equality.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/interner.hpp"
#include "linpoint/histories/line_reader.hpp"
#include "tests/support/harness.hpp"

namespace {

using linpoint::histories::Columns;
using linpoint::histories::equate;
using linpoint::histories::Equated;
using linpoint::histories::Interner;
using linpoint::histories::LineReader;
using linpoint::histories::Lists;
using linpoint::histories::sound;
using linpoint::histories::ValueStore;
using linpoint::histories::with_lists;
using linpoint::histories::with_values;

using Tokens = std::vector<std::int32_t>;

/// A line with this argument and this result, written with ' for ".
std::string line(std::string_view argument, std::string_view result) {
  std::string text = "{'process':0,'op':'f','call':1,'return':2,'args':[";
  text.append(argument).append("],'result':").append(result).append("}\n");
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

bool read(LineReader& reader, std::string_view text, std::size_t block = 1U << 16U) {
  for (; !text.empty(); text.remove_prefix(std::min(block, text.size())))
    if (!reader.feed(text.substr(0, block))) return false;
  return reader.finish();
}

/// The JSON of the value whose tokens begin here, without spaces and with ' for ".
std::string written(const Interner& values, const std::int32_t*& token) {
  const std::int32_t header = *token++;
  if (header == ValueStore::kNull) return "null";
  if (header == ValueStore::kTrue) return "true";
  if (header == ValueStore::kFalse) return "false";
  if (header >= 0) {
    if (values.kind(header) == Interner::Kind::kInteger)
      return std::to_string(values.integers()[static_cast<std::size_t>(header)]);
    return std::string("'").append(values.text(header)).append("'");
  }
  const bool object = header <= Lists::kFirstObject;
  std::string text(1, object ? '{' : '[');
  for (std::int32_t left = (object ? Lists::kFirstObject : Lists::kFirst) - header; left > 0; --left) {
    if (object) text += written(values, token) + ':';
    text += written(values, token);
    if (left > 1) text += ',';
  }
  return text + (object ? '}' : ']');
}

/// A value of columns in the same way; a JSON text as ?.
std::string written(LineReader& reader, const Columns& columns, std::int32_t number) {
  if (number >= 0 && reader.table().values().kind(number) == Interner::Kind::kJson) return "?";
  const std::int32_t* token = &number;
  if (number >= 0) return written(reader.table().values(), token);
  const auto list = (*columns.lists)[static_cast<std::size_t>(Lists::kFirst - number)];
  token = list.data();
  std::string text = written(reader.table().values(), token);
  EXPECT(token == list.data() + list.size());
  return text;
}

std::string read_back(std::string_view value) {
  LineReader reader;
  if (!read(reader, line(value, "null"))) return "declined";
  const Columns columns = reader.table().take_columns();
  EXPECT(!columns.lists || sound(*columns.lists));
  return written(reader, columns, columns.arguments[0]);
}

void lists_and_objects() {
  for (const std::string_view value : {
           "[]",
           "{}",
           "[1]",
           "[[],{},[{}],[[[]]]]",
           "[null,true,false,0,-1,'x','']",
           "{'at':1234}",
           "{'a':[1,{'a':2}],'b':{'a':3}}",
           "[[1234,72057594037927936,72057594037927999],[77,0,72057594037928000]]",
           "[9223372036854775807,-9223372036854775807]",
           "[1,12,123,1234,12345,123456,1234567,12345678,123456789,1234567890123456,12345678901234567]",
           "{'a':1,'b':2,'c':3,'d':4,'e':5,'f':6,'g':7,'h':8,'i':9,'j':10}",
       })
    EXPECT(read_back(value) == value);
  EXPECT(read_back(" [ 1 ,\t{ 'a' : [ ] } ] ") == "[1,{'a':[]}]");
  for (const std::string_view odd : {
           "[1.5]",
           "[1,[2,1e3]]",
           "[9223372036854775808]",
           "[-9223372036854775808]",
           "[-0]",
           "['\\n']",
           "{'\\n':1}",
           "{'a':1,'a':1}",
           "{'a':{'b':1,'b':2}}",
           "{'a':1,'b':2,'c':3,'d':4,'e':5,'f':6,'g':7,'h':8,'i':9,'a':10}",
       })
    EXPECT(read_back(odd) == "?");
  for (const std::string_view wrong : {
           "[",
           "[1",
           "[1,",
           "[1,]",
           "[,1]",
           "[1 2]",
           "[1]]",
           "{1:2}",
           "{'a'}",
           "{'a':}",
           "{'a':1,}",
           "{,}",
           "[01]",
           "[-]",
           "[nul]",
           "['a]",
           "[1}",
           "{'a':1]",
       })
    EXPECT(read_back(wrong) == "declined");
  const auto deep = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT(read_back(deep(64)) == deep(64) && read_back(deep(65)) == "declined");
}

/// What follows a list that could not be read, or a line that is no operation, is not disturbed by it.
void odd_ones_between_others() {
  LineReader reader;
  EXPECT(read(reader, line("[1,[2,3]]", "[4,5.5]") + "{\"crash\":true,\"args\":[[6,7]],\"time\":3}\n" +
                          line("[8,9,0.5]", "{'at':10}")));
  const Columns columns = reader.table().take_columns();
  EXPECT(columns.lists->size() == 2 && sound(*columns.lists));
  EXPECT(written(reader, columns, columns.arguments[0]) == "[1,[2,3]]");
  EXPECT(written(reader, columns, columns.result[0]) == "?");
  EXPECT(written(reader, columns, columns.arguments[1]) == "?");
  EXPECT(written(reader, columns, columns.result[1]) == "{'at':10}");
  LineReader plain;
  EXPECT(read(plain, line("1", "2")) && !plain.table().take_columns().lists);
}

std::string random_value(std::mt19937& random, int depth) {
  const std::uint_fast32_t kind = random() % (depth < 3 ? 8 : 5);
  if (kind == 0) return "null";
  if (kind == 1) return std::string("'s").append(std::to_string(random() % 5)).append("'");
  if (kind < 5) return std::to_string(random() % 20);
  std::string text;
  const bool object = kind == 7;
  for (std::uint_fast32_t left = random() % 4; left > 0; --left) {
    if (object) text.append("'n").append(std::to_string(left)).append("':");
    text += random_value(random, depth + 1) + (left > 1 ? "," : "");
  }
  return std::string(object ? "{" : "[").append(text).append(object ? "}" : "]");
}

/// Any cut into blocks and into parts reads the same lists, and equal ones share a number.
void blocks_and_parts() {
  std::mt19937 random(11);
  std::vector<std::string> values;
  std::vector<std::string> lines;
  for (int i = 0; i < 200; ++i) {
    values.push_back(random_value(random, 0));
    lines.push_back(line(random_value(random, 0), values.back()));
  }
  for (std::size_t cut = 0; cut <= lines.size(); cut += 40) {
    LineReader first;
    LineReader second;
    for (std::size_t i = 0; i < lines.size(); ++i)
      for (std::string_view text = lines[i]; !text.empty(); text.remove_prefix(std::min<std::size_t>(50, text.size())))
        EXPECT((i < cut ? first : second).feed(text.substr(0, 50)));
    EXPECT(first.append(second) && first.finish());
    const Columns columns = first.table().take_columns();
    EXPECT(sound(*columns.lists));
    const auto scalars = static_cast<std::int32_t>(first.table().values().size());
    const Equated equated = equate(columns, scalars);
    std::map<std::string, std::int32_t> numbers;
    for (std::size_t op = 0; op < values.size(); ++op) {
      EXPECT(written(first, columns, columns.result[op]) == values[op]);
      const std::int32_t number = equated.columns.result[op];
      EXPECT(number >= 0 && (number >= scalars) == (columns.result[op] < 0));
      EXPECT(numbers.emplace(values[op], number).first->second == number);
      if (number < scalars) continue;
      const std::int32_t list = equated.lists[static_cast<std::size_t>(number - scalars)];
      EXPECT(written(first, columns, Lists::kFirst - list) == values[op]);
    }
    EXPECT(!equated.columns.lists);
  }
}

void equal_objects() {
  LineReader reader;
  EXPECT(read(reader, line("{'a':1,'b':[{'x':1,'y':2}]}", "{'b':[{'y':2,'x':1}],'a':1}") +
                          line("{'b':1,'a':[{'x':1,'y':2}]}", "['a',1,'b']") + line("[]", "{}")));
  const Columns columns = reader.table().take_columns();
  const Equated equated = equate(columns, 100);
  EXPECT(equated.columns.arguments == Tokens({100, 101, 103}) && equated.columns.result == Tokens({100, 102, 104}));
  EXPECT(equated.lists == Tokens({0, 2, 3, 4, 5}));
}

void other_numbers() {
  Columns columns;
  columns.call = {0};
  columns.key = {2};
  columns.result = {3};
  columns.arguments = {1, 3};
  columns.first_argument = {0, 2};
  const std::int32_t pair = Lists::list_of(2);
  const Columns listed = with_lists(columns, Tokens({-1, -1, -1, 0}), {.first = {0, 3}, .tokens = {pair, 1, 2}});
  EXPECT(listed.result == Tokens({Lists::kFirst}) && listed.arguments == Tokens({1, Lists::kFirst}));
  EXPECT(listed.key == Tokens({2}) && !columns.lists);
  const Columns other = with_values(listed, Tokens({10, 11, 12}));
  EXPECT(other.arguments == Tokens({11, Lists::kFirst}) && other.key == Tokens({12}));
  EXPECT(other.lists->tokens == Tokens({pair, 11, 12}) && listed.lists->tokens == Tokens({pair, 1, 2}));
}

}  // namespace

int main() {
  lists_and_objects();
  odd_ones_between_others();
  blocks_and_parts();
  equal_objects();
  other_numbers();
  return linpoint::tests::finish();
}
