// SPDX-License-Identifier: Apache-2.0
// The common part of all crash tests: the trace, the walk through it, running tests, handling failures, and time.
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

/// The requested tests.
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

/// False if there is an unknown word.
[[nodiscard]] bool read_kinds(std::string_view text, Kinds& kinds);

class Session {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  Session(Scenario what, Request asked);

  /// Records the workload, prepares the walk through it, and reports the recording. False if the workload did not
  /// complete.
  [[nodiscard]] bool trace();

  /// Tests a crash at the current moment of a walk. Whether the outcome is allowed. A failure is counted, and reported
  /// if its cause is new.
  bool test(Walk& moment, const Recorded& trace_of, const Failure& crash);
  /// A crash in an operation of the workload, by its place; or just after it has returned.
  [[nodiscard]] Failure crash_in(std::size_t operation, bool returned) const;
  /// Makes known missing stores persistent, so that they are not found again: call it between operations.
  void heal_known(Walk& moment) const;

  /// Limits the next tests to this number of seconds; 0: all remaining time.
  void allot(double seconds);
  [[nodiscard]] double left() const;
  /// Whether there is time for another test. Reports progress from time to time.
  [[nodiscard]] bool go_on();
  /// Whether this process tests an operation.
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

// ---- Kinds of tests -------------------------------------------------------------------------------------------------

/// DL1 and DL2 at each store, C2 at each return, locks that stay locked.
void sweep(Session& session, const Kinds& kinds);
/// Everything that a crash can leave in the lines that recovery and probes read, at each store and return.
void exhaust(Session& session);
/// Crashes of the recovery itself, and repeated recovery, for a sample of images.
void crash_recovery(Session& session);
/// The same from one state of the current moment.
void crash_recovery_from(Session& session, const Failure& crash);
/// Two concurrent operations, one of which has observed what a crash makes the other one lose.
void overlap(Session& session);
/// The requested state, and crashes of the recovery from it if it is allowed; or the requested two concurrent
/// operations.
void replay(Session& session);
void replay_overlap(Session& session);

}  // namespace linpoint::runtime::crash
