// SPDX-License-Identifier: Apache-2.0
// Blocking operations of processes: locks, time, ends of other processes; and starting processes.
#include <algorithm>
#include <utility>

#include "python_control/abstract_places.hpp"
#include "python_control/thread_controller.hpp"

namespace linpoint::control {

namespace {

constexpr std::uint64_t kRounds = 1000;  // steps of a process that has already repeated its state

}  // namespace

bool ThreadController::acquire(Resource& resource, bool blocking, double timeout) {
  ProcessSlot* slot = mine();
  if (slot == nullptr) {
    if (held(resource)) {
      if (!blocking || timeout >= 0) return false;
      throw Blocked{};
    }
    resource = {.run = run_, .held = true, .owner = explore::kNobody};
    return true;
  }
  const bool certain = blocking && timeout < 0;
  slot->pending.assign(1, at(&resource, certain ? Mode::kAcquire : Mode::kWrite));
  slot->waits = blocking ? &resource : nullptr;
  slot->timed = blocking && !certain;
  if (slot->timed) slot->pending.push_back({kTime.begin, kTime.end, Mode::kWrite});
  point(*slot, certain ? Doing::kAcquire : Doing::kTry, at(&resource, Mode::kRead).begin);
  if (held(resource)) {
    event_.front().mode = Mode::kRead;
    if (blocking) clock_ += timeout;
    return false;
  }
  resource = {.run = run_, .held = true, .owner = slot->id};
  return true;
}

void ThreadController::release(Resource& resource) {
  ProcessSlot* slot = mine();
  if (slot != nullptr && !stopping_) {
    slot->pending.assign(1, at(&resource, Mode::kRelease));
    point(*slot, Doing::kRelease, at(&resource, Mode::kRead).begin);
  }
  resource.held = false;
}

void ThreadController::wait_for_news(ProcessSlot& slot) {
  if (!slot.parks) return;
  overslept_ = overslept_ || slot.spin.slept();
  slot.nothing_new = {.run = run_, .held = true, .owner = explore::kNobody};
  slot.pending.assign(1, at(&slot.nothing_new, Mode::kAcquire));
  slot.waits = &slot.nothing_new;
  slot.timed = false;
  point(slot, Doing::kNothing, 0);
  slot.spin.forget();
}

/// A place was written: processes that read it in a loop continue.
void ThreadController::tell_spinning(const Access& written) {
  for (const auto& slot : slots_) {
    if (slot->id == running_ || !slot->spin.has_read(written)) continue;
    if (!spins(*slot)) {
      slot->spin.forget();
    } else if (held(slot->nothing_new)) {
      slot->nothing_new.held = false;
      event_.push_back(at(&slot->nothing_new, Mode::kRelease));
    }
  }
}

/// No other process is enabled: one that reads in a loop continues after all, to see whether the loop ends.
bool ThreadController::let_one_spin() {
  for (const auto& slot : slots_) {
    if (!slot->alive || slot->background || !spins(*slot)) continue;
    slot->nothing_new.held = false;
    slot->parks = false;
    spinning_ = true;
    spins_until_ = std::min(most_steps_, step_ + kRounds);
    return true;
  }
  return false;
}

void ThreadController::sleep(double seconds) {
  ProcessSlot* slot = mine();
  if (slot == nullptr) {
    clock_ += seconds;
    return;
  }
  const double until = clock_ + seconds;
  slot->pending.assign(1, {kTime.begin, kTime.end, Mode::kWrite});
  slot->sleeps = true;
  slot->spin.sleep();
  point(*slot, Doing::kSleep, 0);
  clock_ = std::max(clock_, until);
}

double ThreadController::now() {
  if (ProcessSlot* slot = mine(); slot != nullptr && !stopping_) {
    slot->pending.assign(1, kTime);
    point(*slot, Doing::kTime, 0);
  }
  return clock_;
}

Process ThreadController::spawn(nb::object body, bool background) {
  ProcessSlot* slot = mine();
  if (slot == nullptr) return add(std::move(body), background);
  // A step of its own: the actions of the new process must not precede the call of the operation that starts it.
  slot->pending.assign(1, kNumbers);
  point(*slot, Doing::kNothing, 0);
  const Process process = add(std::move(body), background);
  ProcessSlot& child = *slots_[process];
  note(start_of(child, Mode::kRelease));
  child.spawned = true;
  Server& server = slot_of(child);
  spawner_ = slot;
  hand_over(slot, server);
  if (stopping_ || slot->server->closing) throw StopRun{};
  return process;
}

bool ThreadController::ended(Process process) const { return process >= slots_.size() || !slots_[process]->alive; }

bool ThreadController::join(Process process, double timeout) {
  if (process >= slots_.size()) return true;
  const Resource& resource = slots_[process]->ended;
  ProcessSlot* slot = mine();
  if (slot == nullptr) {
    if (held(resource) && timeout < 0) throw Blocked{};
    return !held(resource);
  }
  const bool timed = timeout >= 0;
  slot->pending.assign(1, at(&resource, timed ? Mode::kWrite : Mode::kAcquire));
  slot->waits = &resource;
  slot->timed = timed;
  if (timed) slot->pending.push_back({kTime.begin, kTime.end, Mode::kWrite});
  point(*slot, Doing::kJoin, process);
  if (held(resource)) {
    clock_ += timeout;
    return false;
  }
  return true;
}

}  // namespace linpoint::control
