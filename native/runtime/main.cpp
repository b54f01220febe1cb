// SPDX-License-Identifier: Apache-2.0
// The host: loads a program, and runs it once for each schedule that the search asks for.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "arguments.hpp"
#include "core.hpp"
#include "isolation.hpp"
#include "linpoint/explore/schedulers.hpp"
#include "qualifications.hpp"
#include "results.hpp"
#include "scheduler.hpp"

namespace linpoint::runtime {

namespace {

using Main = int (*)(int, char**, char**);
using Instant = std::chrono::steady_clock::time_point;

Instant now() { return std::chrono::steady_clock::now(); }

/// The program's main; nullptr, and why, if there is none.
Main load(std::string& problem) {
  library::before_load();
  phase = Phase::kLoading;
  void* handle = dlopen(options.target.c_str(), RTLD_NOW | RTLD_GLOBAL);
  phase = Phase::kHost;
  if (handle == nullptr) {
    problem = dlerror();
    return nullptr;
  }
  const auto program = reinterpret_cast<Main>(dlsym(handle, "main"));
  if (program == nullptr) {
    problem = "the program has no function main";
    return nullptr;
  }
  library::after_load(handle);
  return program;
}

/// Says how far it is, now and then, and knows when time is up.
class Timekeeper {
 public:
  Timekeeper() : begin_(now()), said_(begin_) {}

  /// False if no other run is to be begun.
  bool go_on(const explore::Explorer& explorer) {
    const explore::Progress& progress = explorer.progress();
    // Asking for the time takes as long as some steps do.
    constexpr std::uint64_t kSteps = 500;
    if (progress.steps < asked_ + kSteps && progress.runs > 1) return true;
    asked_ = progress.steps;
    const Instant present = now();
    if (present - said_ > std::chrono::milliseconds(100)) {
      said_ = present;
      say_progress(explorer);
    }
    return options.seconds <= 0 || std::chrono::duration<double>(present - begin_).count() < options.seconds;
  }

 private:
  Instant begin_;
  Instant said_;
  std::uint64_t asked_ = 0;
};

/// The result of all runs so far, and how to get another one.
class Exploration {
 public:
  Exploration(explore::Explorer& explorer, Main program) : explorer_(explorer), program_(program) {
    result_.outcomes_asked = options.outcomes;
  }

  /// Runs the program until a finding, the end of the search, or the end of the time. False if the result was said.
  bool run() {
    Timekeeper time;
    while (result_.ended.empty()) {
      if (!time.go_on(explorer_))
        result_.ended = "budget";
      else if (!explorer_.begin())
        result_.ended = "exhausted";
      else if (!(options.fork ? run_in_another_process() : run_here()))
        return false;
    }
    conclude();
    return true;
  }

  [[nodiscard]] const Result& result() const { return result_; }

 private:
  bool run_here() {
    const RunEnd end = scheduler.run(explorer_, program_);
    if (end == RunEnd::kFinding) {
      result_.ended = "finding";
      result_.finding = scheduler.finding();
    } else if (end == RunEnd::kRefused) {
      result_.ended = "refused";
      result_.reason = refused_for;
    } else {
      count(end, library::printed());
    }
    return true;
  }

  bool run_in_another_process() {
    result_.progress = explorer_.progress();
    const IsolatedRun run = run_isolated(explorer_, program_, result_);
    if (run.said) return false;
    if (run.lost) {
      found(Fault::kCrash, "the program ended its process");
    } else {
      count(run.end, run.printed);
    }
    return true;
  }

  void count(RunEnd end, std::string_view printed) {
    if (end == RunEnd::kComplete && options.outcomes) ++result_.outcomes[std::string(printed)];
    if (explorer_.diverged_at() == explore::Explorer::kNever || options.search.starts_with("replay")) return;
    found(Fault::kNondeterminism, "the program did something else when it was run again in the same way");
  }

  /// Of the last run, by those who have only looked at it.
  void found(Fault fault, const char* message) {
    result_.ended = "finding";
    Finding& finding = result_.finding.emplace();
    finding.fault = fault;
    finding.message = message;
    finding.schedule = explorer_.deviations();
    finding.preemptions = explorer_.preemptions();
  }

  void conclude() {
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

  explore::Explorer& explorer_;
  Main program_;
  Result result_;
};

int run(int argc, char** argv) {
  library::fix_addresses(argv);
  const std::string wrong = read_arguments(argc, argv);
  if (!wrong.empty()) {
    static_cast<void>(std::fprintf(stderr, "%s\n", wrong.c_str()));
    return 2;
  }
  if (options.trace) scheduler.trace.turn_on();
  std::string problem;
  const Main program = load(problem);
  if (program == nullptr) {
    Result result;
    result.ended = "error";
    result.reason = problem;
    say_result(result);
    return 0;
  }
  const auto search = make_search();
  Exploration exploration(*search, program);
  if (exploration.run()) say_result(exploration.result());
  return 0;
}

}  // namespace

}  // namespace linpoint::runtime

/// Leaves at once: what the program has registered to be done at the end is its own.
int main(int argc, char** argv) { _exit(linpoint::runtime::run(argc, argv)); }
