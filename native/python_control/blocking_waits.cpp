// SPDX-License-Identifier: Apache-2.0
// What processes wait for: locks, time, the ends of others; and how they start others.
#include <algorithm>
#include <utility>

#include "python_control/abstract_places.hpp"
#include "python_control/thread_controller.hpp"

namespace linpoint::control {

namespace {

constexpr std::uint64_t kRounds = 1000;  // steps of one that has come round already

}  // namespace

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

void Control::wait_for_news(Seat& seat) {
  if (!seat.parks) return;
  overslept_ = overslept_ || seat.spin.slept();
  seat.nothing_new = {.run = run_, .held = true, .owner = explore::kNobody};
  seat.pending.assign(1, at(&seat.nothing_new, Mode::kAcquire));
  seat.waits = &seat.nothing_new;
  seat.timed = false;
  point(seat, Doing::kNothing, 0);
  seat.spin.forget();
}

/// Somebody writes a place: whoever reads it in a loop goes on.
void Control::tell_spinning(const Access& written) {
  for (const auto& seat : seats_) {
    if (seat->id == running_ || !seat->spin.has_read(written)) continue;
    if (!spins(*seat)) {
      seat->spin.forget();
    } else if (held(seat->nothing_new)) {
      seat->nothing_new.held = false;
      event_.push_back(at(&seat->nothing_new, Mode::kRelease));
    }
  }
}

/// Nobody else can go on: whoever reads in a loop goes on with it after all, to see whether it comes to an end.
bool Control::let_one_spin() {
  for (const auto& seat : seats_) {
    if (!seat->alive || seat->background || !spins(*seat)) continue;
    seat->nothing_new.held = false;
    seat->parks = false;
    spinning_ = true;
    spins_until_ = std::min(most_steps_, step_ + kRounds);
    return true;
  }
  return false;
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
  seat->spin.sleep();
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
