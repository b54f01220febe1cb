// SPDX-License-Identifier: Apache-2.0
// The readers of CSV and of events in EDN and JSON: what they accept and as what, and any text cut into any blocks.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "linpoint/histories/csv_reader.hpp"
#include "linpoint/histories/edn_reader.hpp"
#include "linpoint/histories/json_event_reader.hpp"
#include "linpoint/histories/text_reader.hpp"
#include "tests/support/harness.hpp"

namespace {

using linpoint::histories::Columns;
using linpoint::histories::CsvReader;
using linpoint::histories::EdnReader;
using linpoint::histories::JsonEventReader;
using linpoint::histories::Lists;
using linpoint::histories::OperationTable;
using linpoint::histories::Outcome;
using linpoint::histories::Row;
using linpoint::histories::TextReader;
using linpoint::histories::ValueStore;

using Make = std::function<std::unique_ptr<TextReader>()>;

std::unique_ptr<TextReader> csv(char delimiter) {
  std::vector<std::int32_t> columns;
  for (std::int32_t field = 0; field < static_cast<std::int32_t>(OperationTable::kFields); ++field)
    columns.push_back(field);
  columns.push_back(CsvReader::kIgnored);
  return std::make_unique<CsvReader>(0, delimiter, columns, true);
}

constexpr std::string_view kHeader = "process,op,args,result,call,return,outcome,key,order,times,other\n";

std::unique_ptr<TextReader> edn(std::optional<bool> keyed = std::nullopt, bool porcupine = false) {
  return std::make_unique<EdnReader>(0, keyed, porcupine);
}

std::unique_ptr<TextReader> json() { return std::make_unique<JsonEventReader>(0, std::nullopt); }

/// Whether a text is read to its end, in blocks of this size.
bool read(TextReader& reader, std::string_view text, std::size_t block = 1U << 16U) {
  for (; !text.empty(); text.remove_prefix(std::min(block, text.size())))
    if (!reader.feed(text.substr(0, block))) return false;
  return reader.finish();
}

bool accepts(std::unique_ptr<TextReader> reader, std::string_view text) { return read(*reader, text); }

/// Written with ' for ", as that reads better here.
std::string quoted(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\'', '"');
  return line;
}

std::int64_t integer(const OperationTable& table, std::int32_t number) {
  return table.values().integers()[static_cast<std::size_t>(number)];
}

void cells() {
  const auto reader = csv(',');
  const std::string text = quoted(
      "n1, write,'[1, ''a'']',null,10,20,,k,7,'[1,2.5]',x\n"
      ",,,\n"
      "7,read,,3,20.5,,unknown,,,,\r\n"
      "'7',read,[],,30,40,failed,10.0.0.1,null,[],'a,b'");
  EXPECT(read(*reader, std::string(kHeader) + text));
  OperationTable& table = reader->table();
  const Columns columns = table.take_columns();
  EXPECT(columns.size() == 3 && table.processes().size() == 2);
  const Row first = table.row(columns, 0);
  EXPECT(first.line == 2 && first.arguments.size() == 2 && integer(table, first.arguments[0]) == 1);
  EXPECT(table.values().text(first.arguments[1]) == "a" && table.values().text(first.key) == "k");
  EXPECT(first.hint == 7 && first.clocked && first.result == ValueStore::kNull && first.outcome == Outcome::kOk);
  const Row second = table.row(columns, 1);
  EXPECT(second.line == 4 && second.outcome == Outcome::kUnknown && !second.ret && second.key < 0);
  EXPECT(std::get<double>(second.call) == 20.5);
  EXPECT(second.process == table.row(columns, 2).process || table.processes().size() == 2);
  EXPECT(table.values().text(table.row(columns, 2).key) == "10.0.0.1");
}

void declined_tables() {
  const std::string row = "0,read,[],1,10,20,,,,,\n";
  EXPECT(accepts(csv(','), std::string(kHeader) + row));
  for (const std::string_view bad : {
           "0,read,[],1,10,20,,,,,,\n",
           "0,read,'[]'x,1,10,20\n",
           "0,read,'[],1,10,20\n",
           "0,read,'[\n]',1,10,20\n",
           "0,read,[1,1,10,20\n",
           "0,read,[],1,10\r,20\n",
           "0,read,[],nul,10,20\n",
           "1e999,read,[],1,10,20\n",
           "\xC2\xA0,read,[],1,10,20\n",
           "0,read,[],1,x,20\n",
           "0,,[],1,10\n0,read,[],1,10,20,no\n",
           "\x01,read,[],1,10,20\n",
       })
    EXPECT(!accepts(csv(','), std::string(kHeader) + quoted(bad)));
  EXPECT(!accepts(csv(','), kHeader) && !accepts(csv(','), ""));
}

constexpr std::string_view kEvents =
    "; a log\n"
    "[{:process 0, :type :invoke, :f :write, :value [:x 3], :time 12, :index 0}\n"
    " #jepsen.history.Op{:process 1 :type :invoke :f :read :value [:x nil] :time 1.5 :index 1 :error #{1 [2]}}\n"
    " {:process :nemesis, :type :info, :f :kill, :value {\"n1\" #{3 1 2}}, :index 2}\n"
    " #_ {:process 9} {:process 0 :type :ok :f :write :value [:x 3] :index 3} ; done\n"
    " {:process 1,\n  :type :ok, :f :read, :value [:x 3] :index 4}]\n";

void events() {
  const auto reader = edn();
  EXPECT(read(*reader, kEvents));
  OperationTable& table = reader->table();
  const Columns columns = table.take_columns();
  EXPECT(columns.size() == 2 && table.names().size() == 2 && !columns.lists);
  const Row write = table.row(columns, 0);
  EXPECT(write.line == 2 && std::get<std::int64_t>(write.call) == 0 && std::get<std::int64_t>(*write.ret) == 3);
  EXPECT(write.arguments.size() == 1 && integer(table, write.arguments[0]) == 3 && write.result == ValueStore::kNull);
  EXPECT(table.values().text(write.key) == "x" && write.clocked && !write.return_clock);
  const Row readback = table.row(columns, 1);
  EXPECT(readback.line == 3 && readback.arguments.empty() && integer(table, readback.result) == 3);
  EXPECT(std::get<double>(*readback.call_clock) == 1.5);
  EXPECT(table.others().size() == 1 && table.others()[0].first == 4);
  EXPECT(table.others()[0].second == quoted("{'annotation':'kill {\\'n1\\': [1, 2, 3]}','time':2}"));
}

void declined_events() {
  const std::string_view whole = "{:process 0 :type :invoke :f :read}\n";
  EXPECT(accepts(edn(), whole));
  for (std::size_t length = 0; length + 2 < whole.size(); ++length) EXPECT(!accepts(edn(), whole.substr(0, length)));
  for (const std::string_view bad : {
           "",
           "[]",
           "; nothing\n",
           "{:process 0 :type :invoke :f :read}}",
           "[{:process 0 :type :invoke :f :read}",
           "[{:process 0 :type :invoke :f :read})",
           "[[{:process 0 :type :invoke :f :read}]]",
           "#x [{:process 0 :type :invoke :f :read}]",
           "{:process 0 :type :ok :f :read}",
           "{:process 0 :process 0 :type :invoke :f :read}",
           "{:process 0 :type :invoke :f :read :value 01}",
           "{:process 0 :type :invoke :f :read :value 1/2}",
           "{:process 0 :type :invoke :f :read :value ##NaN}",
           "{:process 0 :type :invoke :f :read :value \\a}",
           "{:process 0 :type :invoke :f :read :value [#x]}",
           "{:process 0 :type :invoke :f :read :value [#x #_ 1]}",
           "{:process 0 :type :invoke :f :read :value #_ 1}",
           "{:process 0 :type :invoke :f :read :value '\\x'}",
           "{:process 0 :type :invoke :f :read :value {1 2 1 3}}",
           "{:process 0 :type :invoke :f :read :value {1}}",
           "{:process 0 :type :invoke :f :read :x 1e999}",
           "{:process 0 :type :invoke :f :cas :value 1}",
       })
    EXPECT(!accepts(edn(), quoted(bad)));
  EXPECT(!accepts(edn(true), "{:process 0 :type :invoke :f :read :value 1}\n"));
  EXPECT(!accepts(edn(), std::string("{:process 0 :type :invoke :f :read :value ") + std::string(100, '[') +
                             std::string(100, ']') + "}\n"));
}

void porcupine() {
  const std::string_view text =
      "{:process 0, :type :invoke, :f :get, :key \"5\", :value nil}\n"
      "{:process 0, :type :ok, :f :get, :key \"5\", :value \"\"}\n";
  for (const bool absent : {false, true}) {
    const auto reader = edn(std::nullopt, absent);
    EXPECT(read(*reader, text));
    const Columns columns = reader->table().take_columns();
    EXPECT((columns.result[0] == ValueStore::kNull) == absent);
  }
}

void arrays() {
  const std::string_view event = "{'index':%,'process':0,'type':'@','f':'add','value':[1,{'a':null}],'time':0.5}";
  const auto made = [&](char index, std::string_view type) {
    std::string text = quoted(event);
    text.replace(text.find('%'), 1, 1, index);
    return text.replace(text.find('@'), 1, type);
  };
  const std::string first = made('1', "invoke");
  const std::string second = made('2', "ok");
  for (const std::string& text : {
           first + "\n\n" + second + "\n",
           "[" + first + "," + second + "]",
           "\n [\n" + first + "\n, " + second + "\n ]\n\n",
       }) {
    const auto reader = json();
    EXPECT(read(*reader, text));
    const Columns columns = reader->table().take_columns();
    EXPECT(columns.size() == 1 && columns.lists && columns.lists->size() == 1);
    EXPECT(std::get<double>(*reader->table().row(columns, 0).return_clock) == 0.5);
  }
  for (const std::string& text : {
           first + second,
           first + ",\n" + second,
           "[" + first + second + "]",
           "[" + first + "," + second + ",]",
           "[" + first + "," + second,
           "[" + first + "," + second + "]]",
           "[," + first + "]",
           std::string("[]"),
       })
    EXPECT(!accepts(json(), text));
}

/// Any cut into blocks reads the same, and what a random change makes of a text is read or declined, never worse.
void blocks_and_damage(const Make& make, std::string_view text) {
  const auto whole = make();
  EXPECT(read(*whole, text));
  const Columns expected = whole->table().take_columns();
  for (std::size_t block = 1; block < 300; ++block) {
    const auto cut = make();
    EXPECT(read(*cut, text, block));
    const Columns columns = cut->table().take_columns();
    EXPECT(columns.result == expected.result && columns.call == expected.call);
    for (std::size_t op = 0; op < columns.size(); ++op)
      EXPECT(cut->table().row(columns, op).line == whole->table().row(expected, op).line);
  }
  constexpr std::string_view kOdd = "{}[]()\"'#_;:\\,\n\r\t 0-1.eNn\0\xC3\xA4";
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged(text.substr(0, random() % (text.size() + 1)));
    for (std::uint_fast32_t changes = random() % 4; changes > 0 && !damaged.empty(); --changes)
      damaged[random() % damaged.size()] =
          random() % 3 > 0 ? kOdd[random() % kOdd.size()] : static_cast<char>(random());
    const auto reader = make();
    if (!read(*reader, damaged, 1 + random() % 400)) continue;
    const Columns columns = reader->table().take_columns();
    EXPECT(columns.result.size() == columns.call.size() && columns.process.size() == columns.call.size());
    for (std::size_t op = 0; op < columns.size(); ++op) (void)reader->table().row(columns, op);
  }
}

}  // namespace

int main() {
  cells();
  declined_tables();
  events();
  declined_events();
  porcupine();
  arrays();
  blocks_and_damage([] { return csv(','); },
                    std::string(kHeader) + quoted("0, read,'[1, ''a'', {}]',[[]],10,20,ok,k,7,'[1,2.5]',x\n"
                                                  "1,read,,'''x''',20.5,40,,10.0.0.1,,,\r\n"));
  blocks_and_damage([] { return edn(); }, kEvents);
  blocks_and_damage(json, quoted("[{'process':0,'type':'invoke','f':'txn','value':[['r',1,null],{'a':{}}],'time':1}\n"
                                 ",{'process':0,'type':'ok','f':'txn','value':[['r',1,'\xC3\xA4'],2]},\n"
                                 "{'process':'nemesis','type':'info','f':'kill','value':'n1'}]\n"));
  return linpoint::tests::finish();
}
