// SPDX-License-Identifier: Apache-2.0
// Crashes of the recovery itself: it is recorded as the workload was, and crashes at each of its stores; and what a
// recovery leaves that has come to its end is recovered again.
#include <algorithm>

#include "crash_recorder.hpp"
#include "crash_session.hpp"

namespace linpoint::runtime::crash {

namespace {

using persistency::Kind;

/// So many images are recovered with crashes for each place in the code where a crash is, at first.
constexpr unsigned kMostOfCode = 4;

class Recovering {
 public:
  explicit Recovering(Session& session) : session_(session), walk_(session.walk.now().mode()) {}

  [[nodiscard]] bool prepare() { return images_.prepare(); }

  /// Crashes of the recovery from a state of the present moment.
  void run(const Failure& crash) {
    std::vector<persistency::Write> writes;
    Walk& outer = session_.walk;
    persistency::collect_writes(outer.now(), outer.trace(), crash.state, writes);
    static_cast<void>(outer.images().put(writes));
    the_pool.take_back(outer.cursor());
    const std::size_t extent = outer.images().extent();
    images_.begin({the_pool.memory(), extent});
    the_recorder.restart(extent);
    const Outcome& outcome = the_runner.run_recovery(1, session_.tester.fuel, kTracing);
    the_recorder.settle_all();
    the_recorder.blame_callers(the_runner.standard);
    const bool complete = outcome.ended == Ended::kComplete;
    take_over();
    const auto is_store = [](const Event& event) { return persistency::is_store(event.kind); };
    if (std::ranges::any_of(inner_.events, is_store)) {
      walk_.begin(inner_.events, 0, outer.cursor(), locks_, images_);
      session_.heal_known(walk_);
      crashes(crash, complete);
    }
    // The pool belongs to the other walk again, which knows nothing of what was written meanwhile.
    outer.images().copy_once();
  }

 private:
  void take_over() {
    const auto events = the_recorder.events();
    inner_.events.assign(events.begin(), events.end());
    const auto of_events = the_recorder.frames_of_events();
    inner_.frames_of_events.assign(of_events.begin(), of_events.end());
    const auto frames = the_recorder.frames();
    inner_.frames.assign(frames.begin(), frames.end());
  }

  void crashes(const Failure& outer, bool complete) {
    Failure crash;
    crash.kind = Class::kRecovery;
    crash.context = outer.context;
    crash.operation = outer.operation;
    std::uint32_t culprit = kNoEvent;
    std::uint32_t last = kNoEvent;
    while (!walk_.at_end()) {
      const std::uint32_t at = walk_.position();
      const bool store = persistency::is_store(walk_.trace()[at].kind);
      if (store) {
        crash.sync = at;
        crash.suspect = kNoEvent;
        crash.culprit = culprit != kNoEvent ? culprit : last;
        crash.state = persistency::most(walk_.now());
        culprit = session_.test(walk_, inner_, crash) ? kNoEvent : crash.culprit;
      }
      walk_.advance();
      if (store) {
        crash.culprit = kNoEvent;
        crash.suspect = culprit != kNoEvent ? culprit : at;
        crash.state = persistency::incompletely_durable(walk_.now(), at, walk_.trace()[at].address);
        session_.test(walk_, inner_, crash);
        last = at;
        if (!session_.go_on()) return;
      }
    }
    if (!complete) return;
    // Twice, with and without what the first one has not made sure of.
    crash.sync = last;
    crash.culprit = kNoEvent;
    crash.suspect = culprit != kNoEvent ? culprit : last;
    crash.state = persistency::least(walk_.now());
    session_.test(walk_, inner_, crash);
    crash.state = persistency::most(walk_.now());
    crash.culprit = crash.suspect;
    session_.test(walk_, inner_, crash);
  }

  Session& session_;
  Walk walk_;
  Images images_;
  Recorded inner_;
  persistency::LockWords locks_{std::span<const Event>()};
};

}  // namespace

void crash_recovery(Session& session) {
  Recovering recovering(session);
  if (!recovering.prepare()) {
    qualify("there is no memory for crashes of the recovery");
    return;
  }
  Walk& walk = session.walk;
  walk.restart();
  std::size_t next = 0;
  std::vector<std::pair<std::uint64_t, unsigned>> counts;  // by code
  while (!walk.at_end()) {
    const std::uint32_t at = walk.position();
    const Event& event = session.recorded.events[at];
    if (event.kind == Kind::kCall) session.operation = next++;
    walk.advance();
    const bool store =
        persistency::is_store(event.kind) && !walk.is_lock(at) && event.operation != persistency::kNoOperation;
    if (next == 0 || !session.is_mine(next - 1) || (!store && event.kind != Kind::kReturn)) continue;
    auto count = std::ranges::find(counts, event.code, &std::pair<std::uint64_t, unsigned>::first);
    if (count == counts.end()) count = counts.insert(counts.end(), {event.code, 0});
    if (count->second++ >= kMostOfCode) continue;
    Failure crash = session.crash_in(next - 1, !store);
    crash.state =
        store ? persistency::incompletely_durable(walk.now(), at, event.address) : persistency::least(walk.now());
    // What fails without a second crash is no failure of the second one.
    if (session.tester.passes_again(walk, Class::kRecovery, crash.context, crash.state)) recovering.run(crash);
    crash.state = persistency::most(walk.now());
    if (session.tester.passes_again(walk, Class::kRecovery, crash.context, crash.state)) recovering.run(crash);
    if (!session.go_on()) return;
  }
}

}  // namespace linpoint::runtime::crash
