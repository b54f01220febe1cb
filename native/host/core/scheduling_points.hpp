// SPDX-License-Identifier: Apache-2.0
// The host of a C++ program under control: what its parts know of each other.
//
// The program is a shared object, compiled with the hooks of ThreadSanitizer and linked without its runtime. Its
// threads are fibers of one OS thread. Whatever it does that others can see is a step: the fiber says what it is about
// to do, and comes back when the explorer has given it its turn. The *core* has fibers, hooks, memory models, races,
// and the loop over runs. The *library* has what the program calls: allocation, pthreads, output, the world outside.
// This file is the interface of both: first what the core offers, then what the library must provide.
//
// One run is one schedule; the program runs from `main` again for each, with its memory restored.
//
// Nothing here may be used by two OS threads at once. No variable of the host that is used while the program runs may
// be thread_local, since the base of thread-local storage may be that of a fiber.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "host/protocol/options.hpp"
#include "linpoint/explore/explorer.hpp"
#include "linpoint/memory_models/store_buffers.hpp"

namespace linpoint::runtime {

using explore::Access;
using explore::Mode;

/// In order of creation in a run; main is 0.
using Thread = std::uint32_t;
inline constexpr Thread kNoThread = ~Thread{0};
inline constexpr Thread kMostThreads = 64;

// ---- Who runs -----------------------------------------------------------------------------------------------------

enum class Phase : std::uint8_t {
  kHost,        ///< the host's own code: real libc is to be used
  kLoading,     ///< constructors of the program, before the snapshot: allocate from the arena, nothing is a step
  kRunning,     ///< a fiber of the program: everything counts
  kPersistent,  ///< a fiber of a persistent object: its hooks are those of the crash engine, and nothing is a step
};
extern Phase phase;

/// Whether a fiber of the program runs.
[[nodiscard]] inline bool controlled() { return phase == Phase::kRunning; }
/// The same, or one of a persistent object.
[[nodiscard]] inline bool in_program() { return phase == Phase::kRunning || phase == Phase::kPersistent; }
/// Whether the stack is one of the program's, also in host code that it has called: who crashes here is the program.
[[nodiscard]] bool on_fiber();
[[nodiscard]] Thread current_thread();
/// How many there were in this run so far.
[[nodiscard]] Thread threads();

/// The host's own code on a fiber: what it calls is not taken for the program's.
class OutOfProgram {
 public:
  OutOfProgram() : before_(phase) { phase = Phase::kHost; }
  OutOfProgram(const OutOfProgram&) = delete;
  OutOfProgram& operator=(const OutOfProgram&) = delete;
  ~OutOfProgram() { phase = before_; }

 private:
  Phase before_;
};

// ---- Places that are no memory --------------------------------------------------------------------------------------

/// Above all addresses of user space. A place of memory is its bytes.
enum class Abstract : std::uint8_t {
  kThreads = 1,  ///< who gets which number
  kEnded,        ///< [thread]
  kOutput,       ///< what was printed, in its order
  kWaiting,      ///< [anything]: for the library
  kWorld,        ///< [anything]: for the library
};

[[nodiscard]] constexpr std::uint64_t place(Abstract kind, std::uint64_t number = 0) {
  return (std::uint64_t{0x80} + static_cast<std::uint64_t>(kind)) << 56 | number;
}
[[nodiscard]] constexpr Access at_place(Mode mode, Abstract kind, std::uint64_t number = 0) {
  return {place(kind, number), place(kind, number) + 1, mode};
}
[[nodiscard]] inline Access at_memory(Mode mode, const volatile void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  return {begin, begin + size, mode};
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

/// The kind of a step in a trace; the names are those of `StepKind`.
enum class Kind : std::uint8_t {
  kRead,
  kWrite,
  kUpdate,
  kCas,
  kFence,
  kDrain,
  kLock,
  kUnlock,
  kWait,
  kNotify,
  kBlock,
  kSpawn,
  kJoin,
  kExit,
  kYield,
  kAllocate,
  kFree,
  kAssertion,
  kException,
  kCrash,
  kNote,
  kCall,  ///< an operation of a test
  kReturn,
};

/// A step as the trace shows it. Fields that do not apply keep their defaults.
struct StepInfo {
  Kind kind = Kind::kNote;
  const void* caller = nullptr;  ///< where in the program: `__builtin_return_address(0)` of what it called
  std::uint64_t address = 0;     ///< of the memory, lock, ...
  std::uint32_t size = 0;
  Thread other = kNoThread;       ///< who is spawned, joined, woken
  const char* message = nullptr;  ///< copied at once
  std::int8_t success = -1;       ///< of an attempt: 0 or 1
  /// Of a lock: where it is written who has it, as the number + 1, or 0.
  const int* holder = nullptr;

  /// Who is in the way at this moment.
  [[nodiscard]] Thread in_the_way() const {
    if (holder == nullptr) return other;
    return *holder == 0 ? kNoThread : static_cast<Thread>(*holder - 1);
  }
};

struct StepTraits {
  bool drains = false;  ///< waits until the thread's own store buffer is empty, as whatever is a full fence does
  bool yields = false;  ///< would rather let others go first
};

/// The running thread is about to do something that others can see: comes back when it has its turn. All that it may
/// touch must be among the accesses, what it may write as kWrite. The accesses are copied.
void step(const StepInfo& info, std::span<const Access> accesses, StepTraits traits = {});

/// The same, but it waits until it is possible: `possible` is asked before each choice, from outside of the program. It
/// must depend on nothing but what other threads change with accesses that these depend on (or on the thread's own
/// buffer). While it is not possible the trace says `block`; if nobody can go on that is a deadlock, or a livelock
/// where others spin.
void step_when(const StepInfo& info, std::span<const Access> accesses, StepTraits traits, bool (*possible)(void*),
               void* argument);

/// What the step that was granted last really did, where that is other than what was pending: an attempt that failed
/// has only read. A step that turned out to change nothing is no side effect: a loop of such attempts is a spin loop,
/// which waits for others. To be called before the next step of the thread, once. `success` is for the trace.
void report_actual_effect(std::span<const Access> accesses, int success = -1);

/// Something that no hook sees was changed by the running thread: what it does next is no repetition.
void side_effect();

/// Whether the running thread has stored what others do not see yet.
[[nodiscard]] bool stores_wait();

/// The running thread learned something that no hook sees and that may differ in another run: what it does next
/// is not known from there.
void overlooked();

/// Adds a line to the trace without a step; nothing if there is no trace.
void note(const StepInfo& info);

/// Between these the running thread is not interrupted; they nest. What waits inside lets others go on nevertheless.
void enter_atomic();
void leave_atomic();

// ---- Threads --------------------------------------------------------------------------------------------------------

/// A new thread, which begins with function(argument): a step of its own. kNoThread if there are too many.
[[nodiscard]] Thread spawn(const void* caller, void (*function)(void*), void* argument);
/// Ends the running thread, as does coming back from its function. If main ends so, the others go on.
[[noreturn]] void end_thread();
/// Waits until it has ended and its stores are in memory: a step.
void join(const void* caller, Thread thread);
[[nodiscard]] bool ended(Thread thread);

/// The whole program ends as planned, whoever else still runs: exit, or main came back.
[[noreturn]] void end_program();

/// The stack of a thread in use: [begin, end).
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
[[nodiscard]] Range stack_of(Thread thread);
/// Whether an address is on the stack of the running thread, so that its state is known to who looks at that.
[[nodiscard]] bool on_own_stack(const void* address);
/// The guard page below it: who touches it has used up the stack.
[[nodiscard]] Range guard_of(Thread thread);

// ---- Ends -----------------------------------------------------------------------------------------------------------

enum class Fault : std::uint8_t {
  kAssertion,
  kRace,
  kDeadlock,
  kLivelock,
  kCrash,
  kMemory,
  kException,
  kNondeterminism
};

/// Ends the run with a finding: one sentence without a full stop. `where` are addresses of code, for "{0}", "{1}" in
/// it. May be called from a handler of a signal on an alternate stack.
[[noreturn]] void fail(Fault fault, std::string_view message, const void* caller,
                       std::span<const void* const> where = {});
/// Ends the exploration: the program does what cannot be repeated. A clause such as "the program calls fork()".
[[noreturn]] void refuse(std::string_view reason);
/// A clean end proves less, and this sentence says why; the same sentence counts once.
void qualify(std::string_view sentence);
/// Steps of all runs so far, for a watchdog: if it does not rise, the program computes without a visible step.
[[nodiscard]] std::uint64_t steps_so_far();

// ---- Happens-before (for data races)
// ----------------------------------------------------------------------------------

/// What was done before the release happens before what is done after an acquire of the same object that comes later.
/// Any number that nothing else uses names an object; the address of a lock will do.
void synchronize_release(std::uint64_t object);
void synchronize_acquire(std::uint64_t object);
/// A plain access by the running thread that no hook sees, as by memcpy or free: checked for races, not a step.
void plain_access(const volatile void* address, std::size_t size, bool writes, const void* caller);
/// These bytes begin a new life, as of a block that is allocated again.
void forget_accesses(const void* address, std::size_t size);

// ---- What the library must provide
// --------------------------------------------------------------------------------------

namespace library {

/// Before main there is no run that could be left: sends a result with the reason, and ends.
[[noreturn]] void end_refused(std::string_view reason);
/// First of all in main: fixes addresses, if need be by starting the host again.
void fix_addresses(char** argv);
/// Before the target is loaded: the arena, handlers of signals.
void before_load();
/// After its constructors have run: the snapshot. The handle is that of dlopen.
void after_load(void* handle);
/// In a process of its own, before its run: has what such a process does not get from the one before.
void after_fork();
/// What there is now is what runs begin with from now on. No thread but those that wait may be in the program.
void keep_again();
/// Before each run, and after it. Memory is restored at the beginning, so that the end of the last run can be looked
/// at.
void begin_run();
void end_run();
/// What fiber 0 runs: calls main, then does what exit does, then `end_program`.
void run_main(int (*program)(int, char**, char**));
/// The base of thread-local storage of a thread that is about to begin; nullptr if nobody needs one of its own.
[[nodiscard]] void* storage_of(Thread thread);

/// Nobody can go on: whether somebody does whose wait ends by itself some time, as one with a limit in time. Then it is
/// to be asked again who can go on; else that is a deadlock.
[[nodiscard]] bool time_passes();

/// Memory in [begin, end) is the arena's: `check` is asked before each access of the program to it, and fails if it is
/// freed or was never allocated.
[[nodiscard]] Range arena();
void check(const volatile void* address, std::size_t size, bool writes, const void* caller);

/// The allocation that an address belongs to, numbered in a run.
struct Block {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};
[[nodiscard]] bool block_of(std::uint64_t address, Block& block);

/// What the run has printed so far.
[[nodiscard]] std::string_view printed();

}  // namespace library

}  // namespace linpoint::runtime
