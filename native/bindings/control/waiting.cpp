// SPDX-License-Identifier: Apache-2.0
// What processes wait for: locks, time, the ends of others; and how they start others.
#include <algorithm>
#include <utility>

#include "control.hpp"
#include "places.hpp"

namespace linpoint::control {

bool Control::acquire(Resource& resource, bool blocking, double timeout) {
  Seat* seat = mine();
  if (seat == nullptr) {
    if (held(resource)) {
      if (!blocking || timeout >= 0) return false;
      throw Blocked{};
    }
    resource = {.run = run_, .held = true, .owner = explore::kNobody};
    return true;
  }
  const bool certain = blocking && timeout < 0;
  seat->pending.assign(1, at(&resource, certain ? Mode::kAcquire : Mode::kWrite));
  seat->waits = blocking ? &resource : nullptr;
  seat->timed = blocking && !certain;
  if (seat->timed) seat->pending.push_back({kTime.begin, kTime.end, Mode::kWrite});
  point(*seat, certain ? Doing::kAcquire : Doing::kTry, at(&resource, Mode::kRead).begin);
  if (held(resource)) {
    event_.front().mode = Mode::kRead;
    if (blocking) clock_ += timeout;
    return false;
  }
  resource = {.run = run_, .held = true, .owner = seat->id};
  return true;
}

void Control::release(Resource& resource) {
  Seat* seat = mine();
  if (seat != nullptr && !stopping_) {
    seat->pending.assign(1, at(&resource, Mode::kRelease));
    point(*seat, Doing::kRelease, at(&resource, Mode::kRead).begin);
  }
  resource.held = false;
}

void Control::sleep(double seconds) {
  Seat* seat = mine();
  if (seat == nullptr) {
    clock_ += seconds;
    return;
  }
  const double until = clock_ + seconds;
  seat->pending.assign(1, {kTime.begin, kTime.end, Mode::kWrite});
  seat->sleeps = true;
  point(*seat, Doing::kSleep, 0);
  clock_ = std::max(clock_, until);
}

double Control::now() {
  if (Seat* seat = mine(); seat != nullptr && !stopping_) {
    seat->pending.assign(1, kTime);
    point(*seat, Doing::kTime, 0);
  }
  return clock_;
}

Process Control::spawn(nb::object body, bool background) {
  Seat* seat = mine();
  if (seat == nullptr) return add(std::move(body), background);
  // A step of its own: what the new process does must not come before the operation that starts it is called.
  seat->pending.assign(1, kNumbers);
  point(*seat, Doing::kNothing, 0);
  const Process process = add(std::move(body), background);
  Seat& child = *seats_[process];
  note(start_of(child, Mode::kRelease));
  child.spawned = true;
  Server& server = seated(child);
  spawner_ = seat;
  hand_over(seat, server);
  if (stopping_ || seat->server->closing) throw StopRun{};
  return process;
}

bool Control::ended(Process process) const { return process >= seats_.size() || !seats_[process]->alive; }

bool Control::join(Process process, double timeout) {
  if (process >= seats_.size()) return true;
  const Resource& resource = seats_[process]->ended;
  Seat* seat = mine();
  if (seat == nullptr) {
    if (held(resource) && timeout < 0) throw Blocked{};
    return !held(resource);
  }
  const bool timed = timeout >= 0;
  seat->pending.assign(1, at(&resource, timed ? Mode::kWrite : Mode::kAcquire));
  seat->waits = &resource;
  seat->timed = timed;
  if (timed) seat->pending.push_back({kTime.begin, kTime.end, Mode::kWrite});
  point(*seat, Doing::kJoin, process);
  if (held(resource)) {
    clock_ += timeout;
    return false;
  }
  return true;
}

}  // namespace linpoint::control
