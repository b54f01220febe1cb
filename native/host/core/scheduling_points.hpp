// SPDX-License-Identifier: Apache-2.0
// The host of a C++ program under control: the interfaces between its parts.
//
// The program is a shared object, compiled with the hooks of ThreadSanitizer and linked without its runtime. Its
// threads are fibers of one OS thread. Every observable action is a step: the fiber announces it, and the call returns
// when the explorer has given it its turn. The *core* has fibers, hooks, memory models, races, and the loop over runs.
// The *library* has the functions that the program calls: allocation, pthreads, output, the outside world. This file is
// the interface of both: first the functions of the core, then those that the library must provide.
//
// One run is one schedule; for each run the program starts again from `main`, with its memory restored.
//
// Only one OS thread may use these functions. No variable of the host that is used while the program runs may be
// thread_local, since the base of thread-local storage may be that of a fiber.
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

/// In order of creation within a run; main is 0.
using Thread = std::uint32_t;
inline constexpr Thread kNoThread = ~Thread{0};
inline constexpr Thread kMostThreads = 64;

// ---- Phases ---------------------------------------------------------------------------------------------------------

enum class Phase : std::uint8_t {
  kHost,        ///< the host's own code: uses the real libc
  kLoading,     ///< constructors of the program, before the snapshot: they allocate from the arena, and nothing is a
                ///< step
  kRunning,     ///< a fiber of the program: everything counts
  kPersistent,  ///< a fiber of a persistent object: its hooks are those of the crash engine, and nothing is a step
};
extern Phase phase;

/// Whether a fiber of the program runs.
[[nodiscard]] inline bool controlled() { return phase == Phase::kRunning; }
/// Whether a fiber of the program or of a persistent object runs.
[[nodiscard]] inline bool in_program() { return phase == Phase::kRunning || phase == Phase::kPersistent; }
/// Whether the current stack is the program's, also in host code that it has called: a crash here is the program's.
[[nodiscard]] bool on_fiber();
[[nodiscard]] Thread current_thread();
/// The number of threads in this run so far.
[[nodiscard]] Thread threads();

/// The host's own code on a fiber: its calls do not count as the program's.
class OutOfProgram {
 public:
  OutOfProgram() : before_(phase) { phase = Phase::kHost; }
  OutOfProgram(const OutOfProgram&) = delete;
  OutOfProgram& operator=(const OutOfProgram&) = delete;
  ~OutOfProgram() { phase = before_; }

 private:
  Phase before_;
};

// ---- Places that are not memory -------------------------------------------------------------------------------------

/// Above all addresses of user space. A place of memory is its bytes.
enum class Abstract : std::uint8_t {
  kThreads = 1,  ///< the assignment of thread numbers
  kEnded,        ///< [thread]
  kOutput,       ///< the order of printed output
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
  const void* caller = nullptr;  ///< the place in the program: `__builtin_return_address(0)` of the function it called
  std::uint64_t address = 0;     ///< of the memory, lock, ...
  std::uint32_t size = 0;
  Thread other = kNoThread;       ///< the thread that is spawned, joined, woken
  const char* message = nullptr;  ///< copied immediately
  std::int8_t success = -1;       ///< of an attempt: 0 or 1
  /// Of a lock: the variable with its holder's number + 1, or 0.
  const int* holder = nullptr;

  /// The thread that currently blocks this step.
  [[nodiscard]] Thread in_the_way() const {
    if (holder == nullptr) return other;
    return *holder == 0 ? kNoThread : static_cast<Thread>(*holder - 1);
  }
};

struct StepTraits {
  bool drains = false;  ///< waits until the thread's own store buffer is empty, as every full fence does
  bool yields = false;  ///< offers its turn to others
};

/// The running thread is about to do something observable: returns when it has its turn. The accesses, which are
/// copied, must include everything it may touch; what it may write as kWrite.
void step(const StepInfo& info, std::span<const Access> accesses, StepTraits traits = {});

/// The same, but it waits until it is possible: `possible` is called before each choice, from outside the program. Its
/// result must depend only on what other threads change by accesses that conflict with these (or on the thread's own
/// buffer). While it is not possible, the trace shows `block`. If no thread can continue, that is a deadlock, or a
/// livelock if others spin.
void step_when(const StepInfo& info, std::span<const Access> accesses, StepTraits traits, bool (*possible)(void*),
               void* argument);

/// Reports the actual effect of the last granted step, if it differs from the pending accesses: a failed attempt has
/// only read. A step that turned out to change nothing is not a side effect: a loop of such attempts is a spin loop,
/// which waits for others. Call it once, before the next step of the thread. `success` is for the trace.
void report_actual_effect(std::span<const Access> accesses, int success = -1);

/// The running thread changed something that no hook sees: its next actions are not a repetition.
void side_effect();

/// Whether the running thread has stores that others do not see yet.
[[nodiscard]] bool stores_wait();

/// The running thread learned something that no hook sees and that may differ in another run: its next actions cannot
/// be derived from its known state.
void overlooked();

/// Adds a line to the trace without a step; does nothing if there is no trace.
void note(const StepInfo& info);

/// Between these calls the running thread is not interrupted; they nest. If it has to wait inside, others run
/// nevertheless.
void enter_atomic();
void leave_atomic();

// ---- Threads --------------------------------------------------------------------------------------------------------

/// Creates a thread that begins with function(argument): a step of its own. kNoThread if there are too many.
[[nodiscard]] Thread spawn(const void* caller, void (*function)(void*), void* argument);
/// Ends the running thread, as returning from its function does. If main ends so, the others continue.
[[noreturn]] void end_thread();
/// Waits until it has ended and its stores are in memory: a step.
void join(const void* caller, Thread thread);
[[nodiscard]] bool ended(Thread thread);

/// The whole program ends regularly, whichever threads still run: exit, or main returned.
[[noreturn]] void end_program();

/// The used part of a thread's stack: [begin, end).
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
[[nodiscard]] Range stack_of(Thread thread);
/// Whether an address is on the stack of the running thread, so that its content is covered by the stack's hash.
[[nodiscard]] bool on_own_stack(const void* address);
/// The guard page below it: an access to it is a stack overflow.
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

/// Ends the run with a finding: one sentence without a full stop. `where` has code addresses for "{0}", "{1}" in it.
/// May be called from a signal handler on an alternate stack.
[[noreturn]] void fail(Fault fault, std::string_view message, const void* caller,
                       std::span<const void* const> where = {});
/// Ends the exploration: the program does something that cannot be repeated. The reason is a clause such as "the
/// program calls fork()".
[[noreturn]] void refuse(std::string_view reason);
/// States, in a sentence, why a result without findings proves less; the same sentence counts once.
void qualify(std::string_view sentence);
/// Steps of all runs so far, for a watchdog: if the number does not rise, the program computes without a visible step.
[[nodiscard]] std::uint64_t steps_so_far();

// ---- Happens-before (for data races) --------------------------------------------------------------------------------

/// Everything before the release happens before everything after a later acquire of the same object. Any otherwise
/// unused number identifies an object, for example the address of a lock.
void synchronize_release(std::uint64_t object);
void synchronize_acquire(std::uint64_t object);
/// A plain access by the running thread that no hook sees, for example by memcpy or free: checked for races, not a
/// step.
void plain_access(const volatile void* address, std::size_t size, bool writes, const void* caller);
/// Forgets accesses to these bytes, for example when a block is allocated again.
void forget_accesses(const void* address, std::size_t size);

// ---- Functions that the library must provide ------------------------------------------------------------------------

namespace library {

/// Before main there is no run to leave: sends a result with the reason, and ends the process.
[[noreturn]] void end_refused(std::string_view reason);
/// Called first in main: fixes addresses, restarting the host if necessary.
void fix_addresses(char** argv);
/// Called before the target is loaded: sets up the arena and signal handlers.
void before_load();
/// Called after its constructors have run: takes the snapshot. `handle` is that of dlopen.
void after_load(void* handle);
/// In a child process, before its run: restores what a child does not inherit.
void after_fork();
/// Makes the current memory the state in which runs begin from now on. No thread may be in the program, except waiting
/// ones.
void keep_again();
/// Called before and after each run. Memory is restored at the beginning, so that the end of the last run can be
/// inspected.
void begin_run();
void end_run();
/// The function of fiber 0: calls main, then does what exit does, then `end_program`.
void run_main(int (*program)(int, char**, char**));
/// The base of thread-local storage of a thread that is about to begin; nullptr if no thread needs its own.
[[nodiscard]] void* storage_of(Thread thread);

/// No thread can continue: ends a wait that ends by itself, such as one with a timeout. Whether there was one, so that
/// the threads must be asked again; otherwise it is a deadlock.
[[nodiscard]] bool time_passes();

/// Memory in [begin, end) is the arena's: `check` is called before each access of the program to it, and fails if it is
/// freed or was never allocated.
[[nodiscard]] Range arena();
void check(const volatile void* address, std::size_t size, bool writes, const void* caller);

/// The allocation that an address belongs to, numbered within a run.
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
