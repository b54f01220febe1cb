// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/process/abnormal_ends.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <exception>
#include <string>
#include <typeinfo>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/interpose/process/captured_output.hpp"
#include "host/interpose/process/global_variables_image.hpp"
#include "host/interpose/process/loaded_objects.hpp"

namespace linpoint::runtime {

namespace {

constexpr std::size_t kStack = std::size_t{128} << 10U;
/// Interval of the watchdog's checks, in processor time.
constexpr long kTickMicroseconds = 100'000;
/// Maximum number of ticks without a step.
constexpr int kPatience = 30;
constexpr const char* kPatienceWords = "computes for 3 seconds without a step that other threads can see";
/// Additional ticks to wait while the program is outside its own code, where stopping it would be unsafe.
constexpr int kMorePatience = 20;

struct Watchdog {
  std::uint64_t steps = 0;
  int ticks = 0;
};
Watchdog watchdog;

bool inside(const Range& range, std::uintptr_t address) { return address >= range.begin && address < range.end; }

std::uintptr_t register_of(const void* context, int number) {
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[number]);
}

const char* words_for(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "arithmetic error, as of a division by zero";
    case SIGILL:
      return "illegal instruction";
    default:
      return "trap";
  }
}

void append_address(HostString& text, std::uintptr_t address) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  HostString digits;
  do {
    digits.insert(digits.begin(), kDigits[address % 16]);
    address /= 16;
  } while (address != 0);
  text += "0x" + digits;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (signal == SIGSEGV && the_image.unprotect(address)) return;
  if (phase == Phase::kLoading) refuse(HostString("the program crashes before main: ") + words_for(signal));
  if (!on_fiber()) {
    constexpr std::string_view kMessage = "linpoint: the host itself crashed\n";
    if (::write(complaints(), kMessage.data(), kMessage.size()) < 0) return;
    static_cast<void>(::signal(signal, SIG_DFL));
    static_cast<void>(::raise(signal));
    return;
  }
  phase = Phase::kHost;
  // As a return address, which identifies places in code: one byte further.
  const auto* where = reinterpret_cast<const void*>(register_of(context, REG_RIP) + 1);  // NOLINT
  if (inside(guard_of(current_thread()), address)) fail(Fault::kCrash, "stack overflow", where);
  HostString message(words_for(signal));
  if (signal == SIGSEGV || signal == SIGBUS) {
    message += " at ";
    append_address(message, address);
  }
  fail(Fault::kCrash, message, where);
}

/// A program that computes without a visible step is stopped in its own code, since the host may be in an inconsistent
/// state.
void on_tick(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const std::uint64_t steps = steps_so_far();
  const bool loading = phase == Phase::kLoading;
  if (steps != watchdog.steps || !(loading || on_fiber())) {
    watchdog = {steps, 0};
    return;
  }
  if (++watchdog.ticks < kPatience) return;
  if (loading) refuse("the program computes for 3 seconds before main");
  const auto* code = reinterpret_cast<const void*>(register_of(context, REG_RIP));  // NOLINT(performance-no-int-to-ptr)
  if (!program_code().contains(code) && watchdog.ticks < kPatience + kMorePatience) return;
  watchdog.ticks = 0;
  phase = Phase::kHost;
  fail(Fault::kLivelock, kPatienceWords, code);
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  // The handler may never return: no signal may stay blocked.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  static constinit Real<int(int, const struct sigaction*, struct sigaction*)> next("sigaction");
  next(signal, &action, nullptr);
}

HostString readable(const char* type) {
  int status = 0;
  char* name = abi::__cxa_demangle(type, nullptr, nullptr, &status);
  return status == 0 && name != nullptr ? name : type;
}

/// The uncaught exception, if there is one.
HostString uncaught() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "std::terminate is called without an exception";
  HostString text = "uncaught exception ";
  {
    const OutOfProgram host;
    text += readable(type->name());
  }
  try {
    throw;
  } catch (const std::exception& exception) {
    text += ": ";
    text += exception.what();
  } catch (...) {
    text += ", which is not a std::exception";
  }
  return text;
}

void on_terminate() {
  if (!in_program()) {
    if (phase == Phase::kLoading) refuse("the program throws an exception before main");
    static constinit Real<void()> next("abort");
    next();
    __builtin_unreachable();
  }
  const HostString message = uncaught();
  fail(Fault::kException, message, __builtin_return_address(0));
}

}  // namespace

void install_handlers() {
  stack_t stack{};
  stack.ss_sp = ::mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = kStack;
  ::sigaltstack(&stack, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) handle(signal, on_fault);
  handle(SIGVTALRM, on_tick);
  start_watchdog();
  std::set_terminate(on_terminate);
}

void start_watchdog() {
  const itimerval every{{0, kTickMicroseconds}, {0, kTickMicroseconds}};
  static constinit Real<int(int, const itimerval*, itimerval*)> next("setitimer");
  next(ITIMER_VIRTUAL, &every, nullptr);
}

namespace {

[[noreturn]] void abort_program(const void* caller) {
  if (phase == Phase::kLoading) refuse("the program calls abort() before main");
  fail(Fault::kCrash, "abort() is called", caller);
}

[[noreturn]] void fail_assertion(const char* expression, const char* function, const void* caller) {
  HostString message("assertion `");
  message += expression;
  message += "` fails";
  if (function != nullptr) message += HostString(" in ") + function;
  if (phase == Phase::kLoading) refuse(message + " before main");
  fail(Fault::kAssertion, message, caller);
}

}  // namespace

}  // namespace linpoint::runtime

using linpoint::runtime::by_host;

extern "C" {

void abort() {
  if (!by_host()) linpoint::runtime::abort_program(__builtin_return_address(0));
  static constinit linpoint::runtime::Real<void()> next("abort");
  next();
  __builtin_unreachable();
}
void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) {  // NOLINT
  if (!by_host()) linpoint::runtime::fail_assertion(expression, function, __builtin_return_address(0));
  static constinit linpoint::runtime::Real<void(const char*, const char*, unsigned, const char*)> next("__assert_fail");
  next(expression, file, line, function);
  __builtin_unreachable();
}
void __assert(const char* expression, const char* file, int line) {  // NOLINT(bugprone-reserved-identifier)
  if (!by_host()) linpoint::runtime::fail_assertion(expression, nullptr, __builtin_return_address(0));
  __assert_fail(expression, file, static_cast<unsigned>(line), "");
}
void __stack_chk_fail() {  // NOLINT(bugprone-reserved-identifier)
  if (linpoint::runtime::in_program())
    linpoint::runtime::fail(linpoint::runtime::Fault::kMemory, "writes past a variable on its stack",
                            __builtin_return_address(0));
  abort();
}
}
