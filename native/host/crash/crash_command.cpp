// SPDX-License-Identifier: Apache-2.0
#include "host/crash/crash_command.hpp"

#include <dlfcn.h>
#include <link.h>

#include <memory>
#include <string>
#include <vector>

#include "host/crash/test_session.hpp"
#include "host/persistent/pool_trace_recorder.hpp"
#include "host/protocol/message_writer.hpp"
#include "host/protocol/request_file.hpp"

namespace linpoint::runtime {

namespace crash {

namespace {

using Describe = const char* (*)();
using Prepare = const char* (*)(const char*);

template <typename Function>
Function function_of(void* handle, const char* name) {
  return reinterpret_cast<Function>(dlsym(handle, name));
}

void send_end(const char* ended, const std::string& reason) {
  Conclusion conclusion;
  conclusion.ended = ended;
  conclusion.reason = reason;
  CrashMessageWriter().send_result(conclusion);
}

/// An error message, or nothing.
std::string prepare(void* handle, const std::vector<std::string>& parts) {
  const auto read = function_of<Prepare>(handle, "linpoint_crash_prepare");
  Program& program = the_runner.program;
  program.create = function_of<void (*)()>(handle, "linpoint_crash_create");
  program.recover = function_of<void (*)()>(handle, "linpoint_crash_recover");
  program.run = function_of<void (*)(unsigned)>(handle, "linpoint_crash_run");
  if (read == nullptr || program.create == nullptr || program.recover == nullptr || program.run == nullptr)
    return "the program has no tests of persistent objects";
  if (parts.empty()) return "there is no scenario";
  phase = Phase::kLoading;
  const char* problem = read(parts[0].c_str());
  phase = Phase::kHost;
  if (problem != nullptr) return problem;
  library::after_load(handle);
  link_map* loaded = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&loaded)) == 0)
    the_runner.standard.read(options.target.c_str(), loaded->l_addr);
  if (!the_pool.reserve(options.pool_size.value_or(kDefaultPoolSize)))
    return "the address of the pool is not available";
  if (!the_recorder.prepare()) return "out of memory for the pool";
  return "";
}

void advise(Session& session) {
  persistency::Persistence now(session.walk.now().mode());
  persistency::Adviser adviser;
  for (std::uint32_t at = 0; at < session.recorded.events.size(); ++at) {
    now.advance(session.recorded.events[at], at);
    adviser.observe(session.recorded.events[at], now);
  }
  session.conclusion.advice = adviser.advice();
  // Flushes and fences not requested by the program, such as PMDK's own, cannot be removed by the user.
  std::erase_if(session.conclusion.advice, [](const persistency::Advice& each) { return each.code == 0; });
}

void run_kinds(Session& session, const Kinds& kinds) {
  if (kinds.state) {
    if (session.request.overlap)
      replay_overlap(session);
    else
      replay(session);
    return;
  }
  struct Part {
    bool asked;
    double share;
    void (*run)(Session&, const Kinds&);
  };
  const Part parts[] = {
      {kinds.dl1 || kinds.dl2 || kinds.c2, 3, sweep},
      {kinds.recovery, 1, [](Session& all, const Kinds&) { crash_recovery(all); }},
      {kinds.exhaustive, 3, [](Session& all, const Kinds&) { exhaust(all); }},
      {kinds.dl3, 3, [](Session& all, const Kinds&) { overlap(all); }},
  };
  double shares = 0;
  for (const Part& part : parts) shares += part.asked ? part.share : 0;
  for (const Part& part : parts) {
    if (!part.asked) continue;
    session.allot(session.left() * part.share / shares);
    shares -= part.share;
    if (!session.tester.stopped) part.run(session, kinds);
  }
}

void conclude(Session& session) {
  Tester::check_pool(session.walk, true);
  static_cast<void>(session.go_on());
  Conclusion& conclusion = session.conclusion;
  if (session.tester.stopped) {
    conclusion.ended = "refused";
    conclusion.reason = session.tester.reason;
  } else if (session.out_of_time) {
    conclusion.ended = "budget";
  }
  conclusion.counts = session.tester.counts;
  conclusion.groups = session.causes.groups();
}

}  // namespace

}  // namespace crash

void explore_crashes(void* handle) {
  using namespace crash;
  if (options.crash == "describe") {
    const auto describe = function_of<Describe>(handle, "linpoint_test_describe");
    if (describe == nullptr) {
      send_end("error", "the program has no tests");
      return;
    }
    phase = Phase::kLoading;
    const char* text = describe();
    phase = Phase::kHost;
    send_raw(message::kDescribed, text);
    return;
  }
  Kinds kinds;
  const std::vector<std::string> parts = read_parts(options.scenarios);
  std::string problem = read_kinds(options.crash, kinds) ? prepare(handle, parts) : "unknown kind of crash test";
  if (!problem.empty()) {
    send_end("error", problem);
    return;
  }
  const auto session = std::make_unique<Session>(crash::read_scenario(parts[0]),
                                                 read_request(parts.size() > 1 ? parts[1] : std::string()));
  if (parts.size() > 2) session->oracle.expected_results.read(parts[2]);
  if (!session->keeper.start()) qualify("failures cannot be repeated in a fresh process");
  if (session->trace()) {
    advise(*session);
    run_kinds(*session, kinds);
    conclude(*session);
  }
  session->teller.send_result(session->conclusion);
}

}  // namespace linpoint::runtime
