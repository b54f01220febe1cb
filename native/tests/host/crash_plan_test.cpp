// SPDX-License-Identifier: Apache-2.0
// Parts of the crash engine that need no program: what it is asked for, and hashes.
#include "host/crash/crash_plan.hpp"

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "host/crash/expected_results.hpp"
#include "host/crash/hash128.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::runtime::crash;

void test_scenario() {
  const Scenario scenario = read_scenario(
      "Test\n0 put [1, 2]\n0 get [1]\n0 put [2, 2]\n1 get [2]\nafter get [1]\nafter@1 get [2]\nafter@2 get [3]\n");
  EXPECT(scenario.workload == (std::vector<unsigned>{0, 1, 2}));
  EXPECT(scenario.in_order);
  EXPECT(scenario.beside == (std::vector<unsigned>{3}));
  std::vector<unsigned> probes;
  scenario.collect_probes(0, probes);
  EXPECT(probes == (std::vector<unsigned>{4}));
  scenario.collect_probes(1, probes);
  EXPECT(probes == (std::vector<unsigned>{4, 5}));
  scenario.collect_probes(2, probes);
  EXPECT(probes == (std::vector<unsigned>{4, 5, 6}));
  EXPECT(!read_scenario("Test\nafter get [1]\n0 put [1, 2]\n").in_order);
}

void test_request() {
  const Request request =
      read_request("heal 3 4096\ncrash 17\nline 105553116266496 2\nline 105553116266560 1\ndl3 4 7 2\nprefix 0 2 3\n");
  EXPECT(request.healed.size() == 1 && request.healed[0].module == 3 && request.healed[0].offset == 4096);
  EXPECT(request.has_crash && request.crash == 17);
  EXPECT(request.kept.size() == 2 && request.kept[1].prefix == 1);
  EXPECT(request.overlap && request.overlap->first == 4 && request.overlap->second == 7 && request.overlap->store == 2);
  EXPECT(request.has_prefix && request.prefix == (std::vector<unsigned>{0, 2, 3}));
  const Request nothing = read_request("");
  EXPECT(!nothing.has_crash && !nothing.overlap && !nothing.has_prefix);
}

/// Results of probes, as the program gives them.
struct Results {
  std::string text;
  std::vector<std::uint32_t> ends;

  explicit Results(const std::vector<std::string>& results) {
    for (const std::string& each : results) {
      text += each;
      ends.push_back(static_cast<std::uint32_t>(text.size()));
    }
  }
  [[nodiscard]] ExpectedResults::Seen seen() const { return {text, ends.data(), ends.size()}; }
};

void test_expected_results() {
  const Scenario scenario =
      read_scenario("Test\n0 put [1, 2]\n0 put [2, 2]\n0 get [1]\nafter get [1]\nafter@1 get [2]\n");
  ExpectedResults expected_results(scenario);
  const auto allows = [&](std::size_t operation, bool returned, const std::vector<std::string>& results) {
    std::vector<unsigned> probes;
    scenario.collect_probes(operation, probes);
    const Results seen(results);
    return expected_results.allows(operation, returned, probes, seen.seen());
  };
  EXPECT(!allows(0, false, {"null"}));
  expected_results.read("before\n3 null\nafter\n3 12\nbefore\n4 null\nafter\n4 3\nbefore\n3 \nafter");
  EXPECT(allows(0, false, {"null"}) && allows(0, false, {"12"}));
  EXPECT(allows(0, true, {"12"}) && !allows(0, true, {"null"}) && !allows(0, true, {"13"}));
  EXPECT(allows(1, false, {"12", "null"}) && allows(1, true, {"12", "3"}));
  EXPECT(!allows(1, true, {"12", "null"}) && !allows(1, false, {"null", "3"}));
  EXPECT(!allows(1, true, {"1", "23"}));  // the same letters
  EXPECT(!allows(1, true, {"12"}));       // one has not come back
  EXPECT(!allows(2, true, {"12", "3"}));  // of a probe it is not known
  EXPECT(!allows(2, true, {"", "3"}) && !allows(3, false, {}));
  EXPECT(allows(0, true, {"12"}) && !allows(0, true, {"3"}));  // back again
  const Results seen({"12", "3"});
  EXPECT(!expected_results.allows(1, true, {4, 3}, seen.seen()));  // other probes
}

void test_hashes() {
  // All lengths, and bytes that differ in one place only.
  std::set<Hash> seen;
  for (std::size_t size = 0; size < 40; ++size) {
    std::string text(size, 'a');
    EXPECT(seen.insert(hash_of(text.data(), text.size(), 0)).second);
    for (std::size_t at = 0; at < size; ++at) {
      text[at] = 'b';
      EXPECT(seen.insert(hash_of(text.data(), text.size(), 0)).second);
      text[at] = 'a';
    }
  }
  EXPECT(hash_of("ab", 2, 0) != hash_of("ab", 2, 1));
}

void test_table() {
  HashTable table;
  constexpr unsigned kMany = 50'000;
  bool known = true;
  for (unsigned each = 0; each < kMany; ++each) {
    table.at(mixed(each, 1), known) = static_cast<std::uint8_t>(each % 7);
    EXPECT(!known);
  }
  EXPECT(table.size() == kMany);
  for (unsigned each = 0; each < kMany; ++each) {
    EXPECT(table.at(mixed(each, 1), known) == each % 7);
    EXPECT(known);
  }
  table.clear();
  static_cast<void>(table.at(mixed(3, 1), known));
  EXPECT(!known);
}

}  // namespace

int main() {
  test_scenario();
  test_request();
  test_expected_results();
  test_hashes();
  test_table();
  return linpoint::tests::finish();
}
