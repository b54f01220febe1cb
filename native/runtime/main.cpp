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
  bool go_on(const explore::Progress& progress) {
    // Asking for the time takes as long as some steps do.
    constexpr std::uint64_t kSteps = 500;
    if (progress.steps < asked_ + kSteps && progress.runs > 1) return true;
    const std::uint64_t steps = progress.steps - asked_;
    asked_ = progress.steps;
    const Instant present = now();
    if (present - said_ > std::chrono::milliseconds(100)) {
      said_ = present;
      say_progress(progress, steps);
    }
    return options.seconds <= 0 || std::chrono::duration<double>(present - begin_).count() < options.seconds;
  }

 private:
  Instant begin_;
  Instant said_;
  std::uint64_t asked_ = 0;
};

/// Runs the program until a finding, the end of the search, or the end of the time.
Result explore_all(explore::Explorer& explorer, Main program) {
  Result result;
  result.outcomes_asked = options.outcomes;
  result.ended = "budget";
  Timekeeper time;
  while (time.go_on(explorer.progress())) {
    if (!explorer.begin()) {
      result.ended = "exhausted";
      break;
    }
    const RunEnd end = scheduler.run(explorer, program);
    if (end == RunEnd::kFinding) {
      result.ended = "finding";
      result.finding = scheduler.finding();
      break;
    }
    if (end == RunEnd::kRefused) {
      result.ended = "refused";
      result.reason = refused_for;
      break;
    }
    if (end == RunEnd::kComplete && options.outcomes) ++result.outcomes[std::string(library::printed())];
    if (explorer.diverged_at() != explore::Explorer::kNever) {
      const bool replays = options.search.starts_with("replay");
      result.ended = replays ? "exhausted" : "finding";
      if (!replays)
        result.finding = scheduler.make_finding(
            Fault::kNondeterminism, "the program did something else when it was run again in the same way", {}, 0, {});
      break;
    }
  }
  result.exhaustive = result.ended == "exhausted" && explorer.exhaustive();
  result.progress = explorer.progress();
  result.diverged_at = explorer.diverged_at();
  if (const auto* bounded = dynamic_cast<const explore::BoundedExplorer*>(&explorer))
    result.completed = bounded->completed();
  return result;
}

int run(int argc, char** argv) {
  library::fix_addresses(argv);
  const std::string wrong = read_arguments(argc, argv);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
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
  say_result(explore_all(*make_search(), program));
  return 0;
}

}  // namespace

}  // namespace linpoint::runtime

/// Leaves at once: what the program has registered to be done at the end is its own.
int main(int argc, char** argv) { _exit(linpoint::runtime::run(argc, argv)); }
