// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/process/clock_and_environment.hpp"

#include <sched.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/core/program_caller.hpp"

namespace linpoint::runtime {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
/// The time at which every run begins: the first second of 2020.
constexpr std::int64_t kBeginning = 1'577'836'800 * kSecond;
/// The time that reading the clock takes. It doubles after a number of reads without a sleep, so that a loop that waits
/// for a time ends soon.
constexpr std::int64_t kLook = 1'000;
constexpr unsigned kLooksToDouble = 16;
constexpr unsigned kMostDoublings = 24;

struct Own {
  std::int64_t passed = 0;
  unsigned looks = 0;
  std::uint64_t dice = 0;
};
std::array<Own, kMostThreads> owns;
std::array<Own, kMostThreads> kept;
bool any_used = false;

Own& own() {
  any_used = true;
  return owns[acting_thread()];
}

std::int64_t now() {
  if (controlled()) {
    qualify("the program reads the clock, which here advances only while it sleeps");
    overlooked();
  }
  Own& mine = own();
  mine.passed += kLook << std::min(mine.looks++ / kLooksToDouble, kMostDoublings);
  return kBeginning + mine.passed;
}

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * kSecond + time.tv_nsec;
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t next_of(std::uint64_t& state) {
  std::uint64_t mixed = state += 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31U);
}

void fill(void* bytes, std::size_t size) {
  auto* next = static_cast<unsigned char*>(bytes);
  for (; size != 0; --size) *next++ = static_cast<unsigned char>(throw_dice());
}

int let_others_go(const void* caller) {
  library_step({.kind = Kind::kYield, .caller = caller}, {}, {.drains = false, .yields = true});
  return 0;
}

}  // namespace

void keep_world() { kept = owns; }

void restore_world() {
  if (any_used) owns = kept;
  any_used = false;
}

void sleep_until(std::int64_t time) {
  Own& mine = own();
  mine.passed = std::max(mine.passed, time - kBeginning);
  mine.looks = 0;
}

void sleep_for(std::int64_t time) {
  Own& mine = own();
  mine.passed += std::max<std::int64_t>(time, 0);
  mine.looks = 0;
}

std::uint64_t throw_dice() {
  if (controlled()) {
    qualify("the program uses random numbers, which here are the same in every run");
    side_effect();
  }
  Own& mine = own();
  if (mine.dice == 0) mine.dice = (options.seed + 1) * 0x100000001B3U + acting_thread();
  return next_of(mine.dice);
}

}  // namespace linpoint::runtime

using linpoint::runtime::by_host;
using linpoint::runtime::kSecond;
using linpoint::runtime::let_others_go;
using linpoint::runtime::Real;
using linpoint::runtime::sleep_for;
using linpoint::runtime::throw_dice;

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) {
  if (by_host()) {
    static constinit Real<int(clockid_t, timespec*)> next("clock_gettime");
    return next(clock, time);
  }
  const std::int64_t now = linpoint::runtime::now();
  *time = {now / kSecond, now % kSecond};
  return 0;
}
int timespec_get(timespec* time, int base) {
  clock_gettime(CLOCK_REALTIME, time);
  return base;
}
time_t time(time_t* into) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}
clock_t clock() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / 1000;
}
int gettimeofday(timeval* time, void* /*zone*/) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

int sched_yield() {
  if (!by_host()) return let_others_go(LINPOINT_CALLER);
  static constinit Real<int()> next("sched_yield");
  return next();
}
int pthread_yield() { return let_others_go(LINPOINT_CALLER); }
int nanosleep(const timespec* wanted, timespec* left) {
  if (by_host()) {
    static constinit Real<int(const timespec*, timespec*)> next("nanosleep");
    return next(wanted, left);
  }
  sleep_for(linpoint::runtime::nanoseconds(*wanted));
  return let_others_go(LINPOINT_CALLER);
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  if (by_host()) {
    static constinit Real<int(clockid_t, int, const timespec*, timespec*)> next("clock_nanosleep");
    return next(clock, flags, wanted, left);
  }
  const std::int64_t time = linpoint::runtime::nanoseconds(*wanted);
  if ((flags & TIMER_ABSTIME) != 0) {
    linpoint::runtime::sleep_until(time);
  } else {
    sleep_for(time);
  }
  return let_others_go(LINPOINT_CALLER);
}
int usleep(useconds_t microseconds) {
  const timespec wanted{microseconds / 1'000'000, static_cast<long>(microseconds % 1'000'000) * 1000};
  if (by_host()) return nanosleep(&wanted, nullptr);
  sleep_for(linpoint::runtime::nanoseconds(wanted));
  return let_others_go(LINPOINT_CALLER);
}
unsigned sleep(unsigned seconds) {
  const timespec wanted{seconds, 0};
  if (by_host()) return static_cast<unsigned>(nanosleep(&wanted, nullptr));
  sleep_for(linpoint::runtime::nanoseconds(wanted));
  return static_cast<unsigned>(let_others_go(LINPOINT_CALLER));
}

int rand() { return static_cast<int>(throw_dice() >> 33U); }
void srand(unsigned seed) { linpoint::runtime::own().dice = seed + 1; }
long random() { return rand(); }
void srandom(unsigned seed) { srand(seed); }
double drand48() { return static_cast<double>(throw_dice() >> 11U) * 0x1p-53; }
long lrand48() { return rand(); }
ssize_t getrandom(void* bytes, std::size_t size, unsigned flags) {
  if (by_host()) {
    static constinit Real<ssize_t(void*, std::size_t, unsigned)> next("getrandom");
    return next(bytes, size, flags);
  }
  linpoint::runtime::fill(bytes, size);
  return static_cast<ssize_t>(size);
}
int getentropy(void* bytes, std::size_t size) {
  linpoint::runtime::fill(bytes, size);
  return 0;
}
unsigned arc4random() { return static_cast<unsigned>(throw_dice() >> 32U); }

// std::random_device and std::thread::hardware_concurrency, which query the processor directly.
unsigned random_device_value(void* device) __asm__("_ZNSt13random_device9_M_getvalEv");
unsigned random_device_value(void* /*device*/) { return static_cast<unsigned>(throw_dice() >> 32U); }
unsigned processors() __asm__("_ZNSt6thread20hardware_concurrencyEv");
unsigned processors() { return 2; }

int get_nprocs() { return 2; }
long sysconf(int name) {
  if (!by_host() && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)) return 2;
  static constinit Real<long(int)> next("sysconf");
  return next(name);
}
int sched_getcpu() { return 0; }
pid_t getpid() {
  static constinit Real<pid_t()> next("getpid");
  return by_host() ? next() : 1;
}
pid_t gettid() {
  static constinit Real<pid_t()> next("gettid");
  return by_host() ? next() : static_cast<pid_t>(linpoint::runtime::acting_thread()) + 1;
}
}
