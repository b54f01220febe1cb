// SPDX-License-Identifier: Apache-2.0
// Only who has arrived may depart, so depart() looks whether its thread has, and says so.
#include <linpoint/test.hpp>

#include "snzi.hpp"
#include "twin.hpp"

namespace {
thread_local int arrivals = 0;  // of this thread in this run; a thread does not outlive its run
}

struct SnziTest {
  zoo::Snzi<zoo::kTwin<zoo::SnziFlaw>> indicator;
  void arrive() {
    indicator.arrive();
    ++arrivals;
  }
  bool depart() {
    if (arrivals == 0) return false;
    --arrivals;
    indicator.depart();
    return true;
  }
  bool query() { return indicator.query(); }
};
LINPOINT_TEST(SnziTest, arrive, depart, query)
