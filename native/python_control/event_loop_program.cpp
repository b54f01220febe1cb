// SPDX-License-Identifier: Apache-2.0
#include "python_control/event_loop_program.hpp"

#include <array>
#include <span>
#include <vector>

namespace linpoint::control {

namespace nb = nanobind;
using explore::Access;
using explore::Ending;
using explore::Explorer;
using explore::Mode;
using explore::Process;

namespace {

constexpr std::uint64_t kPlace = 2;  // any number works: it is the only place besides the clock
constexpr std::array<Access, 1> kEverything{{{kPlace, kPlace + 1, Mode::kWrite}}};

bool has(char shown, Shown bit) { return (static_cast<std::uint8_t>(shown) & static_cast<std::uint8_t>(bit)) != 0; }

std::vector<explore::Pending> pending_of(std::string_view processes) {
  std::vector<explore::Pending> found;
  found.reserve(processes.size());
  for (const char each : processes) {
    found.push_back({.alive = has(each, Shown::kAlive),
                     .enabled = has(each, Shown::kEnabled),
                     .yields = has(each, Shown::kYields),
                     .accesses = kEverything});
  }
  return found;
}

std::string_view text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

}  // namespace

Process ask(Explorer& explorer, std::string_view processes, Process usual) {
  const std::vector<explore::Pending> pending = pending_of(processes);
  return explorer.choose({.processes = pending, .running = usual, .event = kEverything});
}

void tell_end(Explorer& explorer, std::string_view processes, Ending ending) {
  const std::vector<explore::Pending> pending = pending_of(processes);
  explorer.end({.processes = pending, .running = explore::kNobody, .event = kEverything}, ending);
}

void bind_asking(nb::class_<Explorer>& explorer) {
  explorer.def(
      "choose",
      [](Explorer& self, const nb::bytes& processes, Process usual) -> nb::object {
        const Process next = ask(self, text_of(processes), usual);
        if (next == explore::kNobody) return nb::none();
        return nb::int_(next);
      },
      nb::arg("processes"), nb::arg("usual"));
  explorer.def(
      "end",
      [](Explorer& self, const nb::bytes& processes, int ending) {
        tell_end(self, text_of(processes), static_cast<Ending>(ending));
      },
      nb::arg("processes"), nb::arg("ending"));
}

}  // namespace linpoint::control
