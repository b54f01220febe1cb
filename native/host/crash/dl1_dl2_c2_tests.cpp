// SPDX-License-Identifier: Apache-2.0
// DL1, DL2 and C2: at each store of each operation, and at each return, tests the states that are most likely to fail.
#include <algorithm>
#include <map>

#include "host/crash/test_session.hpp"

namespace linpoint::runtime::crash {

namespace {

using persistency::Kind;

/// If time is short, each pass takes every kPasses-th operation.
constexpr std::size_t kPasses = 8;
constexpr std::size_t kManyOperations = 64;
constexpr unsigned kPassOrder[kPasses] = {0, 4, 2, 6, 1, 5, 3, 7};
/// For each place in the code that takes a lock.
constexpr unsigned kMostLocks = 3;

class Sweep {
 public:
  Sweep(Session& session, const Kinds& kinds) : session_(session), walk_(session.walk), kinds_(kinds) {}

  /// False if time is up.
  bool pass(std::size_t passes, std::size_t number) {
    walk_.restart();
    std::size_t next = 0;
    while (!walk_.at_end()) {
      const std::uint32_t at = walk_.position();
      const Event& event = session_.recorded.events[at];
      if (event.kind == Kind::kCall) {
        begin(next++, passes, number);
        if (chosen_ && !session_.go_on()) return false;
      }
      const bool tested = visit(at, event);
      if (event.kind == Kind::kReturn) {
        if (chosen_ && kinds_.c2) completed();
        chosen_ = false;
      }
      if (tested && !session_.go_on()) return false;
    }
    return true;
  }

 private:
  /// Advances past an event; whether crashes around it were tested.
  bool visit(std::uint32_t at, const Event& event) {
    const bool store = persistency::is_store(event.kind) && event.operation != persistency::kNoOperation;
    const bool tested =
        chosen_ && store && !walk_.is_lock(at) && (!options.points_only || session_.points.is_point(at));
    if (tested && kinds_.dl2) unrecovered(at);
    walk_.advance();
    if (tested && kinds_.dl1) incomplete(at);
    if (chosen_ && kinds_.dl1 && walk_.is_lock(at)) locked(at);
    if (store && !walk_.is_lock(at)) last_store_ = at;
    return tested;
  }

  void begin(std::size_t operation, std::size_t passes, std::size_t number) {
    chosen_ = session_.is_mine(operation) && operation / options.shard_count % passes == number;
    session_.heal_known(walk_);
    if (!chosen_) return;
    which_ = operation;
    session_.operation = operation;
    crash_ = session_.crash_in(operation, false);
    culprit_ = kNoEvent;
  }

  bool test(Failure& crash) { return session_.test(walk_, session_.recorded, crash); }

  /// Everything before the store, without the store.
  void unrecovered(std::uint32_t at) {
    crash_.kind = Class::kDl2;
    crash_.state = persistency::most(walk_.now());
    crash_.sync = at;
    // If it fails for the first time, the previous store is the cause.
    crash_.culprit = culprit_ != kNoEvent ? culprit_ : last_store_;
    crash_.suspect = kNoEvent;
    culprit_ = test(crash_) ? kNoEvent : crash_.culprit;
  }

  /// The store, and as few of the others as possible.
  void incomplete(std::uint32_t at) {
    crash_.kind = Class::kDl1;
    crash_.state = persistency::incompletely_durable(walk_.now(), at, walk_.trace()[at].address);
    crash_.sync = at;
    crash_.culprit = kNoEvent;
    crash_.suspect = culprit_ != kNoEvent ? culprit_ : at;
    test(crash_);
  }

  /// After the return: with only what is certain, and with everything.
  void completed() {
    Failure crash = session_.crash_in(which_, true);
    crash.kind = Class::kC2;
    crash.suspect = culprit_ != kNoEvent ? culprit_ : last_store_;
    crash.state = persistency::least(walk_.now());
    test(crash);
    crash.state = persistency::most(walk_.now());
    crash.culprit = crash.suspect;
    test(crash);
  }

  /// A taken lock is still taken after the crash.
  void locked(std::uint32_t at) {
    const Event& event = session_.recorded.events[at];
    if (persistency::number_of(event) == 0 || !persistency::is_store(event.kind)) return;
    if (locks_[event.code]++ >= kMostLocks) return;
    Failure crash = session_.crash_in(which_, false);
    crash.kind = Class::kDl1;
    crash.lock = true;
    crash.sync = crash.culprit = at;
    crash.state = persistency::most(walk_.now());
    crash.more.push_back({event.address, event.size, event.value.data(), at});
    test(crash);
  }

  Session& session_;
  Walk& walk_;
  Kinds kinds_;
  Failure crash_;
  std::size_t which_ = 0;
  bool chosen_ = false;
  std::uint32_t last_store_ = kNoEvent;
  std::uint32_t culprit_ = kNoEvent;
  std::map<std::uint64_t, unsigned> locks_;
};

}  // namespace

void sweep(Session& session, const Kinds& kinds) {
  Sweep all(session, kinds);
  const bool many = session.scenario.workload.size() / options.shard_count > kManyOperations;
  const std::size_t passes = many ? kPasses : 1;
  for (std::size_t pass = 0; pass < passes; ++pass)
    if (!all.pass(passes, kPassOrder[pass])) return;
}

void replay(Session& session) {
  Walk& walk = session.walk;
  std::size_t operation = 0;
  bool returned = true;
  std::uint32_t last_store = kNoEvent;
  walk.restart();
  while (!walk.at_end() && walk.position() < session.request.crash) {
    const std::uint32_t at = walk.position();
    const Event& event = session.recorded.events[at];
    if (event.kind == Kind::kCall) operation += returned ? 1 : 0;
    if (event.kind == Kind::kCall) returned = false;
    if (event.kind == Kind::kReturn) returned = true;
    if (persistency::is_store(event.kind)) last_store = at;
    walk.advance();
  }
  if (operation == 0) return;
  Failure crash = session.crash_in(operation - 1, returned);
  crash.kind = returned ? Class::kC2 : Class::kExhaustive;
  crash.state = walk.state_of(session.request.kept);
  crash.sync = crash.suspect = last_store;
  const bool everything = persistency::listed(walk.now(), persistency::most(walk.now())).kept == crash.state.kept;
  if (everything) crash.culprit = last_store;
  if (!returned && last_store != kNoEvent && last_store + 1 == walk.position() && walk.is_lock(last_store)) {
    const Event& event = session.recorded.events[last_store];
    crash.lock = true;
    crash.culprit = last_store;
    crash.more.push_back({event.address, event.size, event.value.data(), last_store});
  }
  if (session.test(walk, session.recorded, crash) && crash.more.empty()) crash_recovery_from(session, crash);
}

}  // namespace linpoint::runtime::crash
