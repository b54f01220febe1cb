// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <cstddef>
#include <linpoint/test.hpp>
#include <tuple>

#include "mcas.hpp"
#include "rdcss.hpp"
#include "twin.hpp"

/// Two words, both zero.
struct McasTest {
  using Mcas = zoo::Mcas<2, zoo::kTwin<zoo::McasFlaw>>;
  using Change = std::tuple<std::size_t, int, int>;  // word, expected, desired
  std::array<std::atomic<zoo::Word>, 2> words{};

  bool mwcas(std::array<Change, 2> changes) {
    Mcas::Entries entries;
    for (std::size_t each = 0; each < entries.size(); ++each) {
      const auto [at, expected, desired] = changes[each];
      entries[each] = {&words[at], zoo::word_of(expected), zoo::word_of(desired)};
    }
    return Mcas::run(entries);
  }
  std::array<int, 1> read(std::array<std::size_t, 1> at) { return {zoo::value_of(Mcas::read(words[at[0]]))}; }
};
LINPOINT_TEST(McasTest, mwcas, read)
LINPOINT_VALUES(McasTest, "mwcas", "[[[0, 0, 1], [1, 0, 1]], [[1, 1, 0], [0, 1, 0]]]")
LINPOINT_VALUES(McasTest, "read", "[[0], [1]]")
