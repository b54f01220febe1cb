// SPDX-License-Identifier: Apache-2.0
// Tests everything that a crash can leave, in the lines that are read (Gorjiara, Xu, Demsky: Jaaru, ASPLOS 2021).
//
// The possible states at each store include all possible states until the next store; so crashes right after stores,
// and at returns, represent all. Only lines that recovery or a probe reads can matter. They are found by running, which
// continues until no run reads a line that has not been varied.
#include <algorithm>

#include "host/crash/test_session.hpp"

namespace linpoint::runtime::crash {

namespace {

using persistency::Kind;

/// More states of one moment than can ever be tested.
constexpr std::uint64_t kMostStates = std::uint64_t{1} << 20U;

class Moment {
 public:
  Moment(Session& session, Failure& crash) : session_(session), walk_(session.walk), crash_(crash) {}

  /// False if not everything was tested.
  bool run() {
    session_.tester.watch_all();
    for (;;) {
      const std::size_t known = lines_.size();
      persistency::Exhaustive states(walk_.now(), lines_);
      if (states.count() > kMostStates) return false;
      while (states.next(crash_.state)) {
        if (!session_.go_on()) return false;
        session_.test(walk_, session_.recorded, crash_);
        add_lines();
      }
      if (lines_.size() == known) return true;
    }
  }

 private:
  void add_lines() {
    for (const std::uint64_t line : session_.tester.read_lines()) {
      const auto place = std::ranges::lower_bound(lines_, line);
      if (place != lines_.end() && *place == line) continue;
      if (!walk_.now().waiting_in(line).empty()) lines_.insert(place, line);
    }
  }

  Session& session_;
  Walk& walk_;
  Failure& crash_;
  std::vector<std::uint64_t> lines_;  ///< lines that are read and may differ, sorted
};

}  // namespace

void exhaust(Session& session) {
  Walk& walk = session.walk;
  walk.restart();
  session.tester.hooks = kWatching;
  bool all = true;
  std::size_t next = 0;
  std::uint32_t last_store = kNoEvent;
  while (!walk.at_end()) {
    const std::uint32_t at = walk.position();
    const Event& event = session.recorded.events[at];
    if (event.kind == Kind::kCall) {
      session.operation = next++;
      session.heal_known(walk);
    }
    walk.advance();
    const bool store =
        persistency::is_store(event.kind) && !walk.is_lock(at) && event.operation != persistency::kNoOperation;
    if (store) last_store = at;
    if (next == 0 || !session.is_mine(next - 1) || (!store && event.kind != Kind::kReturn)) continue;
    Failure crash = session.crash_in(next - 1, !store);
    crash.kind = Class::kExhaustive;
    crash.sync = crash.suspect = last_store;
    all = Moment(session, crash).run() && all;
    if (!session.go_on()) {
      all = false;
      break;
    }
  }
  session.tester.hooks = kLean;
  session.conclusion.exhaustive = all;
  if (!all) qualify("not all crash states were tested");
}

}  // namespace linpoint::runtime::crash
