// SPDX-License-Identifier: Apache-2.0
#include "host/crash/crash_plan.hpp"

#include <algorithm>
#include <charconv>

namespace linpoint::runtime::crash {

namespace {

std::string_view cut(std::string_view& text, char at) {
  const std::size_t end = text.find(at);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

template <typename Number>
Number number_in(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Scenario read_scenario(std::string_view text) {
  Scenario scenario;
  std::vector<unsigned> since;
  cut(text, '\n');
  for (unsigned number = 0; !text.empty(); ++number) {
    std::string_view line = cut(text, '\n');
    std::string_view where = cut(line, ' ');
    if (where == "0") {
      scenario.in_order = scenario.in_order && number == scenario.workload.size();
      scenario.workload.push_back(number);
    } else if (where == "1") {
      scenario.beside.push_back(number);
    } else if (where.starts_with("1@")) {
      scenario.reads.push_back({number, number_in<std::size_t>(where.substr(2))});
    } else if (cut(where, '@') == "after") {
      scenario.probes.push_back({number, 0});
      since.push_back(where.empty() ? 0 : number_in<unsigned>(where));
    }
  }
  for (std::size_t each = 0; each < since.size(); ++each)
    scenario.probes[each].since =
        static_cast<std::size_t>(std::ranges::lower_bound(scenario.workload, since[each]) - scenario.workload.begin());
  return scenario;
}

void Scenario::collect_probes(std::size_t operation, std::vector<unsigned>& into) const {
  into.clear();
  for (const Probe& probe : probes)
    if (probe.since <= operation) into.push_back(probe.number);
}

Request read_request(std::string_view text) {
  Request request;
  while (!text.empty()) {
    std::string_view line = cut(text, '\n');
    const std::string_view word = cut(line, ' ');
    if (word == "heal") {
      const auto module = number_in<std::size_t>(cut(line, ' '));
      request.healed.push_back({module, number_in<std::uint64_t>(line)});
    } else if (word == "crash") {
      request.has_crash = true;
      request.crash = number_in<std::uint32_t>(line);
    } else if (word == "line") {
      const auto channel = number_in<persistency::Channel>(cut(line, ' '));
      request.kept.push_back({channel, number_in<std::uint32_t>(line)});
    } else if (word == "dl3") {
      const auto first = number_in<unsigned>(cut(line, ' '));
      const auto second = number_in<unsigned>(cut(line, ' '));
      request.overlap = {first, second, number_in<std::uint32_t>(line)};
    } else if (word == "prefix") {
      request.has_prefix = true;
      while (!line.empty()) request.prefix.push_back(number_in<unsigned>(cut(line, ' ')));
    }
  }
  return request;
}

}  // namespace linpoint::runtime::crash
