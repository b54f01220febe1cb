// SPDX-License-Identifier: Apache-2.0
#include "host/search/program_search.hpp"

#include <chrono>
#include <cstdint>
#include <string>

#include "host/base/result_qualifications.hpp"
#include "host/core/operation_log.hpp"
#include "host/core/scheduler.hpp"
#include "host/search/forked_runs.hpp"
#include "linpoint/explore/schedulers.hpp"

namespace linpoint::runtime {

namespace {

using Instant = std::chrono::steady_clock::time_point;

Instant now() { return std::chrono::steady_clock::now(); }

/// Reports progress from time to time, and checks whether time is up.
class Timekeeper {
 public:
  Timekeeper() : begin_(now()), said_(begin_) {}

  /// False if no other run must begin.
  bool go_on(const explore::Explorer& explorer) {
    const explore::Progress& progress = explorer.progress();
    // Reading the clock takes as long as several steps.
    constexpr std::uint64_t kSteps = 500;
    if (progress.steps < asked_ + kSteps && progress.runs > 1) return true;
    asked_ = progress.steps;
    const Instant present = now();
    if (present - said_ > std::chrono::milliseconds(100)) {
      said_ = present;
      send_progress(explorer);
    }
    return options.seconds <= 0 || std::chrono::duration<double>(present - begin_).count() < options.seconds;
  }

 private:
  Instant begin_;
  Instant said_;
  std::uint64_t asked_ = 0;
};

}  // namespace

ProgramSearch::ProgramSearch(explore::Explorer& explorer, Main program) : explorer_(explorer), program_(program) {
  result_.outcomes_asked = options.outcomes;
}

bool ProgramSearch::run() {
  Timekeeper time;
  while (result_.ended.empty()) {
    if (!time.go_on(explorer_))
      result_.ended = "budget";
    else if (!explorer_.begin())
      result_.ended = "exhausted";
    else if (!(options.isolate == Isolate::kFork ? run_in_another_process() : run_here()))
      return false;
  }
  conclude();
  return true;
}

bool ProgramSearch::run_here() {
  const RunEnd end = scheduler.run(explorer_, program_);
  if (end == RunEnd::kFinding && operations.on() && scheduler.finding().stuck) {
    // The spec decides whether operations may block forever.
    histories_.add(operations, explorer_, fault_name(scheduler.finding().fault));
  } else if (end == RunEnd::kFinding) {
    result_.ended = "finding";
    result_.finding = scheduler.finding();
  } else if (end == RunEnd::kRefused) {
    result_.ended = "refused";
    result_.reason = refused_for;
  } else {
    count(end, library::printed());
    if (end == RunEnd::kComplete && operations.on()) histories_.add(operations, explorer_, "");
  }
  return true;
}

bool ProgramSearch::run_in_another_process() {
  result_.progress = explorer_.progress();
  const IsolatedRun run = run_isolated(explorer_, program_, result_);
  if (run.said) return false;
  if (run.lost) {
    found(Fault::kCrash, "the program terminated its process");
  } else {
    count(run.end, run.printed);
  }
  return true;
}

void ProgramSearch::count(RunEnd end, std::string_view printed) {
  if (end == RunEnd::kComplete && options.outcomes) ++result_.outcomes[std::string(printed)];
  if (explorer_.diverged_at() == explore::Explorer::kNever || options.search.starts_with("replay")) return;
  found(Fault::kNondeterminism, "the program behaved differently when the same schedule ran again");
}

/// Records a finding about the last run that was detected outside that run.
void ProgramSearch::found(Fault fault, const char* message) {
  result_.ended = "finding";
  Finding& finding = result_.finding.emplace();
  finding.fault = fault;
  finding.message = message;
  finding.schedule = explorer_.deviations();
  finding.preemptions = explorer_.preemptions();
}

void ProgramSearch::conclude() {
  if (auto* shared = dynamic_cast<explore::SharedExplorer*>(&explorer_)) {
    if (result_.ended != "exhausted") shared->stop();
    if (shared->given_up()) result_.ended = "alone";
  }
  result_.exhaustive = result_.ended == "exhausted" && explorer_.exhaustive();
  result_.progress = explorer_.progress();
  result_.diverged_at = explorer_.diverged_at();
  if (const auto* bounded = dynamic_cast<const explore::BoundedExplorer*>(&explorer_))
    result_.completed = bounded->completed();
}

}  // namespace linpoint::runtime
