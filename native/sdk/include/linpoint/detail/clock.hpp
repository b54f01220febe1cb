// SPDX-License-Identifier: Apache-2.0
// Times of calls and returns: the time-stamp counters of the cores if they agree, else the system's clock.
//
// A call is stamped no later than the first effect of the operation, and a return no earlier than its last effect that
// other threads can see: stores leave the store buffer before it. Otherwise linpoint could report a violation that only
// the clock caused. The price is that a core's store buffer is empty between operations; within operations nothing is
// delayed.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace linpoint::detail {

/// The system's clock, in nanoseconds.
struct SteadyClock {
  static std::uint64_t before() {
    const std::uint64_t now = read();
    fence();
    return now;
  }
  static std::uint64_t after() {
    fence();
    return read();
  }

 private:
  static std::uint64_t read() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  static void fence() {
#if defined(__x86_64__)
    _mm_mfence();  // gcc's thread sanitizer does not see a language-level fence as a fence
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }
};

#if defined(__x86_64__)

/// The counter of the core that runs the thread.
struct CounterClock {
  static std::uint64_t before() {
    const std::uint64_t now = __rdtsc();
    _mm_lfence();  // no later instruction starts before the counter was read
    return now;
  }
  static std::uint64_t after() {
    unsigned core = 0;
    _mm_mfence();            // all earlier stores are visible to other threads
    return __rdtscp(&core);  // waits for all earlier instructions
  }
};

/// Whether the counters run at a constant speed, independent of the cores' states.
inline bool counters_are_steady() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(0x80000000U, &a, &b, &c, &d) == 0 || a < 0x80000007U) return false;
  (void)__get_cpuid(0x80000001U, &a, &b, &c, &d);
  const bool has_rdtscp = (d & (1U << 27U)) != 0;
  (void)__get_cpuid(0x80000007U, &a, &b, &c, &d);
  return has_rdtscp && (d & (1U << 8U)) != 0;
}

#else

using CounterClock = SteadyClock;
inline bool counters_are_steady() { return false; }

#endif

/// The cores that this process may run on.
inline std::vector<int> own_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

inline void stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/// Two threads on two cores pass each other a message with the time. It must never arrive before it was sent: a skew
/// too small to be detected like this is too small for operations, which communicate in the same way.
template <typename Clock>
class Agreement {
 public:
  static bool of(int one, int other) {
    Agreement both;
    both.core_ = other;
    pthread_t thread;
    cpu_set_t before;
    if (pthread_getaffinity_np(pthread_self(), sizeof before, &before) != 0) return false;
    if (pthread_create(
            &thread, nullptr,
            [](void* self) -> void* {
              static_cast<Agreement*>(self)->answer();
              return nullptr;
            },
            &both) != 0)
      return false;
    stay_on(one);
    const bool agrees = both.ask();
    pthread_join(thread, nullptr);
    (void)pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    return agrees && both.agrees_;
  }

 private:
  static constexpr unsigned kTimes = 50;

  bool ask() {
    bool agrees = true;
    for (unsigned turn = 0; turn < 2 * kTimes; turn += 2) {
      const std::uint64_t heard = sent_;
      const std::uint64_t now = Clock::after();  // the other stamp may be taken early
      agrees = agrees && now >= heard;
      sent_ = Clock::after();
      turn_.store(turn + 1, std::memory_order_release);
      await(turn + 2);
    }
    return agrees;
  }
  void answer() {
    stay_on(core_);
    for (unsigned turn = 1; turn < 2 * kTimes; turn += 2) {
      await(turn);
      const std::uint64_t heard = sent_;
      const std::uint64_t now = Clock::after();  // the other stamp may be taken early
      agrees_ = agrees_ && now >= heard;
      sent_ = Clock::after();
      turn_.store(turn + 1, std::memory_order_release);
    }
  }
  void await(unsigned turn) const {
    for (unsigned spins = 0; turn_.load(std::memory_order_acquire) != turn; ++spins)
      if (spins % 1024 == 1023) sched_yield();
  }

  std::atomic<unsigned> turn_{0};
  std::uint64_t sent_ = 0;
  bool agrees_ = true;
  int core_ = 0;
};

/// Whether the clocks of all cores agree with that of the first.
template <typename Clock>
bool all_agree(const std::vector<int>& cores) {
  for (std::size_t each = 1; each < cores.size(); ++each)
    if (!Agreement<Clock>::of(cores[0], cores[each])) return false;
  return true;
}

/// nullptr, or why the counters cannot be used.
inline const char* why_no_counters() {
  if (!counters_are_steady()) return "this processor has no counter that runs at one speed";
  if (!all_agree<CounterClock>(own_cores())) return "the counters of the cores do not agree";
  return nullptr;
}

}  // namespace linpoint::detail
