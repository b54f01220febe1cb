// SPDX-License-Identifier: Apache-2.0
// Crashes of the recovery itself: it is recorded like the workload, and crashes at each of its stores. The state after
// a completed recovery is recovered again. The next operation crashes, too, since it may encounter what the crashed
// operation has left behind.
#include <algorithm>

#include "host/crash/test_session.hpp"
#include "host/persistent/pool_trace_recorder.hpp"

namespace linpoint::runtime::crash {

namespace {

using persistency::Kind;

/// Maximum number of images, for each code location of a crash, that are recovered with crashes.
constexpr unsigned kMostOfCode = 4;

class Recovering {
 public:
  explicit Recovering(Session& session) : session_(session), walk_(session.walk.now().mode()) {}

  [[nodiscard]] bool prepare() { return images_.prepare(); }

  /// Tests crashes of the recovery from a state of the current moment.
  void run(const Failure& crash) {
    std::vector<persistency::Write> writes;
    Walk& outer = session_.walk;
    persistency::collect_writes(outer.now(), outer.trace(), crash.state, writes);
    static_cast<void>(outer.images().put(writes));
    the_pool.take_back(outer.cursor());
    const std::size_t extent = outer.images().extent();
    images_.begin({the_pool.memory(), extent});
    the_recorder.restart(extent);
    const std::vector<unsigned> further = following(crash);
    const Outcome& outcome = the_runner.run_probes(further, session_.tester.fuel, kTracing);
    the_recorder.settle_all();
    the_recorder.blame_callers(the_runner.standard);
    const bool complete = outcome.ended == Ended::kComplete;
    result_ = outcome.results.size() == 0 ? "" : std::string(outcome.results[0]);
    take_over();
    const auto is_store = [](const Event& event) { return persistency::is_store(event.kind); };
    if (std::ranges::any_of(inner_.events, is_store)) {
      walk_.begin(inner_.events, 0, outer.cursor(), session_.locks, images_);
      session_.heal_known(walk_);
      crashes(crash, complete);
    }
    // The pool is returned to the other walk, which has not recorded the writes since.
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

  /// The next operation of the workload continues with the recovered object, and crashes too.
  [[nodiscard]] std::vector<unsigned> following(const Failure& crash) const {
    const auto& workload = session_.scenario.workload;
    const auto place = std::ranges::find(workload, crash.operation);
    if (place == workload.end() || place + 1 == workload.end()) return {};
    return {*(place + 1)};
  }

  void crashes(const Failure& outer, bool complete) {
    crash_ = {};
    crash_.kind = Class::kRecovery;
    crash_.context = outer.context;
    crash_.earlier = Failure::Earlier{outer.state.position, session_.walk.reported_state(outer.state)};
    crash_.operation = persistency::kNoOperation;
    culprit_ = last_ = kNoEvent;
    while (!walk_.at_end()) {
      const std::uint32_t at = walk_.position();
      const Event& event = walk_.trace()[at];
      if (event.kind == Kind::kCall) {
        // Recovery is complete: it may run twice, with and without the stores that it has not made durable.
        quiet();
        crash_.operation = event.operation;
        crash_.context.open.push_back(event.operation);
      }
      const bool store = persistency::is_store(event.kind);
      if (store) before(at);
      walk_.advance();
      if (store) after(at);
      if (event.kind == Kind::kReturn) {
        crash_.context.open.pop_back();
        crash_.context.done.emplace_back(event.operation, result_);
      }
      if (store && !session_.go_on()) return;
    }
    if (complete) quiet();
  }

  void before(std::uint32_t at) {
    crash_.sync = at;
    crash_.suspect = kNoEvent;
    crash_.culprit = culprit_ != kNoEvent ? culprit_ : last_;
    crash_.state = persistency::most(walk_.now());
    culprit_ = session_.test(walk_, inner_, crash_) ? kNoEvent : crash_.culprit;
  }

  void after(std::uint32_t at) {
    crash_.culprit = kNoEvent;
    crash_.suspect = culprit_ != kNoEvent ? culprit_ : at;
    crash_.state = persistency::incompletely_durable(walk_.now(), at, walk_.trace()[at].address);
    session_.test(walk_, inner_, crash_);
    last_ = at;
  }

  /// Between operations.
  void quiet() {
    crash_.sync = last_;
    crash_.culprit = kNoEvent;
    crash_.suspect = culprit_ != kNoEvent ? culprit_ : last_;
    crash_.state = persistency::least(walk_.now());
    session_.test(walk_, inner_, crash_);
    crash_.state = persistency::most(walk_.now());
    crash_.culprit = crash_.suspect;
    session_.test(walk_, inner_, crash_);
  }

  Session& session_;
  Walk walk_;
  Images images_;
  Recorded inner_;
  Failure crash_;
  std::string result_;  ///< of the operation that continues
  std::uint32_t culprit_ = kNoEvent;
  std::uint32_t last_ = kNoEvent;  ///< last store
};

}  // namespace

void crash_recovery_from(Session& session, const Failure& crash) {
  Recovering recovering(session);
  if (recovering.prepare()) recovering.run(crash);
}

void crash_recovery(Session& session) {
  Recovering recovering(session);
  if (!recovering.prepare()) {
    qualify("out of memory for crashes during recovery");
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
    // A failure without a second crash is not a failure of the second crash.
    if (session.tester.passes_again(walk, Class::kRecovery, crash.context, crash.state)) recovering.run(crash);
    crash.state = persistency::most(walk.now());
    if (session.tester.passes_again(walk, Class::kRecovery, crash.context, crash.state)) recovering.run(crash);
    if (!session.go_on()) return;
  }
}

}  // namespace linpoint::runtime::crash
