// SPDX-License-Identifier: Apache-2.0
#include "host/crash/test_session.hpp"

#include <algorithm>

#include "host/persistent/pool_trace_recorder.hpp"

namespace linpoint::runtime::crash {

namespace {

/// Fuel of one operation of the workload, and of a test while the usual amount is not known.
constexpr std::int64_t kFuelOfOperation = 50'000'000;
constexpr std::int64_t kLeastFuel = 1'000'000;
/// Fuel of a test, as a multiple of that of a restart after a clean end.
constexpr std::int64_t kFuelFactor = 30;

persistency::Mode mode() {
  return options.persistency == Persistency::kEadr ? persistency::Mode::kEadr : persistency::Mode::kAdr;
}

double count_states(std::span<const Event> trace) {
  persistency::Persistence now(mode());
  double count = 1;
  for (std::uint32_t at = 0; at < trace.size(); ++at) {
    now.advance(trace[at], at);
    if (persistency::is_store(trace[at].kind)) count += persistency::count_new(now, at, trace[at].address);
  }
  return count;
}

}  // namespace

bool read_kinds(std::string_view text, Kinds& kinds) {
  const std::pair<std::string_view, bool*> words[] = {{"trace", &kinds.trace},       {"dl1", &kinds.dl1},
                                                      {"dl2", &kinds.dl2},           {"c2", &kinds.c2},
                                                      {"dl3", &kinds.dl3},           {"exhaustive", &kinds.exhaustive},
                                                      {"recovery", &kinds.recovery}, {"state", &kinds.state}};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto* const known = std::ranges::find(words, text.substr(0, end), &std::pair<std::string_view, bool*>::first);
    if (known == std::end(words)) return false;
    *known->second = true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

Session::Session(Scenario what, Request asked)
    : scenario(std::move(what)),
      request(std::move(asked)),
      walk(mode()),
      oracle(scenario),
      tester(oracle, keeper),
      causes(tester),
      begin_(std::chrono::steady_clock::now()),
      said_(begin_) {
  allot(0);
}

bool Session::trace() {
  the_recorder.restart(0, true);
  // A copy: the measurement below has its own outcome.
  const Outcome outcome = the_runner.run_workload(
      scenario.workload, options.fuel > 0 ? static_cast<std::int64_t>(options.fuel) : kFuelOfOperation);
  if (the_recorder.differs())
    qualify(
        "code without instrumentation writes to the pool: its stores are not traced, and crashes within it are not "
        "tested");
  if (the_recorder.left_out())
    qualify("the trace is too long to include reads: some likely linearization points are unknown");
  the_recorder.blame_callers(the_runner.standard);
  const auto events = the_recorder.events();
  recorded.events.assign(events.begin(), events.end());
  const auto of_events = the_recorder.frames_of_events();
  recorded.frames_of_events.assign(of_events.begin(), of_events.end());
  const auto frames = the_recorder.frames();
  recorded.frames.assign(frames.begin(), frames.end());
  recorded.first = the_recorder.first_call();
  recorded.edges = the_recorder.edges();
  recorded.silence = the_recorder.longest_silence();
  locks = persistency::LockWords(recorded.events);
  points = persistency::find_points(recorded.events, locks);
  recorded.states = count_states(recorded.events);
  teller.send_traced(recorded, outcome, points, locks.words().size());
  if (outcome.ended != Ended::kComplete) {
    conclusion.ended = outcome.ended == Ended::kRefused ? "refused" : "error";
    conclusion.reason = outcome.message;
    return false;
  }
  the_pool.keep();
  const std::uint64_t end = the_pool.cursor();
  measure();
  if (!images.prepare()) {
    conclusion.ended = "error";
    conclusion.reason = "out of memory for images of the pool";
    return false;
  }
  images.begin(the_recorder.initial());
  // Undo the writes of the workload and the measurement.
  images.restore();
  images.reach(end);
  std::uint64_t cursor = Pool::kBase;
  for (std::uint32_t at = 0; at < recorded.first; ++at) {
    const Event& event = recorded.events[at];
    if (event.kind == persistency::Kind::kAllocate)
      cursor = std::max(cursor, event.address + std::max<std::uint64_t>(persistency::number_of(event.value.data()), 1));
  }
  walk.begin(recorded.events, recorded.first, cursor, locks, images);
  for (const CodePlace& place : request.healed)
    if (place.module < teller.places().all().size())
      walk.heal(teller.places().all()[place.module].base + place.offset, true);
  return true;
}

/// Measures the fuel of a restart without losses.
void Session::measure() {
  tester.fuel = static_cast<std::int64_t>(options.fuel);
  if (tester.fuel > 0 || scenario.workload.empty()) return;
  std::vector<unsigned> probes;
  scenario.collect_probes(scenario.workload.size() - 1, probes);
  const Outcome& outcome = the_runner.run_probes(probes, kFuelOfOperation);
  const bool usual = outcome.ended == Ended::kComplete;
  tester.fuel = std::max(kLeastFuel, usual ? kFuelFactor * the_runner.used() : 0);
}

Failure Session::crash_in(std::size_t which, bool returned) const {
  Failure crash;
  crash.operation = scenario.workload[which];
  crash.context.completed = returned ? which + 1 : which;
  if (!returned) crash.context.open.push_back(scenario.workload[which]);
  scenario.collect_probes(which, crash.context.probes);
  return crash;
}

bool Session::test(Walk& moment, const Recorded& trace_of, const Failure& crash) {
  if (tester.passes(moment, crash.kind, crash.context, crash.state, crash.more)) return true;
  if (!tester.was_new()) return false;
  if (const auto cause = causes.add(moment, crash))
    teller.send_violation(causes.groups().size() - 1, moment, trace_of, crash, *cause, oracle, tester.confirmed());
  return false;
}

void Session::heal_known(Walk& moment) const {
  for (const std::uint64_t code : causes.healed()) moment.heal(code, false);
}

double Session::left() const {
  return options.seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Session::allot(double seconds) {
  limited_ = options.seconds > 0;
  const double most = seconds > 0 ? std::min(seconds, left()) : left();
  if (limited_)
    until_ = std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(most));
}

bool Session::go_on() {
  if (tester.stopped) return false;
  const Instant present = std::chrono::steady_clock::now();
  if (present - said_ > std::chrono::milliseconds(100)) {
    said_ = present;
    std::uint64_t tests = 0;
    for (const std::uint64_t each : tester.counts.tests) tests += each;
    CrashMessageWriter::send_progress(tests, operation, scenario.workload.size());
  }
  conclusion.seconds = std::chrono::duration<double>(present - begin_).count();
  if (!limited_ || present < until_) return true;
  out_of_time = true;
  return false;
}

}  // namespace linpoint::runtime::crash
