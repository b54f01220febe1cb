// SPDX-License-Identifier: Apache-2.0
#include "host/crash/recovery_runs.hpp"

#include "host/base/result_qualifications.hpp"
#include "host/core/scheduler.hpp"
#include "host/persistent/pool_trace_recorder.hpp"

namespace linpoint::runtime::crash {

Runner the_runner;

namespace {

constexpr const char* kEnds[] = {"complete",  "crash",     "hang",     "memory",
                                 "assertion", "exception", "deadlock", "refused"};

Ended ended_by(Fault fault) {
  switch (fault) {
    case Fault::kAssertion:
      return Ended::kAssertion;
    case Fault::kDeadlock:
      return Ended::kDeadlock;
    case Fault::kLivelock:
      return Ended::kHang;
    case Fault::kMemory:
      return Ended::kMemory;
    case Fault::kException:
      return Ended::kException;
    default:
      return Ended::kCrash;
  }
}

}  // namespace

const char* name_of(Ended ended) { return kEnds[static_cast<std::size_t>(ended)]; }

void Runner::do_job(void* job) {
  const auto& [program, creates, recoveries, operations] = *static_cast<const Job*>(job);
  if (creates) program->create();
  for (unsigned each = 0; each < recoveries; ++each) program->recover();
  for (const unsigned number : operations) program->run(number);
}

const Outcome& Runner::run(const Job& job, std::int64_t fuel, Hooks hooks) {
  outcome_.ended = Ended::kComplete;
  outcome_.message.clear();
  outcome_.place = 0;
  outcome_.results.clear();
  hot.fuel = fuel;
  linpoint_countdown = hooks == kLean ? fuel : 0;
  linpoint_crashing = hooks;
  Job copy = job;
  const RunEnd end = scheduler.run_alone(do_job, &copy);
  linpoint_crashing = kOff;
  used_ = fuel - (hooks == kLean ? linpoint_countdown : hot.fuel);
  if (end == RunEnd::kRefused) {
    outcome_.ended = Ended::kRefused;
    outcome_.message = refused_for;
  } else if (end == RunEnd::kFinding) {
    const Finding& finding = scheduler.finding();
    outcome_.ended = ended_by(finding.fault);
    outcome_.message = finding.message;
    if (!finding.places.empty()) outcome_.place = reinterpret_cast<std::uint64_t>(finding.places.front());
  }
  return outcome_;
}

const Outcome& Runner::run_workload(std::span<const unsigned> operations, std::int64_t fuel) {
  fuel_of_operation_ = fuel;
  const Outcome& outcome = run({&program, true, 0, operations}, fuel, kTracing);
  fuel_of_operation_ = 0;
  return outcome;
}

const Outcome& Runner::run_probes(std::span<const unsigned> probes, std::int64_t fuel, Hooks hooks) {
  return run({&program, false, 1, probes}, fuel, hooks);
}

void Runner::begins(unsigned number) const {
  if (!tracing()) return;
  if (fuel_of_operation_ != 0) hot.fuel = fuel_of_operation_;
  the_recorder.call(number);
}

void Runner::ends(unsigned number) {
  if (tracing()) the_recorder.returns(number);
}

void Runner::result(std::string_view text) {
  Results& results = outcome_.results;
  results.text.insert(results.text.end(), text.begin(), text.end());
  results.ends.push_back(static_cast<std::uint32_t>(results.text.size()));
}

void operation_begins(unsigned number) { the_runner.begins(number); }
void operation_ends(unsigned number) { Runner::ends(number); }
void operation_result(unsigned /*number*/, const char* text, std::size_t size) { the_runner.result({text, size}); }

}  // namespace linpoint::runtime::crash
