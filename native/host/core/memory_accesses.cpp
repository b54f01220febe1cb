// SPDX-License-Identifier: Apache-2.0
#include "host/core/memory_accesses.hpp"

#include "host/core/hook_entry.hpp"

extern "C" {
[[gnu::visibility("hidden")]] LinpointEntry linpoint_entry;
}

namespace linpoint::runtime {

bool take_turn(Task& task, const Touch& touch, Kind kind, bool drains) {
  const Mode mode = touch.writes ? Mode::kWrite : Mode::kRead;
  task.pending.assign({{touch.address, touch.address + touch.size, mode}});
  task.info = {
      .kind = kind, .caller = touch.caller, .address = touch.address, .size = static_cast<std::uint32_t>(touch.size)};
  task.traits = {.drains = drains, .yields = false};
  if (kind != Kind::kWrite) scheduler.look_for_loop(task, standing(task));
  if (scheduler.alone() && !task.parked && scheduler.count_quiet()) {
    scheduler.trace.add(task.number, task.info, task.calls);
    return false;
  }
  scheduler.wait_for_turn(task);
  // Another thread may have freed it meanwhile.
  check_memory(touch);
  return true;
}

}  // namespace linpoint::runtime
