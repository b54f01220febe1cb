// SPDX-License-Identifier: Apache-2.0
// The text of findings: what went wrong in a run.
#include <algorithm>
#include <string>

#include "host/base/result_qualifications.hpp"
#include "host/core/memory_accesses.hpp"
#include "host/core/scheduler.hpp"

namespace linpoint::runtime {

namespace {

/// For programs that print endlessly, only the last part is reported.
constexpr std::size_t kMostPrinted = 4000;

std::string thread_name(Thread thread) { return "thread " + std::to_string(thread); }

/// What a thread waits for, as in "thread 1 waits for a lock".
std::string waiting(const Task& task) {
  std::string who = thread_name(task.number);
  if (task.parked) return who + " spins";
  switch (task.info.kind) {
    case Kind::kJoin:
      return who + " waits for the end of " + thread_name(task.info.other);
    case Kind::kLock:
      if (task.info.in_the_way() != kNoThread)
        return who + " waits for a lock held by " + thread_name(task.info.in_the_way());
      return who + " waits for a lock";
    case Kind::kWait:
      return who + " waits to be notified";
    default:
      return who + " waits";
  }
}

}  // namespace

std::string refused_for;
std::vector<std::string> qualified;
std::vector<Finding> reported_races;

void qualify(std::string_view sentence) {
  const OutOfProgram host;
  if (std::find(qualified.begin(), qualified.end(), sentence) == qualified.end()) qualified.emplace_back(sentence);
}

Finding Scheduler::make_finding(Fault fault, std::string_view message, std::span<const void* const> places,
                                std::uint64_t address, std::span<const std::uint32_t> steps_of) const {
  Finding finding;
  finding.fault = fault;
  finding.message = message;
  finding.places.assign(places.begin(), places.end());
  finding.address = address;
  finding.steps_of.assign(steps_of.begin(), steps_of.end());
  if (explorer_ != nullptr) {
    finding.schedule = explorer_->deviations();
    finding.preemptions = explorer_->preemptions();
  }
  const std::string_view printed = library::printed();
  finding.printed = printed.substr(printed.size() - std::min(printed.size(), kMostPrinted));
  return finding;
}

void Scheduler::found(Fault fault, std::string_view message, std::span<const void* const> places, std::uint64_t address,
                      std::span<const std::uint32_t> steps_of) {
  finding_ = make_finding(fault, message, places, address, steps_of);
  if (finding_.steps_of.empty() && !trace.steps().empty()) finding_.steps_of.push_back(trace.number());
}

/// No thread can continue, and some have not ended.
RunEnd Scheduler::stuck() {
  bool spins = false;
  std::string message;
  std::vector<const void*> places;
  for (Thread thread = 0; thread < threads_; ++thread) {
    const Task& task = *tasks_[thread];
    if (task.ended) continue;
    spins |= task.parked;
    if (!message.empty()) message += ", ";
    message += waiting(task) + " at {" + std::to_string(places.size()) + "}";
    places.push_back(task.info.caller);
  }
  found(spins ? Fault::kLivelock : Fault::kDeadlock, message, places, 0, {});
  finding_.stuck = true;
  return RunEnd::kFinding;
}

void report_race(const Task& task, const PastAccess& past, const NewAccess& now) {
  const auto words = [](bool writes, bool atomic) {
    return std::string(atomic ? "an atomic " : "a ") + (writes ? "write" : "read");
  };
  const std::string message = words(past.writes, past.atomic) + " by " + thread_name(past.thread) + " at {0} and " +
                              words(now.writes, now.atomic) + " by " + thread_name(task.number) +
                              " at {1} are not ordered";
  const void* const places[] = {past.caller, now.caller};
  const std::uint32_t steps[] = {past.step, now.step};
  const auto steps_of = scheduler.trace.on() ? std::span<const std::uint32_t>(steps) : std::span<const std::uint32_t>();
  if (options.races == Races::kStop) {
    scheduler.found(Fault::kRace, message, places, now.address, steps_of);
    scheduler.leave_run(RunEnd::kFinding);
  }
  constexpr std::size_t kMostRaces = 20;
  const bool known = std::any_of(reported_races.begin(), reported_races.end(), [&](const Finding& race) {
    return std::is_permutation(race.places.begin(), race.places.end(), std::begin(places), std::end(places));
  });
  if (known || reported_races.size() >= kMostRaces) return;
  reported_races.push_back(scheduler.make_finding(Fault::kRace, message, places, now.address, steps_of));
}

}  // namespace linpoint::runtime
