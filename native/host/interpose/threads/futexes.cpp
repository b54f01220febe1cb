// SPDX-License-Identifier: Apache-2.0
// The system call futex, on which the C++ library builds atomic::wait, latches, barriers, semaphores and futures. Other
// numbered system calls are refused, except a few harmless ones.
#include <linux/futex.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <ctime>
#include <string>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/interpose/threads/timed_waits.hpp"
#include "host/interpose/threads/wait_queues.hpp"

namespace linpoint::runtime {

namespace {

using Word = std::uint32_t;

struct Wait {
  Thread thread = 0;
  Patience patience;
};

bool woken_or_late(void* argument) {
  const auto& wait = *static_cast<Wait*>(argument);
  return is_woken(wait.thread) || may_give_up(wait.patience);
}

StepInfo step_info(Kind kind, const Word* word, const void* caller) {
  return {.kind = kind, .caller = caller, .address = reinterpret_cast<std::uint64_t>(word), .size = sizeof *word};
}

long fail_with(int error) {
  errno = error;
  return -1;
}

long wait_at(const Word* word, Word expected, const Patience& patience, Word mask, const void* caller) {
  library::check(word, sizeof *word, false, caller);
  const auto queue = reinterpret_cast<std::uint64_t>(word);
  const Access reads = at_memory(Mode::kRead, word, sizeof *word);
  library_step(step_info(Kind::kRead, word, caller), {reads, at_queue(Mode::kWrite, queue)});
  library::check(word, sizeof *word, false, caller);  // it may have been freed while this thread waited for its turn
  if (*static_cast<const volatile Word*>(word) != expected) {
    library_step_was({reads}, 0);
    return fail_with(EAGAIN);
  }
  begin_waiting(queue, mask);
  side_effect();
  Wait wait{current_thread(), patience};
  const bool limited = patience.limited;
  begin_patience(patience);
  library_step_when(step_info(Kind::kWait, word, caller), {at_queue(limited ? Mode::kWrite : Mode::kAcquire, queue)},
                    woken_or_late, &wait);
  end_patience(patience);
  const bool woken = is_woken(wait.thread);
  if (!limited && was_woken_before(wait.thread)) library_step_was({at_queue(Mode::kWrite, queue)}, 1);
  stop_waiting(wait.thread);
  if (woken) return 0;
  give_up(patience);
  return fail_with(ETIMEDOUT);
}

long wake_at(const Word* word, Word most, Word mask, const void* caller) {
  const auto queue = reinterpret_cast<std::uint64_t>(word);
  library_step(step_info(Kind::kNotify, word, caller), {at_queue(Mode::kRelease, queue)});
  const Word woken = wake(queue, most, mask);
  if (woken == 0) library_step_was({at_queue(Mode::kRead, queue)}, 0);
  return woken;
}

/// The arguments of the system call in their raw form.
struct Arguments {
  long one = 0;
  long two = 0;
  long three = 0;
  long four = 0;
  long five = 0;
  long six = 0;
};

template <typename T>
T* pointer(long argument) {
  return reinterpret_cast<T*>(argument);  // NOLINT(performance-no-int-to-ptr)
}

long futex(const Arguments& arguments, const void* caller) {
  const auto* word = pointer<const Word>(arguments.one);
  const auto value = static_cast<Word>(arguments.three);
  const auto* time = pointer<const timespec>(arguments.four);
  const auto mask = static_cast<Word>(arguments.six);
  if (phase == Phase::kPersistent) {
    // There is no other thread to wake, or to be woken by.
    const int command = static_cast<int>(arguments.two) & FUTEX_CMD_MASK;
    if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) return 0;
    if (*word == value) wait_for_ever(caller);
    errno = EAGAIN;
    return -1;
  }
  if (!controlled()) refuse("the program uses a futex before main");
  switch (static_cast<int>(arguments.two) & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      return wait_at(word, value, time == nullptr ? Patience{} : for_as_long_as(*time), ~0U, caller);
    case FUTEX_WAIT_BITSET:
      return wait_at(word, value, time == nullptr ? Patience{} : until(*time), mask, caller);
    case FUTEX_WAKE:
      return wake_at(word, value, ~0U, caller);
    case FUTEX_WAKE_BITSET:
      return wake_at(word, value, mask, caller);
    default:
      refuse("the program uses a futex in an unsupported way");
  }
}

long call(long number, const Arguments& arguments, const void* caller) {
  switch (number) {
    case SYS_futex:
      return futex(arguments, caller);
    case SYS_gettid:
      return static_cast<long>(acting_thread()) + 1;
    case SYS_sched_yield:
      return ::sched_yield();
    case SYS_getrandom:
      return ::getrandom(pointer<void>(arguments.one), static_cast<std::size_t>(arguments.two), 0);
    case SYS_membarrier:
      library_step({.kind = Kind::kFence, .caller = caller}, {});
      return fail_with(ENOSYS);
    default: {
      const OutOfProgram host;
      refuse("the program makes system call " + std::to_string(number) + ", which cannot be repeated in every run");
    }
  }
}

}  // namespace

}  // namespace linpoint::runtime

extern "C" long syscall(long number, ...) {
  using namespace linpoint::runtime;
  std::va_list list;
  va_start(list, number);
  Arguments arguments;
  for (long* argument :
       {&arguments.one, &arguments.two, &arguments.three, &arguments.four, &arguments.five, &arguments.six})
    *argument = va_arg(list, long);
  va_end(list);
  if (!by_host()) return call(number, arguments, __builtin_return_address(0));
  static constinit Real<long(long, long, long, long, long, long, long)> next("syscall");
  return next(number, arguments.one, arguments.two, arguments.three, arguments.four, arguments.five, arguments.six);
}
