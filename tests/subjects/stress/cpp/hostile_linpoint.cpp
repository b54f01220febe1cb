// SPDX-License-Identifier: Apache-2.0
// Objects with failures that end or stop their program, or need a sanitizer; and values of all kinds.
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <linpoint/test.hpp>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

/// A correct register; the other objects add failures to it.
struct Good {
  std::atomic<int> value{0};
  void write(int v) { value.store(v); }
  std::optional<int> read() {
    const int v = value.load();
    return v == 0 ? std::nullopt : std::optional<int>(v);
  }
};
LINPOINT_TEST(Good, write, read)

struct Crashes : Good {
  std::atomic<int> calls{0};
  std::optional<int> read() {
    if (calls.fetch_add(1) > 40) raise(SIGSEGV);
    return Good::read();
  }
};
LINPOINT_TEST(Crashes, write, read)

struct Aborts : Good {
  std::atomic<int> calls{0};
  std::optional<int> read() {
    if (calls.fetch_add(1) > 40) {
      (void)!::write(2, "the invariant is broken\n", 24);
      std::abort();
    }
    return Good::read();
  }
};
LINPOINT_TEST(Aborts, write, read)

struct Exits : Good {
  void write(int v) {
    if (v == 7) _exit(0);
    Good::write(v);
  }
};
LINPOINT_TEST(Exits, write, read)

/// Two locks, in either order.
struct Deadlocks : Good {
  std::mutex one;
  std::mutex other;
  void write(int v) {
    const std::lock_guard<std::mutex> first(one);
    std::this_thread::yield();
    const std::lock_guard<std::mutex> second(other);
    Good::write(v);
  }
  std::optional<int> read() {
    const std::lock_guard<std::mutex> first(other);
    std::this_thread::yield();
    const std::lock_guard<std::mutex> second(one);
    return Good::read();
  }
};
LINPOINT_TEST(Deadlocks, write, read)

struct Livelocks : Good {
  std::atomic<unsigned> spins{0};
  void write(int v) {
    while (v == 7 && spins.fetch_or(1) <= 1) {
    }
    Good::write(v);
  }
};
LINPOINT_TEST(Livelocks, write, read)

/// One write runs at idle priority, while other threads keep all processors busy for a second.
struct Starves : Good {
  std::atomic<bool> starved{false};
  static std::uint64_t nanoseconds(clockid_t clock) {
    timespec now{};
    (void)clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
  }
  static void be_idle(bool idle) {
    const sched_param none{};
    (void)pthread_setschedparam(pthread_self(), idle ? SCHED_IDLE : SCHED_OTHER, &none);
  }
  static void burn(std::uint64_t span, clockid_t clock) {
    for (const std::uint64_t end = nanoseconds(clock) + span; nanoseconds(clock) < end;) {
    }
  }
  void write(int v) {
    if (!starved.exchange(true)) {
      for (unsigned each = 0; each < 2 * std::thread::hardware_concurrency(); ++each)
        std::thread([] {
          cpu_set_t all;
          std::memset(&all, 0xff, sizeof all);
          (void)sched_setaffinity(0, sizeof all, &all);
          burn(1'000'000'000, CLOCK_MONOTONIC);
        }).detach();
      be_idle(true);
      burn(20'000'000, CLOCK_THREAD_CPUTIME_ID);
      be_idle(false);
    }
    Good::write(v);
  }
};
LINPOINT_TEST(Starves, write, read)

struct NeverMade : Good {
  NeverMade() {
    for (;;) pause();
  }
};
LINPOINT_TEST(NeverMade, write, read)

struct Throws : Good {
  void write(int v) {
    if (v == 3) throw std::runtime_error("no");
    Good::write(v);
  }
};
LINPOINT_TEST(Throws, write, read)

/// A mutex and nothing else: acquiring it twice waits forever, as the spec requires.
struct Waits {
  std::mutex lock;
  void acquire() { lock.lock(); }
  bool try_acquire() { return lock.try_lock(); }
};
LINPOINT_TEST(Waits, acquire, (try_acquire, "try-acquire"))

struct Races : Good {
  int plain = 0;
  void write(int v) {
    plain = v;
    Good::write(v);
  }
};
LINPOINT_TEST(Races, write, read)

struct UsesFreed : Good {
  std::atomic<int> calls{0};
  void write(int v) {
    if (calls.fetch_add(1) == 40) {
      auto* freed = new int(v);
      delete freed;
      *static_cast<volatile int*>(freed) = v;
    }
    Good::write(v);
  }
};
LINPOINT_TEST(UsesFreed, write, read)

struct Overflows : Good {
  volatile int most = 2147483647;
  void write(int v) {
    most = most + v;
    Good::write(v);
  }
};
LINPOINT_TEST(Overflows, write, read)

/// Results of all kinds; each operation returns its argument.
struct Echo {
  std::string text(std::string v) { return v; }
  const char* letters(const std::string& v) { return v == "a" ? nullptr : "z"; }
  std::vector<int> list(std::vector<int> v) { return v; }
  std::tuple<int, bool> pair(std::tuple<int, bool> v) { return v; }
  double number(double v) { return v; }
  const std::string& reference() { return kept; }
  std::string kept = "kept";
};
LINPOINT_TEST(Echo, text, letters, list, pair, number, reference)

/// Only one thread may push: two concurrent pushes are detected.
struct OneOwner {
  std::atomic<int> owners{0};
  std::atomic<bool> broken{false};
  void push() {
    if (owners.fetch_add(1) != 0) broken.store(true);
    owners.fetch_sub(1);
  }
  bool steal() { return broken.load(); }
};
LINPOINT_TEST(OneOwner, push, steal)
LINPOINT_ROLES(OneOwner, "push | steal*")
