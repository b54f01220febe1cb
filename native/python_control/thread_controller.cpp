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

ThreadController& control() {
  static auto* the_one = new ThreadController;  // NOLINT: abandoned threads may use it until the very end
  return *the_one;
}

ThreadController::~ThreadController() = default;

void ThreadController::prepare() {
  ++run_;
  slots_.clear();
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

Process ThreadController::add(nb::object body, bool background) {
  auto slot = std::make_unique<ProcessSlot>();
  slot->id = static_cast<Process>(slots_.size());
  slot->body = std::move(body);
  slot->background = background;
  slot->ended = {.run = run_, .held = true, .owner = slot->id};
  slots_.push_back(std::move(slot));
  return slots_.back()->id;
}

Result ThreadController::run(explore::Explorer& explorer, std::uint64_t most_steps, double patience) {
  explorer_ = &explorer;
  most_steps_ = most_steps;
  result_ = Result::kComplete;
  if (!needed()) {
    tell_explorer(Ending::kComplete);
    return result_;
  }
  while (idle_.size() < slots_.size()) grow();
  active_ = true;
  booting_ = true;
  Server& first = slot_of(*slots_.front());
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

/// Waits for the last of the system threads to hand back. False if a signal handler has raised meanwhile.
bool ThreadController::wait_for_end(double patience) {
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

bool ThreadController::needed() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->alive && !slot->background; });
}

bool ThreadController::enabled(const ProcessSlot& slot) const {
  return slot.alive && (slot.waits == nullptr || slot.timed || !held(*slot.waits));
}

explore::View ThreadController::look() {
  view_.resize(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const ProcessSlot& slot = *slots_[i];
    explore::Pending& pending = view_[i];
    pending.alive = slot.alive;
    pending.enabled = enabled(slot);
    pending.accesses = slot.pending;
    const bool waits = slot.timed && slot.waits != nullptr && held(*slot.waits);
    pending.yields = waits || slot.sleeps || (slot.id == running_ && turn_ > kLongTurn);
  }
  return {.processes = view_, .running = running_, .event = event_};
}

void ThreadController::tell_explorer(Ending ending) { explorer_->end(look(), ending); }

void ThreadController::note(const Access& access) {
  event_.push_back(access);
  if (access.mode == Mode::kRead) return;
  spinning_ = false;
  tell_spinning(access);
}

void ThreadController::point(ProcessSlot& slot, Doing doing, std::uint64_t place) {
  if (stopping_ || slot.server->closing) {
    refuse(slot);
    throw StopRun{};
  }
  ++beats_;
  if (std::exchange(slot.spawned, false)) slot.pending.push_back(start_of(slot, Mode::kAcquire));
  if (slot.calling) slot.pending.push_back({explore::kClock, explore::kClock + 1, Mode::kCall});
  slot.pending.insert(slot.pending.end(), slot.touching.begin(), slot.touching.end());
  if (doing != Doing::kInstruction && doing != Doing::kSleep && !spins(slot)) slot.spin.forget();
  slot.doing = doing;
  slot.doing_at = place;
  const bool begins = slot.calling;
  slot.waiting = true;
  go_on(&slot);
  slot.waiting = false;
  if (stopping_ || slot.server->closing) throw StopRun{};
  if (!narrated()) return;
  const Aside aside;
  on_turn(slot.id, step_, preempted_, static_cast<int>(doing), place, begins);
}

void ThreadController::begin(ProcessSlot& slot, const void* frame, std::span<const Access> touching) {
  slot.under_way.push_back({frame, step_, slot.touching.size()});
  slot.touching.insert(slot.touching.end(), touching.begin(), touching.end());
}

void ThreadController::settle(ProcessSlot& slot, int (*is_calling)(const void* frame)) {
  while (!slot.under_way.empty()) {
    const UnderWay last = slot.under_way.back();
    if (is_calling != nullptr && is_calling(last.frame) != 0) return;
    const std::vector<Access> touched(slot.touching.begin() + static_cast<std::ptrdiff_t>(last.first),
                                      slot.touching.end());
    slot.touching.resize(last.first);
    slot.under_way.pop_back();
    if (step_ == last.step) continue;
    for (const Access& each : touched) note(each);
  }
}

/// `slot` has reached a scheduling point, or a process has ended (null): the next process continues.
void ThreadController::go_on(ProcessSlot* slot) {
  if (stopping_) {
    ProcessSlot* next = next_to_stop();
    if (next == nullptr) {
      active_ = false;
      hand_back();
    } else {
      hand_over(nullptr, *next->server);
    }
    return;
  }
  if (spawner_ != nullptr) {
    hand_over(slot, *std::exchange(spawner_, nullptr)->server);
    return;
  }
  if (booting_) {
    const auto next = std::find_if(slots_.begin(), slots_.end(), [](const auto& each) { return !each->started; });
    if (next != slots_.end()) {
      hand_over(slot, slot_of(**next));
      return;
    }
    booting_ = false;
    event_.clear();
  }
  choose(slot);
}

void ThreadController::choose(ProcessSlot* slot) {
  if (interrupted_ || wants_stop_) return stop(slot, Result::kStopped, Ending::kStopped);
  if (!needed()) {
    // The next steps of background processes count: they could have come earlier.
    const bool left = std::any_of(slots_.begin(), slots_.end(), [](const auto& each) { return each->alive; });
    return stop(slot, Result::kComplete, left ? Ending::kStopped : Ending::kComplete);
  }
  explore::View view = look();
  if (std::none_of(view_.begin(), view_.end(), [](const auto& each) { return each.enabled; })) {
    if (!let_one_spin()) return stop(slot, Result::kStuck, Ending::kStuck);
    view = look();
  }
  // If one process only repeats its loop, stopping here loses no behaviour.
  if (spinning_ && step_ >= spins_until_) return stop(slot, Result::kCut, Ending::kStuck);
  if (step_ >= most_steps_) return stop(slot, Result::kCut, Ending::kCut);
  const Process next = explorer_->choose(view);
  if (next == explore::kNobody) {
    result_ = Result::kRedundant;
    stopping_ = true;
    if (slot == nullptr) go_on(nullptr);
    return;
  }
  preempted_ = explore::preempts(view, next);
  turn_ = next == running_ ? turn_ + 1 : 0;
  take_turn(*slots_[next]);
  if (slot == nullptr || slot->id != next) hand_over(slot, *slots_[next]->server);
}

void ThreadController::stop(ProcessSlot* slot, Result result, Ending ending) {
  tell_explorer(ending);
  for (const auto& each : slots_) {
    if (!each->alive || each->waits == nullptr || enabled(*each) || spins(*each)) continue;
    const Resource& resource = *each->waits;
    waiting_.push_back({each->id, at(&resource, Mode::kRead).begin, resource.owner, each->background});
  }
  result_ = result;
  stopping_ = true;
  // The process at the scheduling point throws itself; if there is none, another one has to be stopped.
  if (slot == nullptr) go_on(nullptr);
}

ProcessSlot* ThreadController::next_to_stop() const {
  for (const auto& slot : slots_) {
    if (slot->alive && slot->started) return slot.get();
  }
  return nullptr;
}

void ThreadController::take_turn(ProcessSlot& slot) {
  running_ = slot.id;
  ++step_;
  slot.last_turn = step_;
  event_ = slot.pending;
  for (const Access& each : slot.pending) {
    if (each.mode == Mode::kRead || slot.sleeps || spins(slot)) continue;
    spinning_ = false;
    tell_spinning(each);
  }
  slot.waits = nullptr;
  slot.sleeps = false;
  if (slot.calling) {
    slot.calling = false;
    slot.operations.back().call = ++moment_;
  }
}

bool ThreadController::limit_alone(std::uint64_t instructions) {
  const bool exceeded = alone_ == 1;
  alone_ = instructions == 0 ? 0 : instructions + 1;
  hook_alone(instructions != 0);
  return exceeded;
}

bool ThreadController::may_go_on_alone() {
  if (alone_ > 1) --alone_;
  return alone_ != 1;
}

void ThreadController::stop_run() { wants_stop_ = true; }

}  // namespace linpoint::control
