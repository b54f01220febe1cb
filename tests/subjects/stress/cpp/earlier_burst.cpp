// SPDX-License-Identifier: Apache-2.0
// The report of a round while a thread has not yet reached its burst. It must contain nothing of the previous burst:
// the thread has not begun, and its previous operations were on another object.
#define LINPOINT_STRESS
#include <cstdio>
#include <linpoint/test.hpp>

struct Counter {
  int count = 0;
  int next() { return ++count; }
};
LINPOINT_TEST(Counter, next)

namespace {

using namespace linpoint::detail;

/// Without threads: no burst is reached, and the operations are inserted directly.
[[noreturn]] int look() {
  Request request;
  if (RequestReader("test Counter\ncall next []\nrun 0\nrun 0").read(request) != nullptr) _exit(2);
  Place places[2];
  Crew crew(request, places);
  Teller teller(request, crew);
  crew.begin(0, 1);
  for (Worker& worker : crew.workers()) {
    Record& record = *worker.first_of(0);
    *static_cast<int*>(worker.result_of(&record)) = 7;
    record.state.store(State::kReturned);
  }
  crew.begin(1, 1);
  std::string text;
  (void)tell_halted(crew, teller, "halted", text);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  _exit(0);
}
const int looked = look();

}  // namespace
