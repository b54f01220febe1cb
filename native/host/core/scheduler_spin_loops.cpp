// SPDX-License-Identifier: Apache-2.0
// How the scheduler handles waiting loops.
#include <algorithm>

#include "host/core/scheduler.hpp"

namespace linpoint::runtime {

void Scheduler::look_for_loop(Task& task, std::uint64_t standing) {
  if (task.changed) task.spinning.clear();
  task.changed = false;
  task.round = nullptr;
  if (!task.spinning.repeats(standing, task.lock_steps)) {
    task.round = rounds_.futile(standing, task.buffer);
    if (task.round != nullptr) await(task, *task.round);
    return;
  }
  // Locking and unlocking again is not a change, so a loop of it may wait too; but only where it holds no lock, since
  // other threads may wait for that lock.
  if (task.spinning.locked() && (task.info.kind != Kind::kLock || task.held != 0)) return;
  task.parked = true;
  if (options.search == "dpor" && task.spinning.complete() && !task.spinning.locked())
    rounds_.learn(standing, task.spinning.repeated());
  await(task, task.spinning.repeated());
}

/// The thread's waiting depends on all of these reads.
void Scheduler::await(Task& task, std::span<const Spinning::Read> reads) {
  for (const Spinning::Read& read : reads) {
    const Access access{read.address, read.address + read.size, Mode::kRead};
    if (std::find(task.pending.begin(), task.pending.end(), access) == task.pending.end())
      task.pending.push_back(access);
  }
}

}  // namespace linpoint::runtime
