// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <linpoint/test.hpp>

#include "rdcss.hpp"
#include "twin.hpp"

/// A control and a word, both zero.
struct RdcssTest {
  using Rdcss = zoo::Rdcss<zoo::kTwin<zoo::RdcssFlaw>>;
  std::atomic<zoo::Word> control{zoo::word_of(0)};
  std::atomic<zoo::Word> word{zoo::word_of(0)};

  void set_control(int value) { control.store(zoo::word_of(value)); }
  int rdcss(int expected_control, int expected, int desired) {
    return zoo::value_of(
        Rdcss::run({&control, zoo::word_of(expected_control), &word, zoo::word_of(expected), zoo::word_of(desired)}));
  }
  int read() { return zoo::value_of(Rdcss::read(word)); }
};
LINPOINT_TEST(RdcssTest, (set_control, "set-control"), rdcss, read)
LINPOINT_VALUES(RdcssTest, "set-control", "[1]")
LINPOINT_VALUES(RdcssTest, "rdcss", "[0], [0, 1], [1, 2]")
