// SPDX-License-Identifier: Apache-2.0
// Reads a scenario and runs it under control: threads are created and joined as in any program.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "linpoint/detail/test_registry.hpp"

extern "C" {
// Provided by the host of programs under control. The program may continue with an operation only when it has returned.
__attribute__((weak)) void linpoint_operation_begins(unsigned number);
__attribute__((weak)) void linpoint_operation_ends(unsigned number);
__attribute__((weak)) void linpoint_operation_result(unsigned number, const char* text, std::size_t size);
__attribute__((weak)) void linpoint_operation_resumes();
}

namespace linpoint::detail {

struct Step {
  const Operation* operation;
  const void* arguments;
  unsigned number;  ///< in the scenario: operations before the threads, then thread by thread, then those after
};

/// Consecutive steps. Plain pointers, so that reading them is not seen as part of the program under test.
struct Steps {
  const Step* begin = nullptr;
  const Step* end = nullptr;
};

struct Scenario {
  static constexpr std::size_t kMost = 62;  ///< threads

  const Test* test = nullptr;
  Steps before;
  Steps threads[kMost];
  std::size_t count = 0;  ///< of the threads
  Steps after;
};

inline Scenario* scenario = nullptr;
inline void* tested = nullptr;

/// Reads the name of the test, then one line per operation: a word for its part of the scenario, its name, and its
/// arguments as a JSON list. Passes the test to `found`, and each operation with its word to `add`. nullptr, or an
/// error message.
template <typename Found, typename Add>
const char* read_lines(std::string_view text, const Found& found, const Add& add) {
  const auto cut = [&text](char at) {
    const std::size_t end = text.find(at);
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
  };
  const std::string_view name = cut('\n');
  const Test* named = nullptr;
  for (const Test* test = tests; test != nullptr; test = test->next)
    if (test->name == name) named = test;
  if (named == nullptr) return "there is no such test";
  found(named);
  unsigned number = 0;
  while (!text.empty()) {
    const std::string_view part = cut(' ');
    const std::string_view called = cut(' ');
    const std::string_view arguments = cut('\n');
    Step step{nullptr, nullptr, number++};
    for (std::size_t each = 0; each < named->count; ++each)
      if (named->operations[each].name == called) step.operation = &named->operations[each];
    if (step.operation == nullptr) return "there is no such operation";
    Reader reader(arguments);
    step.arguments = step.operation->read(reader);
    if (step.arguments == nullptr) return "arguments do not fit";
    if (const char* problem = add(part, step)) return problem;
  }
  return nullptr;
}

/// Like `read_lines`; the word is "before", "after" or the number of a thread.
inline const char* read_scenario(std::string_view text) {
  scenario = new Scenario();
  auto& parts = *new std::vector<std::vector<Step>>(Scenario::kMost + 2);  // never freed
  const char* problem = read_lines(
      text, [](const Test* test) { scenario->test = test; },
      [&parts](std::string_view part, const Step& step) -> const char* {
        std::size_t where = part == "before" ? Scenario::kMost : Scenario::kMost + 1;
        if (part != "before" && part != "after") {
          where = std::strtoul(std::string(part).c_str(), nullptr, 10);
          if (where >= Scenario::kMost) return "there are too many threads";
          scenario->count = std::max(scenario->count, where + 1);
        }
        parts[where].push_back(step);
        return nullptr;
      });
  if (problem != nullptr) return problem;
  const auto steps = [&parts](std::size_t where) {
    return Steps{parts[where].data(), parts[where].data() + parts[where].size()};
  };
  for (std::size_t thread = 0; thread < scenario->count; ++thread) scenario->threads[thread] = steps(thread);
  scenario->before = steps(Scenario::kMost);
  scenario->after = steps(Scenario::kMost + 1);
  return nullptr;
}

/// Reports to the host.
struct HostWitness : Witness {
  LINPOINT_NOT_SEEN explicit HostWitness(unsigned which)
      : Witness{tell_begin, tell_end, tell_result, tell_resumption}, number(which) {}
  unsigned number;

 private:
  LINPOINT_NOT_SEEN static unsigned number_of(const Witness& self) {
    return static_cast<const HostWitness&>(self).number;
  }
  LINPOINT_NOT_SEEN static void tell_begin(Witness& self) { linpoint_operation_begins(number_of(self)); }
  LINPOINT_NOT_SEEN static void tell_end(Witness& self) { linpoint_operation_ends(number_of(self)); }
  LINPOINT_NOT_SEEN static void tell_result(Witness& self, const char* text, std::size_t size) {
    linpoint_operation_result(number_of(self), text, size);
  }
  LINPOINT_NOT_SEEN static void tell_resumption(Witness&) { linpoint_operation_resumes(); }
};

LINPOINT_NOT_SEEN inline void run_steps(const Steps& steps) {
  for (const Step* step = steps.begin; step != steps.end; ++step) {
    HostWitness witness(step->number);
    step->operation->run(tested, step->arguments, witness);
  }
}

LINPOINT_NOT_SEEN inline void* run_thread(void* steps) {
  run_steps(*static_cast<const Steps*>(steps));
  return nullptr;
}

LINPOINT_NOT_SEEN inline int run_scenario() {
  const std::size_t count = scenario->count;
  tested = scenario->test->make();
  run_steps(scenario->before);
  pthread_t threads[Scenario::kMost];
  for (std::size_t each = 0; each < count; ++each)
    if (pthread_create(&threads[each], nullptr, run_thread, &scenario->threads[each]) != 0) std::abort();
  for (std::size_t each = 0; each < count; ++each) pthread_join(threads[each], nullptr);
  run_steps(scenario->after);
  scenario->test->destroy(tested);
  return 0;
}

}  // namespace linpoint::detail
