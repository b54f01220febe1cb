// SPDX-License-Identifier: Apache-2.0
// The carriers of processes: fibers, or else system threads, which wait in a pool; and how the turn passes between
// them.
#include <algorithm>
#include <utility>

#include "python_control/abstract_places.hpp"
#include "python_control/interpreter_exit_guard.hpp"
#include "python_control/interpreter_frames.h"
#include "python_control/interpreter_hook.hpp"
#include "python_control/thread_controller.hpp"

namespace linpoint::control {

namespace {

thread_local ProcessSlot* here = nullptr;
thread_local std::uint64_t here_run = 0;

constexpr std::uint32_t kMostRefusals = 1000;

void await(Baton& baton) {
  without_lock([&baton] { return baton.wait(); });
}

/// Waits forever.
[[noreturn]] void rest() {
  static auto* never = new Baton;  // NOLINT: never passed
  for (;;) await(*never);
}

}  // namespace

Aside::Aside() : before_(std::exchange(here, nullptr)) {}
Aside::~Aside() { here = before_; }

ProcessSlot* ThreadController::mine() const { return active_ && here != nullptr && here_run == run_ ? here : nullptr; }

void ThreadController::open(bool fibers, nb::object add_thread) {
  fibers_ = fibers;
  add_thread_ = std::move(add_thread);
}

void ThreadController::grow() {
  if (fibers_) return add_fiber();
  const Aside aside;
  add_thread_();
}

void ThreadController::serve() {
  servers_.push_back(std::make_unique<Server>());
  Server& server = *servers_.back();
  idle_.push_back(&server);
  ++serving_;
  for (;;) {
    await(server.baton);
    if (server.slot == nullptr) break;
    serve_slot(server);
    if (server.closing) return;  // it was abandoned, and is not counted
  }
  --serving_;
}

void ThreadController::add_fiber() {
  servers_.push_back(std::make_unique<Server>());
  Server& server = *servers_.back();
  const auto fibers =
      std::count_if(servers_.begin(), servers_.end(), [](const auto& each) { return each->fiber != nullptr; });
  server.fiber = std::make_unique<Fiber>(static_cast<unsigned long>(fibers) + 1, [this, &server] {
    for (;;) serve_slot(server);  // after it has handed over, it continues with the next slot given to it
  });
  idle_.push_back(&server);
}

void ThreadController::close() {
  for (Server* server : idle_)
    if (server->fiber == nullptr) server->baton.pass();
  std::erase_if(servers_, [this](const auto& each) {
    return each->fiber != nullptr && std::find(idle_.begin(), idle_.end(), each.get()) != idle_.end();
  });
  idle_.clear();
  add_thread_ = nb::object();
}

/// Assigns a carrier to a process.
Server& ThreadController::slot_of(ProcessSlot& slot) {
  if (idle_.empty()) grow();
  slot.server = idle_.back();
  idle_.pop_back();
  slot.server->slot = &slot;
  slot.started = true;
  return *slot.server;
}

void ThreadController::serve_slot(Server& server) {
  ProcessSlot& slot = *server.slot;
  here = &slot;
  here_run = run_;
  const std::uint64_t run = run_;
  slot.ident = PyThreadState_Get()->thread_id;
  enter_hook();
  run_body(slot);
  leave_hook();
  here = nullptr;
  server.slot = nullptr;
  if (server.closing || run != run_) return;
  linpoint_forget_own();
  idle_.push_back(&server);
  end(slot);
}

/// The process has ended: the next one continues.
void ThreadController::end(ProcessSlot& slot) {
  slot.alive = false;
  slot.ended.held = false;
  event_.push_back(at(&slot.ended, Mode::kRelease));
  go_on(nullptr);
}

void ThreadController::park() {
  ProcessSlot* slot = mine();
  if (slot == nullptr) return;
  ++parked_;
  wants_stop_ = true;
  here = nullptr;
  const bool carried_by_fiber = slot->server->fiber != nullptr;
  if (!carried_by_fiber && !slot->server->closing) --serving_;
  end(*slot);  // a fiber does not return from this
  rest();
}

void ThreadController::refuse(ProcessSlot& slot) {
  if (++slot.refusals <= kMostRefusals) return;
  if (&slot == mine()) park();
  rest();
}

bool ThreadController::left_behind() {
  if (here == nullptr || here_run == run_) return false;
  refuse(*here);
  return true;
}

void ThreadController::abandon() {
  // An abandoned thread that returns after all must find nothing that still counts, and nothing freed.
  static auto* left_behind = new std::vector<std::unique_ptr<ProcessSlot>>;  // NOLINT: as above
  for (auto& slot : slots_) {
    if (slot->alive && slot->server != nullptr) {
      slot->server->closing = true;
      --serving_;
      // A thread that waits for its turn ends, and so does one that runs Python code; one inside a system call stays
      // there.
      if (slot->waiting || slot.get() == spawner_) slot->server->baton.pass();
#if PY_VERSION_HEX >= 0x030C0000
      // Before 3.12 the hook ends it: with an exception that is never taken, other threads could not start being
      // traced.
      else
        PyThreadState_SetAsyncExc(slot->ident, stop_type.ptr());
#endif
    }
    left_behind->push_back(std::move(slot));
  }
  slots_.clear();
  active_ = false;
  ++run_;
}

/// Starts the first process; system threads hand back later, with `driver_`.
bool ThreadController::set_off(Server& first) {
  if (first.fiber == nullptr) {
    first.baton.pass();
    return false;
  }
  fiber_scheduler_.switch_to(*first.fiber);
  here = nullptr;
  return true;
}

/// `from` waits at its scheduling point until it has the turn again; null if the calling thread's process has ended.
void ThreadController::hand_over(ProcessSlot* from, Server& to) {
  if (to.fiber == nullptr) {
    to.baton.pass();
    if (from != nullptr) await(from->server->baton);
    return;
  }
  fiber_scheduler_.switch_to(*to.fiber);
  here = from;
}

/// The run has ended.
void ThreadController::hand_back() {
  if (fiber_scheduler_.away())
    fiber_scheduler_.switch_home();
  else
    driver_.pass();
}

}  // namespace linpoint::control
