// SPDX-License-Identifier: Apache-2.0
// Python threads under control: one runs at a time, and an explorer says which goes on at each scheduling point.
//
// Guarantee: between two points of a process no other process runs Python code; a run always ends, since those that
// are left when it is over are told to stop at their next point, and a process that reaches none for long is reported
// by the driver instead of waited for. Cost: a point at which the same process goes on is no switch; another one is a
// hand-over between two threads of the operating system.
//
// Everything here is used with the interpreter's lock held, or, on an interpreter without one, by the one process that
// has the baton; only waiting for the baton happens without it.
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

/// What processes may hold and wait for: a lock, or the end of a thread.
struct Resource {
  std::uint64_t run = 0;  ///< what was held in another run is free again
  bool held = false;
  Process owner = explore::kNobody;
};

/// A thread of the pool, waiting for a process to be: a fiber, or else one of the system, which waits for its baton.
struct Server {
  Baton baton;
  std::unique_ptr<Fiber> fiber;
  struct ProcessSlot* slot = nullptr;
  bool closing = false;
};

/// One operation of a process: when it was called and returned, in moments of the run, and with what.
struct Done {
  std::int64_t call = -1;
  std::int64_t returned = -1;
  nb::object value;
  bool raised = false;
};

/// What a step is about, for those who tell what happened.
enum class Doing : std::uint8_t { kInstruction, kAcquire, kTry, kRelease, kSleep, kTime, kJoin, kNothing };

/// An instruction that may have called functions of Python, as `max` calls its key: between these calls, and after the
/// last, it touches the same again.
struct UnderWay {
  const void* frame = nullptr;  ///< whose instruction it is
  std::uint64_t step = 0;       ///< that it began in
  std::size_t first = 0;        ///< of what it touches
};

/// A process of a run.
struct ProcessSlot {
  Process id = 0;
  Server* server = nullptr;
  nb::object body;  ///< a callable, or a tuple of (callable, arguments): operations
  bool alive = true;
  bool started = false;
  unsigned long ident = 0;  ///< of its thread, as Python knows it
  bool background = false;  ///< the run does not wait for it
  bool calling = false;     ///< an operation has begun, and no step of it has been taken
  bool waiting = false;     ///< at a point, for its turn
  bool timed = false;       ///< it waits with a time limit
  bool sleeps = false;
  bool spawned = false;             ///< by another process, and it has not come to a point yet
  const Resource* waits = nullptr;  ///< what its next step needs
  std::vector<Access> pending;      ///< what its next step will do
  std::vector<UnderWay> under_way;  ///< instructions of functions that have called others, the outermost first
  std::vector<Access> touching;     ///< what these touch
  Doing doing = Doing::kNothing;
  std::uint64_t doing_at = 0;  ///< the place of the lock or process
  std::vector<Done> operations;
  nb::object error;             ///< what a callable body raised
  Resource ended;               ///< held until it has ended
  std::uint32_t refusals = 0;   ///< how often it was told to stop
  std::uint64_t last_turn = 0;  ///< the step of it
  Spin spin;
  Resource nothing_new;  ///< held while it waits for somebody to write what it reads in a loop
  bool parks = true;     ///< unless it was found to wait for nobody
};

/// A process that could not go on when its run ended.
struct Waiting {
  Process process = 0;
  std::uint64_t place = 0;  ///< of what it waits for
  Process owner = explore::kNobody;
  bool background = false;
};

/// Thrown where a process has to stop; becomes the Python exception `ThreadController::stop_type`.
class StopRun {};
/// Thrown where the only thread there is would wait for ever; becomes `ThreadController::blocked_type`.
class Blocked {};

/// How a run ended, as the driver is told.
enum class Result : std::uint8_t { kComplete, kStuck, kStopped, kCut, kRedundant, kStalled };

class ThreadController {
 public:
  ~ThreadController();

  // --- the driver
  /// Before the object of a run is made: what was held is free, virtual time starts again.
  void prepare();
  /// A process that begins with the next run.
  Process add(nb::object body, bool background);
  /// Another body for a process that has not begun.
  void give(Process process, nb::object body) { slots_.at(process)->body = std::move(body); }
  /// Runs the processes to their end. Waits in short pieces, so that signals are handled.
  Result run(explore::Explorer& explorer, std::uint64_t most_steps, double patience);
  /// Processes are carried by fibers from now on, or else by threads of the system; `add_thread` makes one that serves.
  void open(bool fibers, nb::object add_thread);
  /// A thread gives itself to the pool; returns when the pool is closed.
  void serve();
  void close();
  [[nodiscard]] std::size_t idle() const { return idle_.size(); }
  /// Threads that have not returned from `serve`, but for those that were left behind.
  [[nodiscard]] std::size_t serving() const { return serving_; }
  /// The threads that did not come back are left alone; the pool forgets them.
  void abandon();
  /// The process of the calling thread will not end, whatever it is told: it counts as ended, and sleeps for ever.
  void park();
  /// Whether the calling thread is one that did not come back from an earlier run. If it has often been told so, it
  /// sleeps for ever.
  [[nodiscard]] bool left_behind();
  /// How many processes sleep for ever; each keeps its stack.
  [[nodiscard]] std::size_t parked() const { return parked_; }
  /// Ctrl-C: the run ends, and the driver raises KeyboardInterrupt.
  void interrupt() { interrupted_ = true; }
  /// Whether that was said since `prepare`.
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  /// So many instructions may the driver execute by itself from now on; the next one raises `blocked_type`. 0: any
  /// number.
  /// Gives whether those of the limit before were not enough.
  bool limit_alone(std::uint64_t instructions);
  /// Before an instruction of the driver; false if it has executed too many.
  [[nodiscard]] bool may_go_on_alone();

  /// What the operations of a run that is complete gave, and which of them returned before which: equal for runs that
  /// nobody can tell apart by these. None where that cannot be said at a glance.
  [[nodiscard]] nb::object outcome() const;

  // --- a process
  /// The process of the calling thread, if it has one in the present run.
  [[nodiscard]] ProcessSlot* mine() const;
  /// A step comes next, with the accesses of `slot.pending`.
  void point(ProcessSlot& slot, Doing doing, std::uint64_t place);
  [[nodiscard]] bool narrated() const { return on_turn.is_valid() && !on_turn.is_none(); }
  /// Accesses that belong to the step under way.
  void note(const Access& access);
  /// An instruction of a frame begins that may call others; what it touches is what is pending.
  void begin(ProcessSlot& slot, const void* frame, std::span<const Access> touching);
  /// Those are over whose frames have called nobody who executes now; all of them, if `is_calling` is null.
  void settle(ProcessSlot& slot, int (*is_calling)(const void* frame));
  /// The process has come round in a loop that only reads: it waits until somebody writes what it has read.
  void wait_for_news(ProcessSlot& slot);
  /// Whether somebody who sleeps in such a loop was left to wait since this was last asked: others may miss the time.
  [[nodiscard]] bool overslept() { return std::exchange(overslept_, false); }
  /// Whether the run was cut because whoever could go on waits in a loop for what nobody will write.
  [[nodiscard]] bool goes_round() const { return spinning_ && result_ == Result::kCut; }
  /// The step at which the process last went on. Who waits in a loop would go on at any time, to no avail.
  [[nodiscard]] std::uint64_t last_turn(const ProcessSlot& slot) const { return spins(slot) ? step_ : slot.last_turn; }
  [[nodiscard]] bool acquire(Resource& resource, bool blocking, double timeout);
  void release(Resource& resource);
  [[nodiscard]] bool held(const Resource& resource) const { return resource.held && resource.run == run_; }
  void sleep(double seconds);
  [[nodiscard]] double now();
  /// Starts a process from within another one, or before a run; gives its number.
  Process spawn(nb::object body, bool background);
  [[nodiscard]] bool join(Process process, double timeout);
  [[nodiscard]] bool ended(Process process) const;
  /// Ends the run after this step, as an assertion does.
  void stop_run();
  [[nodiscard]] std::uint64_t steps() const { return step_; }
  /// Counts points, for whoever watches from another thread; 0 while there is no run.
  [[nodiscard]] std::uint64_t beats() const { return active_ ? beats_ : 0; }
  [[nodiscard]] Process running() const { return running_; }
  [[nodiscard]] std::vector<std::unique_ptr<ProcessSlot>>& slots() { return slots_; }
  [[nodiscard]] std::uint64_t run_number() const { return run_; }
  [[nodiscard]] bool stopping() const { return stopping_; }
  /// Those that waited when the run ended.
  [[nodiscard]] const std::vector<Waiting>& waiting() const { return waiting_; }

  nb::object stop_type;
  nb::object blocked_type;
  nb::object on_result;  ///< makes a value that stays as it is of a result that could change
  /// While a run is narrated, on the thread of the process: (process, step, preempts, doing, place, operation begins)
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
  ProcessSlot* spawner_ = nullptr;  ///< goes on when the process that is started has come to its first point
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
  bool spinning_ = false;  ///< one process goes on in its loop, and nobody else can
  std::uint64_t spins_until_ = 0;
  bool overslept_ = false;
  bool interrupted_ = false;
  nb::object raised_;        ///< what the driver is to raise when the run is over
  std::uint64_t alone_ = 0;  ///< instructions that are left to the driver, and one more
  bool preempted_ = false;
  std::uint64_t turn_ = 0;  ///< steps that the running process has taken without a switch
  Result result_ = Result::kComplete;
};

/// While it lives, what the calling thread does is no part of the run.
class Aside {
 public:
  Aside();
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  ProcessSlot* before_;
};

/// The one that the process has; its hooks are global to the interpreter too.
[[nodiscard]] ThreadController& control();

}  // namespace linpoint::control
