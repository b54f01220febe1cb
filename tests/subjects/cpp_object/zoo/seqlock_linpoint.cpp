// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>
#include <utility>

#include "seqlock.hpp"
#include "twin.hpp"

struct SeqlockTest {
  zoo::SeqlockPair<int, zoo::kTwin<zoo::SeqlockFlaw>> pair;
  void write(std::pair<int, int> value) { pair.write(value); }
  std::pair<int, int> read() { return pair.read(); }
};
LINPOINT_TEST(SeqlockTest, write, read)
LINPOINT_VALUES(SeqlockTest, "write", "[[1, 1], [2, 2]]")
