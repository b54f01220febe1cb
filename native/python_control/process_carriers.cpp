// SPDX-License-Identifier: Apache-2.0
// What carries processes: fibers, or else threads of the system, that wait in a pool, and how they hand the turn over.
#include <algorithm>
#include <utility>

#include "python_control/abstract_places.hpp"
#include "python_control/interpreter_exit_guard.hpp"
#include "python_control/interpreter_frames.h"
#include "python_control/interpreter_hook.hpp"
#include "python_control/thread_controller.hpp"

namespace linpoint::control {

namespace {

thread_local Seat* here = nullptr;
thread_local std::uint64_t here_run = 0;

constexpr std::uint32_t kMostRefusals = 1000;

void await(Baton& baton) {
  without_lock([&baton] { return baton.wait(); });
}

/// For ever.
[[noreturn]] void rest() {
  static auto* never = new Baton;  // NOLINT: nobody passes it
  for (;;) await(*never);
}

}  // namespace

Aside::Aside() : before_(std::exchange(here, nullptr)) {}
Aside::~Aside() { here = before_; }

Seat* Control::mine() const { return active_ && here != nullptr && here_run == run_ ? here : nullptr; }

void Control::open(bool fibers, nb::object add_thread) {
  fibers_ = fibers;
  add_thread_ = std::move(add_thread);
}

void Control::grow() {
  if (fibers_) return add_fiber();
  const Aside aside;
  add_thread_();
}

void Control::serve() {
  servers_.push_back(std::make_unique<Server>());
  Server& server = *servers_.back();
  idle_.push_back(&server);
  ++serving_;
  for (;;) {
    await(server.baton);
    if (server.seat == nullptr) break;
    serve_seat(server);
    if (server.closing) return;  // it was left behind, and does not count
  }
  --serving_;
}

void Control::add_fiber() {
  servers_.push_back(std::make_unique<Server>());
  Server& server = *servers_.back();
  const auto fibers =
      std::count_if(servers_.begin(), servers_.end(), [](const auto& each) { return each->fiber != nullptr; });
  server.fiber = std::make_unique<Fiber>(static_cast<unsigned long>(fibers) + 1, [this, &server] {
    for (;;) serve_seat(server);  // when it has handed over, it goes on with the seat that it is given next
  });
  idle_.push_back(&server);
}

void Control::close() {
  for (Server* server : idle_)
    if (server->fiber == nullptr) server->baton.pass();
  std::erase_if(servers_, [this](const auto& each) {
    return each->fiber != nullptr && std::find(idle_.begin(), idle_.end(), each.get()) != idle_.end();
  });
  idle_.clear();
  add_thread_ = nb::object();
}

/// What carries a process from now on.
Server& Control::seated(Seat& seat) {
  if (idle_.empty()) grow();
  seat.server = idle_.back();
  idle_.pop_back();
  seat.server->seat = &seat;
  seat.started = true;
  return *seat.server;
}

void Control::serve_seat(Server& server) {
  Seat& seat = *server.seat;
  here = &seat;
  here_run = run_;
  const std::uint64_t run = run_;
  seat.ident = PyThreadState_Get()->thread_id;
  enter_hook();
  run_body(seat);
  leave_hook();
  here = nullptr;
  server.seat = nullptr;
  if (server.closing || run != run_) return;
  linpoint_forget_own();
  idle_.push_back(&server);
  end(seat);
}

/// The process is over: whoever is next goes on.
void Control::end(Seat& seat) {
  seat.alive = false;
  seat.ended.held = false;
  event_.push_back(at(&seat.ended, Mode::kRelease));
  go_on(nullptr);
}

void Control::park() {
  Seat* seat = mine();
  if (seat == nullptr) return;
  ++parked_;
  wants_stop_ = true;
  here = nullptr;
  const bool carried_by_fiber = seat->server->fiber != nullptr;
  if (!carried_by_fiber && !seat->server->closing) --serving_;
  end(*seat);  // a fiber does not come back from this
  rest();
}

void Control::refuse(Seat& seat) {
  if (++seat.refusals <= kMostRefusals) return;
  if (&seat == mine()) park();
  rest();
}

bool Control::left_behind() {
  if (here == nullptr || here_run == run_) return false;
  refuse(*here);
  return true;
}

void Control::abandon() {
  // Who comes back after all must find nothing that still counts, and nothing that is gone.
  static auto* left_behind = new std::vector<std::unique_ptr<Seat>>;  // NOLINT: as above
  for (auto& seat : seats_) {
    if (seat->alive && seat->server != nullptr) {
      seat->server->closing = true;
      --serving_;
      // Whoever waits for its turn ends, and so does whoever runs Python code; who waits for the system stays there.
      if (seat->waiting || seat.get() == spawner_) seat->server->baton.pass();
#if PY_VERSION_HEX >= 0x030C0000
      // Before 3.12 the hook tells it: with an exception that nobody takes, other threads could not begin to be traced.
      else
        PyThreadState_SetAsyncExc(seat->ident, stop_type.ptr());
#endif
    }
    left_behind->push_back(std::move(seat));
  }
  seats_.clear();
  active_ = false;
  ++run_;
}

/// The first process goes; those that the system carries hand back later, with `driver_`.
bool Control::set_off(Server& first) {
  if (first.fiber == nullptr) {
    first.baton.pass();
    return false;
  }
  weaver_.switch_to(*first.fiber);
  here = nullptr;
  return true;
}

/// `from` waits at its point until it has the turn again; null if the process of the calling thread has ended.
void Control::hand_over(Seat* from, Server& to) {
  if (to.fiber == nullptr) {
    to.baton.pass();
    if (from != nullptr) await(from->server->baton);
    return;
  }
  weaver_.switch_to(*to.fiber);
  here = from;
}

/// The run is over.
void Control::hand_back() {
  if (weaver_.away())
    weaver_.switch_home();
  else
    driver_.pass();
}

}  // namespace linpoint::control
