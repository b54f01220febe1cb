// SPDX-License-Identifier: Apache-2.0
// Fibers under an explorer: the state of one run, and the loop over its steps.
//
// The explorer runs on the host's own stack, so that the program's stacks contain only the program's calls. A new
// thread runs immediately up to its first step, as part of the step that creates it: before that it can do nothing
// observable. Likewise, the end of a thread is part of its last step.
//
// While a thread is alone, because all others have been joined, nothing it does is a step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/core/data_races.hpp"
#include "host/core/fibers.hpp"
#include "host/core/scheduling_points.hpp"
#include "host/core/spin_loop_detection.hpp"
#include "host/core/trace_log.hpp"
#include "linpoint/explore/explorer.hpp"
#include "linpoint/memory_models/store_buffers.hpp"

namespace linpoint::runtime {

struct Finding {
  Fault fault = Fault::kCrash;
  std::string message;
  std::vector<const void*> places;
  std::vector<std::uint32_t> steps_of;
  std::uint64_t address = 0;  ///< of the data, if any
  std::vector<explore::Deviation> schedule;
  std::uint64_t preemptions = 0;
  std::string printed;
  bool stuck = false;  ///< no thread could continue
};

/// A store that the program is about to make, since the hook comes before it.
struct Announced {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::array<std::byte, memory::kWidest> beneath{};
};

/// A plain store in the trace whose value is not known until it is done.
struct UnwrittenValue {
  std::uint64_t address = 0;
  std::uint32_t size = 0;  ///< 0: there is none
  std::uint32_t step = 0;
};

/// A thread of the program.
struct Task {
  Thread number = 0;
  Fiber fiber;
  void* storage = nullptr;
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
  bool begun = false;
  bool ended = false;
  bool joined = false;

  std::vector<Access> pending;
  StepInfo info;
  StepTraits traits;
  bool (*possible)(void*) = nullptr;
  void* possible_argument = nullptr;
  bool parked = false;                                 ///< it spins
  bool blocked = false;                                ///< and the trace shows it
  const std::vector<Spinning::Read>* round = nullptr;  ///< the iteration of a loop at whose beginning it is

  memory::StoreBuffer buffer;
  std::vector<Announced> announced;
  bool flushed = false;     ///< it flushed since its last step that drains
  bool fenced = false;      ///< its next step drains
  unsigned own_stores = 0;  ///< number of buffered stores to its own stack since the buffer was empty

  Spinning spinning;
  bool changed = false;          ///< it changed something outside its stack since the last operation that reads
  std::uint64_t locks = 0;       ///< a hash of the locks that it holds
  int held = 0;                  ///< number of locks that it holds
  std::uint64_t lock_steps = 0;  ///< number of locks taken or released
  unsigned atomic_depth = 0;
  unsigned functions = 0;        ///< depth of calls, where that is counted
  unsigned atomic_function = 0;  ///< the depth at which an atomic function was entered; 0 if none
  unsigned idle = 0;             ///< plain reads since its last step
  std::uint64_t own_steps = 0;
  CallStack calls;
  UnwrittenValue unwritten;

  void restart(Thread thread);
};

enum class RunEnd : std::uint8_t { kComplete, kRedundant, kFinding, kCut, kRefused };

class Scheduler {
 public:
  Scheduler();

  /// One run of the program; the explorer has begun it.
  RunEnd run(explore::Explorer& explorer, int (*program)(int, char**, char**));

  /// Runs one function on a fiber, without steps, as part of a persistent object. Memory is as at the beginning of a
  /// run.
  RunEnd run_alone(void (*function)(void*), void* argument);
  [[nodiscard]] bool runs_alone() const { return runs_alone_; }
  // The parts of `run_alone`, for several fibers that the host schedules.
  void begin_alone();
  /// Adds a fiber; nullptr if there is no memory for it.
  [[nodiscard]] Task* add_alone(void (*function)(void*), void* argument);
  /// A fiber continues as a thread that has begun: it uses that thread's variables.
  void goes_on_as(Task& task, Thread begun) { task.storage = tasks_[begun]->storage; }
  /// Runs it until it pauses or ends, or the run is over.
  RunEnd go_on_alone(Task& task);
  /// Called by the running fiber.
  void pause_alone();
  /// Fibers from this number on are not continued.
  void forget_alone(Thread from);

  [[nodiscard]] Task& running() { return *running_; }
  [[nodiscard]] Task& task(Thread thread) { return *tasks_[thread]; }
  [[nodiscard]] Thread threads() const { return threads_; }
  /// Whether no other thread can observe the running thread.
  [[nodiscard]] bool alone() const { return unjoined_ == 0 && running_->buffer.empty(); }
  [[nodiscard]] bool buffers() const { return bits_ != 0; }

  /// The running thread, which has reached another event of its own: stores that were announced are done.
  Task& arrive() {
    Task& task = *running_;
    if (!task.announced.empty()) [[unlikely]]
      take_announced(task);
    if (task.unwritten.size != 0) [[unlikely]]
      tell_written(task);
    return task;
  }
  /// Returns when the running thread has its turn. Its pending accesses, traits and so on are set.
  void wait_for_turn(Task& task);
  /// Called at something that reads: when a loop repeats, the thread is parked until something changes.
  void look_for_loop(Task& task, std::uint64_t standing);

  /// Buffers a store of the running thread that is already in memory.
  void issue(Task& task, std::uint64_t address, std::size_t size, const std::byte* beneath,
             RaceDetector::Clock message);
  /// Writes everything that the running thread has buffered to memory, within its current step.
  void flush_inside(Task& task);
  /// Waits until the running thread's stores are in memory.
  void drain(Task& task);
  [[nodiscard]] std::vector<Access>& event() { return event_; }
  void add_thread(void (*function)(void*), void* argument);
  void thread_joined(Task& task);
  [[noreturn]] void leave_thread();
  [[noreturn]] void leave_run(RunEnd end);

  void found(Fault fault, std::string_view message, std::span<const void* const> places, std::uint64_t address,
             std::span<const std::uint32_t> steps_of);
  [[nodiscard]] Finding make_finding(Fault fault, std::string_view message, std::span<const void* const> places,
                                     std::uint64_t address, std::span<const std::uint32_t> steps_of) const;
  [[nodiscard]] const Finding& finding() const { return finding_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  /// Operations of threads that were alone, in all runs.
  [[nodiscard]] std::uint64_t quiet() const { return quiet_; }
  /// Counts one more; false if there are so many in this run that they should be counted as steps.
  [[nodiscard]] bool count_quiet() { return ++quiet_ < quiet_limit_; }
  [[nodiscard]] bool on_fiber() const { return on_fiber_; }

  RaceDetector races;
  Trace trace;

 private:
  void restart();
  void take_step(explore::Process next);
  void resume(Task& task, Phase as = Phase::kRunning);
  void lift(Task& task);
  void begin_fresh();
  void flush(Task& task, unsigned queue);
  void take_announced(Task& task);
  void tell_written(Task& task);
  void show(Task& task);
  void show_queues(Task& task);
  static void await(Task& task, std::span<const Spinning::Read> reads);
  [[nodiscard]] static bool can_go(Task& task);
  [[nodiscard]] bool any_can_go();
  void tell_blocked(Task& task);
  [[nodiscard]] RunEnd stuck();
  [[nodiscard]] explore::View view() const;
  [[nodiscard]] bool nobody_alive() const;
  [[nodiscard]] RunEnd end_of_run(explore::Explorer& explorer);

  std::vector<std::unique_ptr<Task>> tasks_;
  Thread threads_ = 0;
  Thread fresh_ = 0;  ///< threads from here on have not begun
  Thread unjoined_ = 0;
  Task* running_ = nullptr;
  void* host_storage_ = nullptr;
  void* storage_ = nullptr;  ///< the current base
  unsigned bits_ = 0;

  Spinning::Rounds rounds_;

  std::vector<explore::Pending> processes_;
  std::vector<std::array<Access, memory::StoreBuffer::kMostAccesses>> flushes_;  ///< pending, by process
  std::vector<Access> event_;
  std::vector<memory::StoreBuffer::Overwritten> overwritten_;  ///< in `lift`
  explore::Process last_ = explore::kNobody;
  explore::Explorer* explorer_ = nullptr;

  std::uint64_t steps_ = 0;      ///< of all runs
  std::uint64_t run_steps_ = 0;  ///< of this run
  std::uint64_t quiet_ = 0;
  std::uint64_t quiet_limit_ = 0;
  std::uint64_t issued_ = 0;
  bool on_fiber_ = false;
  bool runs_alone_ = false;
  bool over_ = false;
  RunEnd end_ = RunEnd::kComplete;
  Finding finding_;
};

extern Scheduler scheduler;

}  // namespace linpoint::runtime
