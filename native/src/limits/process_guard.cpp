// SPDX-License-Identifier: Apache-2.0
#include "linpoint/limits/process_guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "linpoint/limits/process_stop.hpp"

namespace linpoint::limits {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Seconds of processor time that this process has used.
double processor_time() {
  timespec spent{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

void replace_all(std::string& text, std::string_view mark, std::string_view with) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + with.size()))
    text.replace(at, mark.size(), with);
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the reader has gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

const char* words_for(Limit limit) {
  switch (limit) {
    case Limit::kMemory:
      return "the memory budget ran out";
    case Limit::kInterrupt:
      return "the run was interrupted";
    default:
      return "the time budget ran out";
  }
}

/// The more severe of two exit codes: bad input, violation, unknown, success.
int worse(int left, int right) {
  for (const int code : {2, 1, 3})
    if (left == code || right == code) return code;
  return left;
}

}  // namespace

struct ProcessGuard::State {
  State(const Limits& given, int signal) : limits(given), watch(given), alert(signal), main(pthread_self()) {
#ifdef __linux__
    memory_file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
#endif
    if (::pipe(pipe.data()) != 0) pipe = {-1, -1};
    for (const int end : pipe) {
      ::fcntl(end, F_SETFD, FD_CLOEXEC);
      ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
  }
  ~State() {
    for (const int file : {memory_file, pipe[0], pipe[1]}) ::close(file);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const Limits limits;
  std::mutex lock;  // protects all following members that are not atomic
  LimitWatch watch;
  const int alert;
  const pthread_t main;
  int memory_file = -1;
  std::array<int, 2> pipe{-1, -1};
  bool released = false;
  std::vector<std::string> parts;
  std::vector<int> codes;
  std::string before, between, after, errors, progress;
  int out = STDOUT_FILENO;
  int err = STDERR_FILENO;
  std::uint64_t interrupts = 0;
  std::size_t peak = 0;
  std::atomic<Limit> announced{Limit::kNone};

  [[nodiscard]] std::size_t resident() const;
  void wait(double seconds);
  bool step(double& seconds);
  [[noreturn]] void end(Limit limit);
};

/// Bytes of memory that this process uses; 0 where the system does not report it.
std::size_t ProcessGuard::State::resident() const {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::array<char, 128> text{};
  if (memory_file < 0 || ::pread(memory_file, text.data(), text.size() - 1, 0) <= 0) return 0;
  char* rest = nullptr;
  (void)std::strtoull(text.data(), &rest, 10);  // of the whole address space
  return static_cast<std::size_t>(std::strtoull(rest, nullptr, 10)) * page;
}

void ProcessGuard::State::wait(double seconds) {
  pollfd arrived{pipe[0], POLLIN, 0};
  // Rounded up, so that it never busy-waits.
  if (::poll(&arrived, 1, static_cast<int>(std::ceil(seconds * 1e3))) <= 0) return;
  std::array<unsigned char, 64> signals{};
  const ssize_t count = ::read(pipe[0], signals.data(), signals.size());
  for (ssize_t i = 0; i < count; ++i)
    if (signals[static_cast<std::size_t>(i)] == SIGINT) ++interrupts;
}

/// Takes one sample; false if there is nothing left to guard.
bool ProcessGuard::State::step(double& seconds) {
  const std::scoped_lock held(lock);
  if (released) return false;
  const bool limited = limits.memory_ceiling != std::numeric_limits<std::size_t>::max();
  const std::size_t held_now = limited ? resident() : 0;
  peak = std::max(peak, held_now);
  const Step found = watch.look({now(), processor_time(), held_now, interrupts});
  if (found.announce != Limit::kNone) {
    announced.store(found.announce);
    process_stop.store(found.announce);
    // Ctrl-C is a signal itself, which the main thread has already received.
    if (found.announce == Limit::kMemory) pthread_kill(main, alert);
  }
  if (found.enforce != Limit::kNone) end(found.enforce);
  seconds = found.wait;
  return true;
}

void ProcessGuard::State::end(Limit limit) {
  std::string text = before;
  int code = parts.empty() ? 3 : codes.front();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += between;
    text += parts[i];
    code = worse(code, codes[i]);
  }
  text += after;
  replace_all(text, kLimitMark, words_for(limit));
  replace_all(text, kProgressMark, progress);
  replace_all(text, kPeakMark, std::to_string(std::max(peak, resident())));
  write_all(err, errors);
  write_all(out, text);
  ::_exit(code);
}

ProcessGuard::ProcessGuard(const Limits& limits, int alert) {
  Limits from_now = limits;
  from_now.deadline += now();
  state_ = std::make_shared<State>(from_now, alert);
  process_stop.store(Limit::kNone);
  // Signals are handled by the threads of the command.
  sigset_t all;
  sigset_t kept;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &kept);
  std::thread(watch, state_).detach();  // in a forked process there is no such thread to wait for
  pthread_sigmask(SIG_SETMASK, &kept, nullptr);
}

ProcessGuard::~ProcessGuard() { release(); }

void ProcessGuard::watch(const std::shared_ptr<State>& state) {
  double seconds = 0;
  while (state->step(seconds)) state->wait(seconds);
}

int ProcessGuard::signal_descriptor() const { return state_->pipe[1]; }

void ProcessGuard::frame(std::string before, std::string between, std::string after, std::string errors, int out,
                         int err) {
  const std::scoped_lock held(state_->lock);
  state_->before = std::move(before);
  state_->between = std::move(between);
  state_->after = std::move(after);
  state_->errors = std::move(errors);
  state_->out = out;
  state_->err = err;
}

void ProcessGuard::part(std::size_t index, std::string text, int code) {
  const std::scoped_lock held(state_->lock);
  if (index >= state_->parts.size()) {
    state_->parts.resize(index + 1);
    state_->codes.resize(index + 1, code);
  }
  state_->parts[index] = std::move(text);
  state_->codes[index] = code;
}

void ProcessGuard::progress(std::string words) {
  const std::scoped_lock held(state_->lock);
  state_->progress = std::move(words);
}

Limit ProcessGuard::announced() const { return state_->announced.load(); }

void ProcessGuard::resume() {
  const std::scoped_lock held(state_->lock);
  state_->watch.resume();
  Limit memory = Limit::kMemory;
  state_->announced.compare_exchange_strong(memory, Limit::kNone);
  memory = Limit::kMemory;
  process_stop.compare_exchange_strong(memory, Limit::kNone);
}

void ProcessGuard::release() {
  const std::scoped_lock held(state_->lock);
  state_->released = true;
}

}  // namespace linpoint::limits
