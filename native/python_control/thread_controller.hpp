// SPDX-License-Identifier: Apache-2.0
// Python threads under control: one runs at a time, and an explorer chooses the next one at each scheduling point.
//
// Guarantee: between two scheduling points of a process no other process runs Python code. A run always ends: processes
// left when it is over are told to stop at their next scheduling point, and a process that reaches none for a long time
// is reported by the driver instead of being waited for. Cost: no switch at a point where the same process continues;
// else a hand-over between two operating-system threads.
//
// All members are used with the interpreter's lock held, or, on an interpreter without one, by the one process that has
// the baton; only waiting for the baton happens without it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "linpoint/explore/explorer.hpp"
#include "python_control/baton.hpp"
#include "python_control/python_fibers.hpp"
#include "python_control/spin_loop_detection.hpp"

namespace linpoint::control {

namespace nb = nanobind;
using explore::Access;
using explore::Ending;
using explore::Mode;
using explore::Process;

/// A resource that processes hold and wait for: a lock, or the end of a thread.
struct Resource {
  std::uint64_t run = 0;  ///< the run it was held in; free in every other run
  bool held = false;
  Process owner = explore::kNobody;
};

/// A thread of the pool that waits for a process to run: a fiber, or else a system thread, which waits for its baton.
struct Server {
  Baton baton;
  std::unique_ptr<Fiber> fiber;
  struct ProcessSlot* slot = nullptr;
  bool closing = false;
};

/// One operation of a process: when it was called and returned, in moments of the run, and its value.
struct Done {
  std::int64_t call = -1;
  std::int64_t returned = -1;
  nb::object value;
  bool raised = false;
};

/// The kind of a step, for traces.
enum class Doing : std::uint8_t { kInstruction, kAcquire, kTry, kRelease, kSleep, kTime, kJoin, kNothing };

/// An instruction that may have called Python functions, as `max` calls its key: between these calls, and after the
/// last, it touches the same objects again.
struct UnderWay {
  const void* frame = nullptr;  ///< the frame of the instruction
  std::uint64_t step = 0;       ///< the step it began in
  std::size_t first = 0;        ///< index of its first access
};

/// A process of a run.
struct ProcessSlot {
  Process id = 0;
  Server* server = nullptr;
  nb::object body;  ///< a callable, or a tuple of (callable, arguments): operations
  bool alive = true;
  bool started = false;
  unsigned long ident = 0;  ///< of its thread, in Python
  bool background = false;  ///< the run does not wait for it
  bool calling = false;     ///< an operation has begun, and has taken no step yet
  bool waiting = false;     ///< at a scheduling point, for its turn
  bool timed = false;       ///< it waits with a time limit
  bool sleeps = false;
  bool spawned = false;             ///< by another process, and it has not reached a scheduling point yet
  const Resource* waits = nullptr;  ///< the resource its next step needs
  std::vector<Access> pending;      ///< the accesses of its next step
  std::vector<UnderWay> under_way;  ///< instructions of functions that have called others, the outermost first
  std::vector<Access> touching;     ///< the accesses of these
  Doing doing = Doing::kNothing;
  std::uint64_t doing_at = 0;  ///< the place of the lock or process
  std::vector<Done> operations;
  nb::object error;             ///< the exception that a callable body raised
  Resource ended;               ///< held until it has ended
  std::uint32_t refusals = 0;   ///< how often it was told to stop
  std::uint64_t last_turn = 0;  ///< the step of its last turn
  Spin spin;
  Resource nothing_new;  ///< held while it waits for a write to a place that it reads in a loop
  bool parks = true;     ///< unless no other process could end its waiting
};

/// A process that could not continue when its run ended.
struct Waiting {
  Process process = 0;
  std::uint64_t place = 0;  ///< of the resource it waits for
  Process owner = explore::kNobody;
  bool background = false;
};

/// Thrown where a process has to stop; becomes the Python exception `ThreadController::stop_type`.
class StopRun {};
/// Thrown where the only existing thread would wait forever; becomes `ThreadController::blocked_type`.
class Blocked {};

/// How a run ended, as reported to the driver.
enum class Result : std::uint8_t { kComplete, kStuck, kStopped, kCut, kRedundant, kStalled };

class ThreadController {
 public:
  ~ThreadController();

  // --- the driver
  /// Called before the object of a run is created: held resources are free, virtual time starts anew.
  void prepare();
  /// Adds a process that starts with the next run.
  Process add(nb::object body, bool background);
  /// Replaces the body of a process that has not started.
  void give(Process process, nb::object body) { slots_.at(process)->body = std::move(body); }
  /// Runs the processes to their end. Waits in short intervals, so that signals are handled.
  Result run(explore::Explorer& explorer, std::uint64_t most_steps, double patience);
  /// Lets fibers carry processes from now on, or else system threads; `add_thread` creates one that serves.
  void open(bool fibers, nb::object add_thread);
  /// Adds the calling thread to the pool; returns when the pool is closed.
  void serve();
  void close();
  [[nodiscard]] std::size_t idle() const { return idle_.size(); }
  /// Threads that have not returned from `serve`, except those that were abandoned.
  [[nodiscard]] std::size_t serving() const { return serving_; }
  /// Abandons the threads that did not return; the pool forgets them.
  void abandon();
  /// The process of the calling thread does not end even when told to: it counts as ended, and sleeps forever.
  void park();
  /// Whether the calling thread is one that did not return from an earlier run. If it was told so too often, it sleeps
  /// forever.
  [[nodiscard]] bool left_behind();
  /// The number of processes that sleep forever; each keeps its stack.
  [[nodiscard]] std::size_t parked() const { return parked_; }
  /// Ctrl-C: the run ends, and the driver raises KeyboardInterrupt.
  void interrupt() { interrupted_ = true; }
  /// Whether there was a Ctrl-C since `prepare`.
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  /// Limits the number of instructions that the driver may execute itself from now on; the next one raises
  /// `blocked_type`; there is no limit if it is 0. Returns whether the previous limit was exceeded.
  bool limit_alone(std::uint64_t instructions);
  /// Before an instruction of the driver; false if it has executed too many.
  [[nodiscard]] bool may_go_on_alone();

  /// The results of the operations of a complete run, and which of them returned before which: equal for runs that are
  /// indistinguishable by these. None where that cannot be determined cheaply.
  [[nodiscard]] nb::object outcome() const;

  // --- a process
  /// The process of the calling thread, if it has one in the current run.
  [[nodiscard]] ProcessSlot* mine() const;
  /// A scheduling point before a step with the accesses of `slot.pending`.
  void point(ProcessSlot& slot, Doing doing, std::uint64_t place);
  [[nodiscard]] bool narrated() const { return on_turn.is_valid() && !on_turn.is_none(); }
  /// Adds an access to the current step.
  void note(const Access& access);
  /// An instruction of a frame begins that may call functions; its accesses are the pending ones.
  void begin(ProcessSlot& slot, const void* frame, std::span<const Access> touching);
  /// Ends the instructions whose frames are not callers of the current code; all of them if `is_calling` is null.
  void settle(ProcessSlot& slot, int (*is_calling)(const void* frame));
  /// The process repeats a loop that only reads: it waits until another process writes a place that it has read.
  void wait_for_news(ProcessSlot& slot);
  /// Whether a process that sleeps in such a loop was left waiting since the last call: others may miss the passing
  /// time.
  [[nodiscard]] bool overslept() { return std::exchange(overslept_, false); }
  /// Whether the run was cut because every process that could continue waits in a loop for a write that never comes.
  [[nodiscard]] bool goes_round() const { return spinning_ && result_ == Result::kCut; }
  /// The step at which the process last ran. A process that waits in a loop could continue at any time, without effect.
  [[nodiscard]] std::uint64_t last_turn(const ProcessSlot& slot) const { return spins(slot) ? step_ : slot.last_turn; }
  [[nodiscard]] bool acquire(Resource& resource, bool blocking, double timeout);
  void release(Resource& resource);
  [[nodiscard]] bool held(const Resource& resource) const { return resource.held && resource.run == run_; }
  void sleep(double seconds);
  [[nodiscard]] double now();
  /// Starts a process from within another one, or before a run; returns its number.
  Process spawn(nb::object body, bool background);
  [[nodiscard]] bool join(Process process, double timeout);
  [[nodiscard]] bool ended(Process process) const;
  /// Ends the run after this step, as an assertion does.
  void stop_run();
  [[nodiscard]] std::uint64_t steps() const { return step_; }
  /// Counts scheduling points, for a thread that supervises; 0 while there is no run.
  [[nodiscard]] std::uint64_t beats() const { return active_ ? beats_ : 0; }
  [[nodiscard]] Process running() const { return running_; }
  [[nodiscard]] std::vector<std::unique_ptr<ProcessSlot>>& slots() { return slots_; }
  [[nodiscard]] std::uint64_t run_number() const { return run_; }
  [[nodiscard]] bool stopping() const { return stopping_; }
  /// The processes that were blocked when the run ended.
  [[nodiscard]] const std::vector<Waiting>& waiting() const { return waiting_; }

  nb::object stop_type;
  nb::object blocked_type;
  nb::object on_result;  ///< converts a mutable result to an immutable value
  /// While a run is traced, on the thread of the process: (process, step, preempts, doing, place, operation begins)
  nb::object on_turn;
  nb::object on_return;  ///< (process, number of the operation, value, raised)

 private:
  void grow();
  void add_fiber();
  Server& slot_of(ProcessSlot& slot);
  void serve_slot(Server& server);
  void end(ProcessSlot& slot);
  void refuse(ProcessSlot& slot);
  [[nodiscard]] bool set_off(Server& first);
  bool wait_for_end(double patience);
  void run_body(ProcessSlot& slot);
  void run_operations(ProcessSlot& slot);
  void read_result(PyObject* result);
  [[nodiscard]] bool is_end(const nb::python_error& error);
  void end_with(const nb::python_error& error);
  void go_on(ProcessSlot* slot);
  void choose(ProcessSlot* slot);
  void stop(ProcessSlot* slot, Result result, Ending ending);
  void hand_over(ProcessSlot* from, Server& to);
  void hand_back();
  void take_turn(ProcessSlot& slot);
  [[nodiscard]] ProcessSlot* next_to_stop() const;
  [[nodiscard]] explore::View look();
  [[nodiscard]] bool enabled(const ProcessSlot& slot) const;
  [[nodiscard]] bool needed() const;
  [[nodiscard]] static bool spins(const ProcessSlot& slot) { return slot.waits == &slot.nothing_new; }
  [[nodiscard]] bool let_one_spin();
  void tell_spinning(const Access& written);
  void tell_explorer(Ending ending);

  explore::Explorer* explorer_ = nullptr;
  std::vector<std::unique_ptr<ProcessSlot>> slots_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<Server*> idle_;
  std::size_t serving_ = 0;
  std::size_t parked_ = 0;
  bool fibers_ = false;
  nb::object add_thread_;
  Baton driver_;
  FiberScheduler fiber_scheduler_;
  std::vector<explore::Pending> view_;
  std::vector<Access> event_;
  std::vector<Waiting> waiting_;
  Process running_ = explore::kNobody;
  ProcessSlot* spawner_ = nullptr;  ///< continues when the started process has reached its first scheduling point
  std::uint64_t step_ = 0;
  std::int64_t moment_ = 0;  ///< counts calls and returns
  std::uint64_t most_steps_ = 0;
  std::uint64_t run_ = 1;
  std::uint64_t beats_ = 1;
  double clock_ = 0;
  bool active_ = false;
  bool booting_ = false;
  bool stopping_ = false;
  bool wants_stop_ = false;
  bool spinning_ = false;  ///< one process repeats its loop, and no other is enabled
  std::uint64_t spins_until_ = 0;
  bool overslept_ = false;
  bool interrupted_ = false;
  nb::object raised_;        ///< the exception that the driver raises when the run is over
  std::uint64_t alone_ = 0;  ///< 1 + the number of instructions left to the driver
  bool preempted_ = false;
  std::uint64_t turn_ = 0;  ///< steps that the running process has taken without a switch
  Result result_ = Result::kComplete;
};

/// While it exists, the calling thread's actions are not part of the run.
class Aside {
 public:
  Aside();
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  ProcessSlot* before_;
};

/// The only one in the process; its hooks are global to the interpreter too.
[[nodiscard]] ThreadController& control();

}  // namespace linpoint::control
