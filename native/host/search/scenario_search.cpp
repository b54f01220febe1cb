// SPDX-License-Identifier: Apache-2.0
#include "host/search/scenario_search.hpp"

#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/core/operation_log.hpp"
#include "host/protocol/message_writer.hpp"
#include "host/protocol/request_file.hpp"
#include "host/search/make_search.hpp"
#include "host/search/program_search.hpp"
#include "host/search/search_messages.hpp"

namespace linpoint::runtime {

namespace {

using Prepare = const char* (*)(const char*);
using Describe = const char* (*)();
using Instant = std::chrono::steady_clock::time_point;

/// Reads the prefix of a scenario, "stop THREAD:STEPS" and a line break: that thread stops after this number of steps.
std::string_view read_stop(std::string_view scenario) {
  constexpr std::string_view kWord = "stop ";
  if (!scenario.starts_with(kWord)) return scenario;
  const std::string text(scenario.substr(kWord.size(), scenario.find('\n') - kWord.size()));
  options.stopped_thread = static_cast<Thread>(std::strtoul(text.c_str(), nullptr, 10));
  options.stopped_after = std::strtoull(text.c_str() + text.find(':') + 1, nullptr, 10);
  return scenario.substr(scenario.find('\n') + 1);
}

/// A function of the program, called before there is a snapshot: its effects on memory are part of every run.
template <typename Function>
Function function_of(void* handle, const char* name) {
  return reinterpret_cast<Function>(dlsym(handle, name));
}

void send_problem(const std::string& problem) {
  SearchResult result;
  result.ended = "error";
  result.reason = problem;
  send_result(result);
}

/// Reports scenarios for which there is no time: otherwise the reader would miss them.
void say_not_begun(std::size_t from, std::size_t end) {
  SearchResult result;
  result.ended = "budget";
  for (std::size_t number = from; number < end; ++number) {
    options.scenario = static_cast<unsigned>(number);
    send_result(result);
  }
}

class Campaign {
 public:
  Campaign(void* handle, Main program, Prepare prepare)
      : handle_(handle), program_(program), prepare_(prepare), begin_(std::chrono::steady_clock::now()) {}

  void run(const std::vector<std::string>& scenarios) {
    for (unsigned number = 0; number < scenarios.size(); ++number) {
      if (working_.size() >= std::max<std::uint64_t>(1, options.workers)) wait_for_one();
      const double seconds = share(scenarios.size() - number);
      if (options.seconds > 0 && seconds <= 0) {
        say_not_begun(number, scenarios.size());
        break;
      }
      const pid_t child = ::fork();
      if (child < 0) {
        send_problem("no more processes can be created");
        return;
      }
      if (child == 0) explore(number, scenarios[number], seconds);
      working_[child] = number;
    }
    while (!working_.empty()) wait_for_one();
  }

 private:
  /// The share of the time for one of the `left` remaining scenarios. A few scenarios may take far more than their
  /// share.
  [[nodiscard]] double share(std::size_t left) const {
    if (options.seconds <= 0) return 0;
    constexpr double kMore = 4;
    constexpr double kLeast = 0.2;
    const double gone = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const double rest = options.seconds - gone;
    return std::min(rest,
                    std::max(kLeast, kMore * static_cast<double>(options.workers) * rest / static_cast<double>(left)));
  }

  [[noreturn]] void explore(unsigned number, const std::string& scenario, double seconds) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    options.scenario = number;
    options.seconds = seconds;
    library::after_fork();
    const std::string text(read_stop(scenario));
    phase = Phase::kLoading;
    const char* problem = prepare_(text.c_str());
    phase = Phase::kHost;
    if (problem != nullptr) {
      send_problem(problem);
      _exit(0);
    }
    library::after_load(handle_);
    const auto search = make_search();
    ProgramSearch program_search(*search, program_);
    if (program_search.run()) send_result(program_search.result());
    _exit(0);
  }

  void wait_for_one() {
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, 0);
    const auto found = working_.find(child);
    if (found == working_.end()) return;
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) {
      MessageWriter writer(message::kLost);
      Json& json = writer.json;
      json.field(field::kScenario, found->second);
      json.field(field::kSignal, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
      writer.send();
    }
    working_.erase(found);
  }

  void* handle_;
  Main program_;
  Prepare prepare_;
  Instant begin_;
  std::map<pid_t, unsigned> working_;
};

}  // namespace

void explore_tests(void* handle, Main program) {
  const auto describe = function_of<Describe>(handle, "linpoint_test_describe");
  const auto prepare = function_of<Prepare>(handle, "linpoint_test_prepare");
  if (describe == nullptr || prepare == nullptr) {
    send_problem("the program has no tests");
    return;
  }
  operations.turn_on();
  const std::vector<std::string> scenarios = read_parts(options.scenarios);
  if (!scenarios.empty()) {
    Campaign(handle, program, prepare).run(scenarios);
    return;
  }
  phase = Phase::kLoading;
  const char* text = describe();
  phase = Phase::kHost;
  send_raw(message::kDescribed, text);
}

}  // namespace linpoint::runtime
