// SPDX-License-Identifier: Apache-2.0
#include "python_control/thread_controller.hpp"

#include <algorithm>
#include <utility>

#include "python_control/abstract_places.hpp"
#include "python_control/interpreter_exit_guard.hpp"
#include "python_control/interpreter_hook.hpp"

namespace linpoint::control {

namespace {

constexpr std::uint64_t kLongTurn = 300;
constexpr std::chrono::milliseconds kMoment{50};
constexpr double kPatienceOfInterrupts = 1;  // seconds

}  // namespace

Control& control() {
  static auto* the_one = new Control;  // NOLINT: threads that are left behind may use it until the very end
  return *the_one;
}

Control::~Control() = default;

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
  spinning_ = false;
  interrupted_ = false;
  raised_ = nb::object();
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
  while (idle_.size() < seats_.size()) grow();
  active_ = true;
  booting_ = true;
  Server& first = seated(*seats_.front());
  if (!set_off(first) && !wait_for_end(patience)) {
    if (result_ == Result::kStalled) abandon();
    throw nb::python_error();
  }
  if (const nb::object raised = std::exchange(raised_, nb::object()); raised.is_valid()) {
    PyErr_SetObject(raised.type().ptr(), raised.ptr());
    throw nb::python_error();
  }
  if (interrupted_) {  // and the code under test has swallowed it
    PyErr_SetNone(PyExc_KeyboardInterrupt);
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
    if (without_lock([this] { return driver_.wait_for(kMoment); })) break;
    if (undisturbed && PyErr_CheckSignals() != 0) {
      undisturbed = false;
      interrupted_ = true;
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

void Control::note(const Access& access) {
  event_.push_back(access);
  if (access.mode == Mode::kRead) return;
  spinning_ = false;
  tell_spinning(access);
}

void Control::point(Seat& seat, Doing doing, std::uint64_t place) {
  if (stopping_ || seat.server->closing) {
    refuse(seat);
    throw StopRun{};
  }
  ++beats_;
  if (std::exchange(seat.spawned, false)) seat.pending.push_back(start_of(seat, Mode::kAcquire));
  if (seat.calling) seat.pending.push_back({explore::kClock, explore::kClock + 1, Mode::kCall});
  seat.pending.insert(seat.pending.end(), seat.touching.begin(), seat.touching.end());
  if (doing != Doing::kInstruction && doing != Doing::kSleep && !spins(seat)) seat.spin.forget();
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

void Control::begin(Seat& seat, const void* frame, std::span<const Access> touching) {
  seat.under_way.push_back({frame, step_, seat.touching.size()});
  seat.touching.insert(seat.touching.end(), touching.begin(), touching.end());
}

void Control::settle(Seat& seat, int (*is_calling)(const void* frame)) {
  while (!seat.under_way.empty()) {
    const UnderWay last = seat.under_way.back();
    if (is_calling != nullptr && is_calling(last.frame) != 0) return;
    const std::vector<Access> touched(seat.touching.begin() + static_cast<std::ptrdiff_t>(last.first),
                                      seat.touching.end());
    seat.touching.resize(last.first);
    seat.under_way.pop_back();
    if (step_ == last.step) continue;
    for (const Access& each : touched) note(each);
  }
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
  if (interrupted_ || wants_stop_) return stop(seat, Result::kStopped, Ending::kStopped);
  if (!needed()) {
    // What those in the background would do next counts: it could have come before.
    const bool left = std::any_of(seats_.begin(), seats_.end(), [](const auto& each) { return each->alive; });
    return stop(seat, Result::kComplete, left ? Ending::kStopped : Ending::kComplete);
  }
  explore::View view = look();
  if (std::none_of(view_.begin(), view_.end(), [](const auto& each) { return each.enabled; })) {
    if (!let_one_spin()) return stop(seat, Result::kStuck, Ending::kStuck);
    view = look();
  }
  // Where one has gone round and round by itself, nothing is cut off that could have shown anything.
  if (spinning_ && step_ >= spins_until_) return stop(seat, Result::kCut, Ending::kStuck);
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
    if (!each->alive || each->waits == nullptr || enabled(*each) || spins(*each)) continue;
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
  for (const Access& each : seat.pending) {
    if (each.mode == Mode::kRead || seat.sleeps || spins(seat)) continue;
    spinning_ = false;
    tell_spinning(each);
  }
  seat.waits = nullptr;
  seat.sleeps = false;
  if (seat.calling) {
    seat.calling = false;
    seat.operations.back().call = ++moment_;
  }
}

bool Control::limit_alone(std::uint64_t instructions) {
  const bool exceeded = alone_ == 1;
  alone_ = instructions == 0 ? 0 : instructions + 1;
  hook_alone(instructions != 0);
  return exceeded;
}

bool Control::may_go_on_alone() {
  if (alone_ > 1) --alone_;
  return alone_ != 1;
}

void Control::stop_run() { wants_stop_ = true; }

}  // namespace linpoint::control
