// SPDX-License-Identifier: Apache-2.0
// What all kinds of crash tests share: the trace, the walk through it, tests and what becomes of failures, and time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "host/crash/crash_messages.hpp"
#include "host/crash/crash_plan.hpp"
#include "host/crash/crash_tester.hpp"
#include "host/crash/oracle_questions.hpp"
#include "host/crash/pristine_process.hpp"
#include "host/crash/root_causes.hpp"
#include "host/crash/trace_walk.hpp"
#include "linpoint/persistency/linearization_points.hpp"

namespace linpoint::runtime::crash {

/// Which tests are asked for.
struct Kinds {
  bool trace = false;
  bool dl1 = false;
  bool dl2 = false;
  bool c2 = false;
  bool dl3 = false;
  bool exhaustive = false;
  bool recovery = false;
  bool state = false;
};

/// False if there is another word.
[[nodiscard]] bool read_kinds(std::string_view text, Kinds& kinds);

class Session {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  Session(Scenario what, Request asked);

  /// Records the workload, prepares the walk through it, and says what was recorded. False if it did not come to its
  /// end.
  [[nodiscard]] bool trace();

  /// Tests a crash at the present moment of a walk. Whether it is allowed; what fails is counted, and said if its cause
  /// is new.
  bool test(Walk& moment, const Recorded& trace_of, const Failure& crash);
  /// A crash of one of the workload, by its place in it; or when it has just returned.
  [[nodiscard]] Failure crash_in(std::size_t operation, bool returned) const;
  /// What is well known to be missing is not to be found again: to be called between operations.
  void heal_known(Walk& moment) const;

  /// So many seconds from now on are for what comes next; 0: all that are left.
  void allot(double seconds);
  [[nodiscard]] double left() const;
  /// Whether there is time for another test. Says how far it is, now and then.
  [[nodiscard]] bool go_on();
  /// Whether an operation is for this process.
  [[nodiscard]] bool is_mine(std::size_t which) const { return which % options.shard_count == options.shard_index; }

  Scenario scenario;
  Request request;
  Recorded recorded;
  persistency::LockWords locks{std::span<const Event>()};
  persistency::Points points;
  Images images;
  Walk walk;
  Oracle oracle;
  Keeper keeper;
  Tester tester;
  Causes causes;
  CrashMessageWriter teller;
  std::size_t operation = 0;  ///< the one that crashes, for progress
  bool out_of_time = false;   ///< at least once
  Conclusion conclusion;

 private:
  void measure();

  Instant begin_;
  Instant said_;
  Instant until_;
  bool limited_ = false;
};

// ---- Kinds of tests
// --------------------------------------------------------------------------------------------------

/// DL1 and DL2 at each store, C2 at each return, locks that come up locked.
void sweep(Session& session, const Kinds& kinds);
/// Whatever a crash can leave in the lines that recovery and probes read, at each store and return.
void exhaust(Session& session);
/// Crashes of the recovery itself, and recovery twice, for a sample of images.
void crash_recovery(Session& session);
/// The same from one state of the present moment.
void crash_recovery_from(Session& session, const Failure& crash);
/// Two operations side by side, of which one has seen what the other one loses.
void overlap(Session& session);
/// The state that the request asks for, and crashes of the recovery from it if it is allowed; or its two operations
/// side by side.
void replay(Session& session);
void replay_overlap(Session& session);

}  // namespace linpoint::runtime::crash
