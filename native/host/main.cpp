// SPDX-License-Identifier: Apache-2.0
// The host: loads a program, and runs it once for each schedule that the search requests.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "host/core/atomic_functions.hpp"
#include "host/core/inserted_fences.hpp"
#include "host/core/scheduler.hpp"
#include "host/core/scheduling_points.hpp"
#include "host/crash/crash_command.hpp"
#include "host/protocol/arguments.hpp"
#include "host/protocol/message_writer.hpp"
#include "host/search/make_search.hpp"
#include "host/search/program_search.hpp"
#include "host/search/scenario_search.hpp"
#include "host/search/search_messages.hpp"

namespace linpoint::runtime {

namespace {

/// nullptr, and an error message, if the program cannot be loaded.
void* load(std::string& problem) {
  library::before_load();
  phase = Phase::kLoading;
  void* handle = dlopen(options.target.c_str(), RTLD_NOW | RTLD_GLOBAL);
  phase = Phase::kHost;
  if (handle == nullptr) problem = dlerror();
  return handle;
}

Main main_of(void* handle, std::string& problem) {
  const auto program = reinterpret_cast<Main>(dlsym(handle, "main"));
  if (program == nullptr) problem = "the program has no function main";
  return program;
}

void explore_program(void* handle, Main program) {
  library::after_load(handle);
  const auto search = make_search();
  ProgramSearch program_search(*search, program);
  if (program_search.run()) send_result(program_search.result());
}

/// The error message for an option whose text only another part can interpret, or nothing.
std::string apply_options() {
  if (!options.atomic.empty() && !atomic_functions.choose(options.atomic))
    return refused_value("--atomic", options.atomic);
  if (!options.fences.empty() && !forced_fences.choose(options.fences))
    return refused_value("--fences", options.fences);
  if (make_search() == nullptr) return refused_value("--search", options.search);
  return "";
}

int run(int argc, char** argv) {
  library::fix_addresses(argv);
  std::string wrong = read_arguments(argc, argv);
  if (wrong.empty()) wrong = apply_options();
  if (!wrong.empty()) {
    static_cast<void>(std::fprintf(stderr, "%s\n", wrong.c_str()));
    return 2;
  }
  send_hello();
  if (options.trace) scheduler.trace.turn_on();
  std::string problem;
  void* handle = load(problem);
  const Main program = handle == nullptr ? nullptr : main_of(handle, problem);
  if (handle != nullptr && !options.crash.empty()) {
    explore_crashes(handle);
  } else if (program != nullptr && options.scenarios >= 0) {
    explore_tests(handle, program);
  } else if (program != nullptr) {
    explore_program(handle, program);
  } else {
    SearchResult result;
    result.ended = "error";
    result.reason = problem;
    send_result(result);
  }
  return 0;
}

}  // namespace

}  // namespace linpoint::runtime

/// Exits without the program's exit handlers.
int main(int argc, char** argv) { _exit(linpoint::runtime::run(argc, argv)); }
