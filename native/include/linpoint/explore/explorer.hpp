// SPDX-License-Identifier: Apache-2.0
// Chooses the next process: the interface between a program under control and the explorer of its schedules.
//
// A program is {enabled processes, pending operation of each, step -> event}. Before each step it passes a `View` to
// `choose`, then runs the chosen process to its next scheduling point; the next view contains the effect of that step.
// The running thread calls `choose` itself, so continuing with the same thread costs no switch. This interface does not
// depend on whether processes are Python threads, fibers, or store buffers of a memory model.
//
// Only one thread at a time may use an explorer.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace linpoint::explore {

/// Processes are numbered from 0 in order of creation; a number is not reused within a run. If several processes create
/// others, the creating steps must depend on each other, since their order decides which process gets which number.
using Process = std::uint32_t;
inline constexpr Process kNobody = std::numeric_limits<Process>::max();

/// What an access does to its place. Two accesses of one place commute if both read, both call, or both return. Every
/// step that can block a process or unblock it must be an access that the process's own accesses depend on.
enum class Mode : std::uint8_t {
  kRead,
  kWrite,
  /// Waits until it is possible: comes after the last release of its place, never instead of it. A step that turned out
  /// not to need that release is a kWrite, for example on a semaphore with permits left, or in a try-lock.
  kAcquire,
  kRelease,  ///< a step that turned out to release nothing is a kRead
  kCall,     ///< an operation begins: operations that returned before it precede it in real time
  kReturn,
};

/// The place of kCall and kReturn, which no other access may use.
inline constexpr std::uint64_t kClock = 0;

/// Bytes [begin, end), or any other numbers that identify a place within one run.
struct Access {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Mode mode = Mode::kRead;

  friend bool operator==(const Access&, const Access&) = default;
};

[[nodiscard]] bool dependent(const Access& one, const Access& other);
[[nodiscard]] bool dependent(std::span<const Access> one, std::span<const Access> other);

/// A process between two steps.
struct Pending {
  bool alive = false;    ///< false before the process starts and after it ends
  bool enabled = false;  ///< false while it is blocked
  bool yields = false;   ///< it offers its turn to others: taking the turn from it is not a preemption
  /// What its next step will do, as far as that is known. The step may turn out to do more, or less: an access that may
  /// write is a kWrite here. If it names a single place, the content of that place decides whether it writes.
  std::span<const Access> accesses;
  /// It is enabled, but would only repeat an iteration of a waiting loop, since nothing the loop reads has changed.
  /// Nothing is lost if another process is chosen while one is enabled. The accesses are all that the loop reads.
  bool futile = false;
};

/// The program between two steps.
struct View {
  std::span<const Pending> processes;  ///< by number
  Process running = kNobody;           ///< the process that took the previous step; kNobody at the start
  std::span<const Access> event;       ///< what that step turned out to do
};

/// How a run ended.
enum class Ending : std::uint8_t {
  kComplete,  ///< no process is alive
  kStuck,     ///< some processes are alive and none is enabled
  kStopped,   ///< it was ended early, for example by an assertion: pending operations count, but did not run
  kCut,       ///< it was ended because of its length: its continuations are not explored
};

/// A step at which the schedule deviates from the default choice, and the chosen process; a replay needs nothing else.
///
/// The default continues with the running process if it is enabled and does not yield, else with the first enabled
/// process that does not yield, else with the next enabled one after the running process, cyclically.
struct Deviation {
  std::uint64_t step = 0;
  Process process = 0;

  friend auto operator<=>(const Deviation&, const Deviation&) = default;
};

/// The default choice; kNobody if no process is enabled.
[[nodiscard]] Process default_choice(const View& view);

/// Whether choosing `next` preempts: it takes the turn from a process that could continue and does not yield, or `next`
/// itself yields and continues although the default would choose another process. Without the second case, a waiting
/// loop could iterate forever at no cost.
[[nodiscard]] bool preempts(const View& view, Process next);

struct Progress {
  std::uint64_t runs = 0;       ///< started
  std::uint64_t redundant = 0;  ///< of these: abandoned because other runs cover them
  std::uint64_t cut = 0;        ///< of these: ended as kCut
  std::uint64_t steps = 0;
};

class Explorer {
 public:
  Explorer() = default;
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;
  virtual ~Explorer() = default;

  /// Begins another run; false if none is left.
  [[nodiscard]] bool begin();
  /// Chooses the next process. kNobody: this run would show nothing new; abandon it, and do not call `end`.
  [[nodiscard]] Process choose(const View& view);
  /// Ends the run. The view has the effect of the last step and what is still pending.
  void end(const View& view, Ending ending);

  /// Whether every schedule of the program, or an equivalent one, has been explored. Never true if a run was cut.
  [[nodiscard]] virtual bool exhaustive() const { return false; }
  [[nodiscard]] const Progress& progress() const { return progress_; }
  /// Estimate of the explored fraction, from 0 to 1; it assumes that the unknown part resembles the known part. 0 if
  /// there is no estimate.
  [[nodiscard]] virtual double explored() const { return 0; }
  /// For the last run, after it has ended: whether one step comes before another in all runs that differ from it only
  /// in the order of independent steps. An explorer that does not track dependence answers for this run alone.
  [[nodiscard]] virtual bool happened_before(std::uint64_t earlier, std::uint64_t later) const {
    return earlier < later;
  }
  /// Number of steps of the last run, or of the current one so far.
  [[nodiscard]] std::uint64_t length() const { return step_; }
  /// Deviations of the last run, or of the current one so far.
  [[nodiscard]] const std::vector<Deviation>& deviations() const { return deviations_; }
  [[nodiscard]] std::uint64_t preemptions() const { return preemptions_; }
  /// If the program behaved differently when it was run again with the same choices: the first step that differed.
  [[nodiscard]] std::uint64_t diverged_at() const { return diverged_at_; }
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

 protected:
  void diverge(std::uint64_t step) {
    if (diverged_at_ == kNever) diverged_at_ = step;
  }

 private:
  virtual bool begin_run() = 0;
  virtual Process choose_next(const View& view) = 0;
  virtual void end_run(const View& view, Ending ending) = 0;

  Progress progress_;
  std::vector<Deviation> deviations_;
  std::uint64_t step_ = 0;
  std::uint64_t preemptions_ = 0;
  std::uint64_t diverged_at_ = kNever;
};

}  // namespace linpoint::explore
