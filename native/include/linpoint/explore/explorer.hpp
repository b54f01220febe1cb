// SPDX-License-Identifier: Apache-2.0
// Which process goes next: the interface between a program under control and whoever explores its schedules.
//
// A program is {enabled processes, pending operation of each, step -> event}. Before each step it shows a `View` and
// asks `choose`; then it lets that process run to its next scheduling point, and tells with the next view what the step
// turned out to do. So the thread that runs asks by itself, and going on with the same one costs no switch. Nothing
// here knows whether processes are threads of Python, fibers, or store buffers of a memory model.
//
// An explorer is used by one thread at a time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace linpoint::explore {

/// Numbered from 0 in the order in which they come into being; a number is not used again in a run. If several
/// processes bring others into being, those steps must depend on each other: the order of them is who gets which
/// number.
using Process = std::uint32_t;
inline constexpr Process kNobody = std::numeric_limits<Process>::max();

/// What an access does to its place. Accesses of one place commute if both read, or both call, or both return.
/// Whatever can make a process wait, or end its waiting, must be an access that its own depend on.
enum class Mode : std::uint8_t {
  kRead,
  kWrite,
  /// Waits until it is possible: comes after the last release of its place, never instead of it. A step that turned out
  /// not to need that release is a kWrite, as of a semaphore with permits left, or of a lock that was only tried.
  kAcquire,
  kRelease,  ///< a step that turned out to release nothing is a kRead
  kCall,     ///< an operation begins: what returns before is ordered before it in real time
  kReturn,
};

/// The place of kCall and kReturn, which nothing else may use.
inline constexpr std::uint64_t kClock = 0;

/// Bytes [begin, end), or any other numbers that name a place in one run.
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
  bool alive = false;    ///< false before it is started and after it has ended
  bool enabled = false;  ///< false while it waits
  bool yields = false;   ///< it would rather let others go first: taking the turn from it is no preemption
  /// What its next step will do, as far as that is known; the step may turn out to do more, or less: what may write is
  /// a kWrite here. Where it names one place only, whether it writes is decided by what is in that place.
  std::span<const Access> accesses;
  /// It is enabled, but would only go round a loop that waits, since all that the loop reads is as it was: nothing is
  /// lost if it is not chosen while others can go. The accesses are all that the loop reads.
  bool futile = false;
};

/// The program between two steps.
struct View {
  std::span<const Pending> processes;  ///< by number
  Process running = kNobody;           ///< who took the step before; kNobody at the start
  std::span<const Access> event;       ///< what that step turned out to do
};

/// How a run ended.
enum class Ending : std::uint8_t {
  kComplete,  ///< no process is alive
  kStuck,     ///< some are alive and none is enabled
  kStopped,   ///< it was ended before, as by an assertion: what is pending counts, but is not done
  kCut,       ///< it was ended for its length: whatever comes after it is not explored
};

/// At which step which process went on although the default is another one; all that a replay needs.
///
/// The default goes on with the running process if it is enabled and does not yield, else with the first enabled one
/// that does not yield, else with the next enabled one after the running one, in a circle.
struct Deviation {
  std::uint64_t step = 0;
  Process process = 0;

  friend auto operator<=>(const Deviation&, const Deviation&) = default;
};

/// kNobody if none is enabled.
[[nodiscard]] Process default_choice(const View& view);

/// Whether `next` takes the turn from a process that could go on and does not yield; or is one that yields itself, and
/// goes on although by default another one would. Without the latter a loop that waits would go round for ever at no
/// cost.
[[nodiscard]] bool preempts(const View& view, Process next);

struct Progress {
  std::uint64_t runs = 0;       ///< begun
  std::uint64_t redundant = 0;  ///< of them, abandoned since others have shown the same
  std::uint64_t cut = 0;        ///< of them, ended as kCut
  std::uint64_t steps = 0;
};

class Explorer {
 public:
  Explorer() = default;
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;
  virtual ~Explorer() = default;

  /// Begins another run; false if there is none left.
  [[nodiscard]] bool begin();
  /// Who goes next. kNobody: this run would show nothing new; end it, and do not call `end`.
  [[nodiscard]] Process choose(const View& view);
  /// The run is over. The view has what the last step did and what is still pending.
  void end(const View& view, Ending ending);

  /// Whether every schedule of the program has been shown, or one that is equivalent to it. Never true if anything was
  /// cut.
  [[nodiscard]] virtual bool exhaustive() const { return false; }
  [[nodiscard]] const Progress& progress() const { return progress_; }
  /// Which part of the whole was explored, from 0 to 1, as it looks now: what is not known yet is thought to be like
  /// the rest. 0 if there is no telling.
  [[nodiscard]] virtual double explored() const { return 0; }
  /// Of the last run, when it has ended: whether one step comes before another in all runs that differ from it only in
  /// the order of independent steps. An explorer that does not look at that knows this run alone.
  [[nodiscard]] virtual bool happened_before(std::uint64_t earlier, std::uint64_t later) const {
    return earlier < later;
  }
  /// Steps of the last run, or of the present one so far.
  [[nodiscard]] std::uint64_t length() const { return step_; }
  /// Of the last run, or of the present one so far.
  [[nodiscard]] const std::vector<Deviation>& deviations() const { return deviations_; }
  [[nodiscard]] std::uint64_t preemptions() const { return preemptions_; }
  /// Whether a program did something else when it was run again with the same choices: the first step where it
  /// differed.
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
