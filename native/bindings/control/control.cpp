// SPDX-License-Identifier: Apache-2.0
#include "control.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hook.hpp"

namespace linpoint::control {

namespace {

thread_local Seat* here = nullptr;
thread_local std::uint64_t here_run = 0;

constexpr std::uint64_t kPlaces = 1;  // places of our own; those of Python's objects are far away
constexpr Access kTime{kPlaces, kPlaces + 1, Mode::kRead};
constexpr std::uint64_t kLongTurn = 300;
constexpr std::chrono::milliseconds kMoment{50};
constexpr double kPatienceOfInterrupts = 1;  // seconds

/// A place of its own for a thing that lives at an address.
Access at(const void* thing, Mode mode) {
  const auto address = reinterpret_cast<std::uint64_t>(thing);  // NOLINT: a name, never followed
  return {address, address + 1, mode};
}

/// Not by a guard: when the interpreter ends, a thread that wants to go on is ended inside of this.
void await(Baton& baton) {
  PyThreadState* state = PyEval_SaveThread();
  baton.wait();
  PyEval_RestoreThread(state);
}

bool stays_as_it_is(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  return value == Py_None || type == &PyLong_Type || type == &PyUnicode_Type || type == &PyBool_Type ||
         type == &PyFloat_Type;
}

/// Where a process is started: ordered before its first step.
Access start_of(const Seat& seat, Mode mode) { return at(&seat.body, mode); }

}  // namespace

Aside::Aside() : before_(std::exchange(here, nullptr)) {}
Aside::~Aside() { here = before_; }

Control& control() {
  static auto* the_one = new Control;  // NOLINT: threads that are left behind may use it until the very end
  return *the_one;
}

Control::~Control() = default;

Seat* Control::mine() const { return active_ && here != nullptr && here_run == run_ ? here : nullptr; }

void Control::prepare() {
  ++run_;
  seats_.clear();
  event_.clear();
  waiting_.clear();
  running_ = explore::kNobody;
  spawner_ = nullptr;
  step_ = 0;
  moment_ = 0;
  clock_ = 0;
  turn_ = 0;
  wants_stop_ = false;
  stopping_ = false;
  active_ = false;
}

Process Control::add(nb::object body, bool background) {
  auto seat = std::make_unique<Seat>();
  seat->id = static_cast<Process>(seats_.size());
  seat->body = std::move(body);
  seat->background = background;
  seat->ended = {.run = run_, .held = true, .owner = seat->id};
  seats_.push_back(std::move(seat));
  return seats_.back()->id;
}

Result Control::run(explore::Explorer& explorer, std::uint64_t most_steps, double patience) {
  explorer_ = &explorer;
  most_steps_ = most_steps;
  result_ = Result::kComplete;
  if (!needed()) {
    tell_explorer(Ending::kComplete);
    return result_;
  }
  active_ = true;
  booting_ = true;
  Server& first = seated(*seats_.front());
  if (first.fiber != nullptr) {
    weaver_.switch_to(*first.fiber);
    here = nullptr;
  } else {
    first.baton.pass();
  }
  const bool interrupted = first.fiber == nullptr && !wait_for_end(patience);
  interrupt_ = false;
  if (interrupted) {
    if (result_ == Result::kStalled) abandon();
    throw nb::python_error();
  }
  if (const nb::object raised = std::exchange(interruption_, nb::object()); raised.is_valid()) {
    PyErr_SetObject(PyExc_KeyboardInterrupt, raised.ptr());
    throw nb::python_error();
  }
  return result_;
}

/// Waits for the last of the system's threads to hand back. False if a signal has raised meanwhile.
bool Control::wait_for_end(double patience) {
  std::uint64_t beats = beats_;
  double waited = 0;
  bool undisturbed = true;
  for (;;) {
    bool back = false;
    {
      const nb::gil_scoped_release released;
      back = driver_.wait_for(kMoment);
    }
    if (back) break;
    if (undisturbed && PyErr_CheckSignals() != 0) {
      undisturbed = false;
      interrupt_ = true;
    }
    waited = beats_ == beats ? waited + 0.001 * static_cast<double>(kMoment.count()) : 0;
    beats = beats_;
    if (waited >= (undisturbed ? patience : std::min(patience, kPatienceOfInterrupts))) {
      result_ = Result::kStalled;
      break;
    }
  }
  return undisturbed;
}

void Control::abandon() {
  // Who comes back after all must find nothing that still counts, and nothing that is gone.
  static auto* left_behind = new std::vector<std::unique_ptr<Seat>>;  // NOLINT: as above
  for (auto& seat : seats_) {
    if (seat->alive && seat->server != nullptr) {
      seat->server->closing = true;
      --serving_;
      // Whoever waits for its turn ends, and so does whoever runs Python code; who waits for the system stays there.
      // Not on 3.11: an exception that is not taken lets every traced thread stand still at RESUME for ever.
      if (seat->waiting || seat.get() == spawner_) {
        seat->server->baton.pass();
      } else {
#if PY_VERSION_HEX >= 0x030C0000
        PyThreadState_SetAsyncExc(seat->ident, stop_type.ptr());
#endif
      }
    }
    left_behind->push_back(std::move(seat));
  }
  seats_.clear();
  active_ = false;
  ++run_;
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
}

/// A thread of the pool for a process.
Server& Control::seated(Seat& seat) {
  if (idle_.empty()) throw std::runtime_error("there is no thread left in the pool");
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
  if (PyObject* locals = PyThreadState_GetDict(); locals != nullptr) PyDict_Clear(locals);  // threading.local
  idle_.push_back(&server);
  seat.alive = false;
  seat.ended.held = false;
  event_.push_back(at(&seat.ended, Mode::kRelease));
  go_on(nullptr);
}

void Control::run_body(Seat& seat) {
  try {
    if (nb::isinstance<nb::tuple>(seat.body)) {
      run_operations(seat);
      return;
    }
    PyObject* result = PyObject_CallNoArgs(seat.body.ptr());
    if (result != nullptr) {
      Py_DECREF(result);
      return;
    }
    const nb::python_error error;
    if (error.matches(PyExc_KeyboardInterrupt)) {
      interrupt(error);
    } else if (!error.matches(stop_type)) {
      seat.error = nb::borrow(error.value());
    }
  } catch (const StopRun&) {
  }
}

/// Ctrl-C is nothing that the code under test does, although it was raised there.
void Control::interrupt(const nb::python_error& error) {
  interruption_ = nb::borrow(error.value());
  wants_stop_ = true;
}

void Control::run_operations(Seat& seat) {
  const auto calls = nb::borrow<nb::tuple>(seat.body);
  seat.operations.reserve(calls.size());
  for (const nb::handle each : calls) {
    seat.operations.emplace_back();
    Done& done = seat.operations.back();
    seat.calling = true;
    const std::int64_t begun = ++moment_;
    PyObject* result = PyObject_Call(PyTuple_GET_ITEM(each.ptr(), 0), PyTuple_GET_ITEM(each.ptr(), 1), nullptr);
    if (result != nullptr) {
      done.value = nb::steal(result);
      if (!stays_as_it_is(result) && on_result.is_valid()) {
        const Aside aside;
        done.value = on_result(done.value);
      }
    } else {
      const nb::python_error error;
      if (error.matches(stop_type)) return;
      if (error.matches(PyExc_KeyboardInterrupt)) return interrupt(error);
      done.raised = true;
      done.value = nb::borrow(error.value());
      if (!narrated()) PyException_SetTraceback(done.value.ptr(), Py_None);  // its frames would keep objects alive
    }
    if (stopping_) return;
    if (std::exchange(seat.calling, false)) {
      // It has touched nothing that we see, so there was no point, and others may see it all the same: it took place
      // when it took place, within the step under way, and not at some later moment.
      note({explore::kClock, explore::kClock + 1, Mode::kCall});
      done.call = begun;
    }
    note({explore::kClock, explore::kClock + 1, Mode::kReturn});
    done.returned = ++moment_;
    if (narrated()) {
      const Aside aside;
      on_return(seat.id, seat.operations.size() - 1, done.value, done.raised);
    }
  }
}

bool Control::needed() const {
  return std::any_of(seats_.begin(), seats_.end(), [](const auto& seat) { return seat->alive && !seat->background; });
}

bool Control::enabled(const Seat& seat) const {
  return seat.alive && (seat.waits == nullptr || seat.timed || !held(*seat.waits));
}

explore::View Control::look() {
  view_.resize(seats_.size());
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    const Seat& seat = *seats_[i];
    explore::Pending& pending = view_[i];
    pending.alive = seat.alive;
    pending.enabled = enabled(seat);
    pending.accesses = seat.pending;
    const bool waits = seat.timed && seat.waits != nullptr && held(*seat.waits);
    pending.yields = waits || seat.sleeps || (seat.id == running_ && turn_ > kLongTurn);
  }
  return {.processes = view_, .running = running_, .event = event_};
}

void Control::tell_explorer(Ending ending) { explorer_->end(look(), ending); }

void Control::point(Seat& seat, Doing doing, std::uint64_t place) {
  if (stopping_ || seat.server->closing) {
    ++seat.refusals;
    throw StopRun{};
  }
  ++beats_;
  if (std::exchange(seat.spawned, false)) seat.pending.push_back(start_of(seat, Mode::kAcquire));
  if (seat.calling) seat.pending.push_back({explore::kClock, explore::kClock + 1, Mode::kCall});
  seat.doing = doing;
  seat.doing_at = place;
  const bool begins = seat.calling;
  seat.waiting = true;
  go_on(&seat);
  seat.waiting = false;
  if (stopping_ || seat.server->closing) throw StopRun{};
  if (!narrated()) return;
  const Aside aside;
  on_turn(seat.id, step_, preempted_, static_cast<int>(doing), place, begins);
}

/// `seat` has come to a point, or a process has ended (null): whoever is next goes on.
void Control::go_on(Seat* seat) {
  if (stopping_) {
    Seat* next = next_to_stop();
    if (next == nullptr) {
      active_ = false;
      hand_back();
    } else {
      hand_over(nullptr, *next->server);
    }
    return;
  }
  if (spawner_ != nullptr) {
    hand_over(seat, *std::exchange(spawner_, nullptr)->server);
    return;
  }
  if (booting_) {
    const auto next = std::find_if(seats_.begin(), seats_.end(), [](const auto& each) { return !each->started; });
    if (next != seats_.end()) {
      hand_over(seat, seated(**next));
      return;
    }
    booting_ = false;
    event_.clear();
  }
  choose(seat);
}

void Control::choose(Seat* seat) {
  if (interrupt_) return stop(seat, Result::kStopped, Ending::kStopped);
  if (wants_stop_) return stop(seat, Result::kStopped, Ending::kStopped);
  if (!needed()) {
    // What those in the background would do next counts: it could have come before.
    const bool left = std::any_of(seats_.begin(), seats_.end(), [](const auto& each) { return each->alive; });
    return stop(seat, Result::kComplete, left ? Ending::kStopped : Ending::kComplete);
  }
  const explore::View view = look();
  if (std::none_of(view_.begin(), view_.end(), [](const auto& each) { return each.enabled; })) {
    return stop(seat, Result::kStuck, Ending::kStuck);
  }
  if (step_ >= most_steps_) return stop(seat, Result::kCut, Ending::kCut);
  const Process next = explorer_->choose(view);
  if (next == explore::kNobody) {
    result_ = Result::kRedundant;
    stopping_ = true;
    if (seat == nullptr) go_on(nullptr);
    return;
  }
  preempted_ = explore::preempts(view, next);
  turn_ = next == running_ ? turn_ + 1 : 0;
  take_turn(*seats_[next]);
  if (seat == nullptr || seat->id != next) hand_over(seat, *seats_[next]->server);
}

void Control::stop(Seat* seat, Result result, Ending ending) {
  tell_explorer(ending);
  for (const auto& each : seats_) {
    if (!each->alive || each->waits == nullptr || enabled(*each)) continue;
    const Resource& resource = *each->waits;
    waiting_.push_back({each->id, at(&resource, Mode::kRead).begin, resource.owner, each->background});
  }
  result_ = result;
  stopping_ = true;
  // The process at the point throws by itself; without one, another has to be told.
  if (seat == nullptr) go_on(nullptr);
}

Seat* Control::next_to_stop() const {
  for (const auto& seat : seats_) {
    if (seat->alive && seat->started) return seat.get();
  }
  return nullptr;
}

void Control::take_turn(Seat& seat) {
  running_ = seat.id;
  ++step_;
  seat.last_turn = step_;
  event_ = seat.pending;
  seat.waits = nullptr;
  seat.sleeps = false;
  if (seat.calling) {
    seat.calling = false;
    seat.operations.back().call = ++moment_;
  }
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
  const Process process = add(std::move(body), background);
  Seat* seat = mine();
  if (seat == nullptr || booting_) return process;
  Seat& child = *seats_[process];
  note(start_of(child, Mode::kRelease));
  child.spawned = true;
  spawner_ = seat;
  hand_over(seat, seated(child));
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

void Control::stop_run() { wants_stop_ = true; }

}  // namespace linpoint::control
