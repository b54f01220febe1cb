// SPDX-License-Identifier: Apache-2.0
// Real threads that run rounds: each round on a fresh object, all threads starting at the same moment.
//
// Rounds come in bursts. Between bursts the threads sleep and their operations are reported; within a burst they only
// spin.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "linpoint/detail/stress_request.hpp"
#include "linpoint/detail/thread_activity.hpp"

namespace linpoint::detail {

/// The activity of a thread, in memory that a supervising process can read even after this one has died.
struct alignas(64) Place {
  std::atomic<std::uint64_t> begun{0};  ///< operations, since the start
  std::atomic<std::uint64_t> call{0};   ///< 1 + the number of the call in progress; 0 outside calls
  std::atomic<std::uint64_t> round{0};
};

inline void spin_once() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// A barrier where threads wait until all have arrived. Threads sleep only if there are more threads than cores.
class alignas(64) Gate {
 public:
  void expect(unsigned count) { count_ = count; }

  void arrive() {
    const unsigned phase = phase_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    for (unsigned spins = 0; phase_.load(std::memory_order_acquire) == phase; ++spins) {
      spin_once();
      if (spins % 256 == 255) sched_yield();
    }
  }

 private:
  unsigned count_ = 1;
  std::atomic<unsigned> arrived_{0};
  std::atomic<unsigned> phase_{0};
};

/// Delays a thread at moments that it does not choose, also within operations: a timer interrupts it.
class Disturbance {
 public:
  static constexpr unsigned kRarest = 200'000;  ///< maximum nanoseconds between two interruptions
  static constexpr unsigned kLongest = 30'000;

  /// Called by the thread that is to be disturbed.
  void begin(std::uint64_t seed) {
    dice_ = Dice(seed, 0, 0);
    current = this;
    struct sigaction action{};
    action.sa_handler = [](int) { current->strike(); };
    action.sa_flags = SA_RESTART;
    (void)sigaction(number(), &action, nullptr);
    struct sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = number();
    event._sigev_un._tid = thread_id();
    made_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
  }
  void go_on() { arm(made_ ? 1 + dice_.below(kRarest) : 0); }
  void pause() { arm(0); }

 private:
  static int number() { return SIGRTMIN + 3; }
  static inline thread_local Disturbance* current = nullptr;

  void strike() {
    if (dice_.below(4) == 0) {
      sched_yield();
    } else {
      const std::uint64_t until = SteadyClock::before() + dice_.below(kLongest);
      while (SteadyClock::before() < until) spin_once();
    }
    if (on_.load(std::memory_order_relaxed)) arm(1 + dice_.below(kRarest));
  }
  void arm(unsigned nanoseconds) {
    on_.store(nanoseconds != 0, std::memory_order_relaxed);
    if (!made_) return;
    struct itimerspec when{};
    when.it_value.tv_nsec = nanoseconds;
    (void)timer_settime(timer_, 0, &when, nullptr);
  }

  Dice dice_{0, 0, 0};
  timer_t timer_{};
  std::atomic<bool> on_{false};
  bool made_ = false;
};

/// One object at a time, shared by the threads of a group.
struct Group {
  std::vector<void*> objects;  ///< one for each round of a burst
  Gate gate;
};

class Crew;

/// A thread, and its operations in a burst.
struct alignas(64) Worker {
  Crew* crew = nullptr;
  Group* group = nullptr;
  Place* place = nullptr;
  unsigned number = 0;  ///< in its group
  std::size_t per_round = 0;
  std::size_t stride = 0;
  std::unique_ptr<Record[]> records;
  std::unique_ptr<std::byte[], void (*)(void*)> results{nullptr, std::free};
  std::atomic<unsigned> rounds{0};  ///< that it has ended in this burst
  /// Whether its records belong to this burst. On a busy machine that may take a while, and until then they hold its
  /// operations on another object.
  std::atomic<bool> prepared{false};
  Disturbance disturbance;
  std::atomic<pid_t> thread{0};  ///< its system number, once it runs

  [[nodiscard]] Record* first_of(unsigned round) const { return records.get() + round * per_round; }
  [[nodiscard]] void* result_of(const Record* record) const {
    return results.get() + static_cast<std::size_t>(record - records.get()) * stride;
  }
};

class Crew {
 public:
  Crew(const Request& request, Place* places) : request_(request), groups_(request.instances) {
    const std::size_t threads = request.threads.size();
    workers_ = std::vector<Worker>(threads * request.instances);
    std::size_t size = 1;
    std::size_t alignment = alignof(std::max_align_t);
    for (const Call& call : request.calls) {
      size = std::max(size, call.operation->recording.size);
      alignment = std::max(alignment, call.operation->recording.alignment);
    }
    for (std::size_t each = 0; each < workers_.size(); ++each) {
      Worker& worker = workers_[each];
      worker.crew = this;
      worker.group = &groups_[each / threads];
      worker.place = &places[each];
      worker.number = static_cast<unsigned>(each % threads);
      worker.per_round = request.threads[worker.number].size();
      if (worker.number == 0) worker.per_round += request.before.size() + request.after.size();
      worker.stride = (size + alignment - 1) / alignment * alignment;
      const std::size_t all = worker.per_round * request.rounds;
      worker.records = std::make_unique<Record[]>(all);
      void* room = nullptr;
      if (posix_memalign(&room, std::max<std::size_t>(alignment, 64), std::max<std::size_t>(1, all) * worker.stride) !=
          0)
        std::abort();
      worker.results.reset(static_cast<std::byte*>(room));
    }
    for (Group& group : groups_) {
      group.gate.expect(static_cast<unsigned>(threads));
      group.objects.resize(request.rounds);
    }
  }

  void start() {
    for (Worker& worker : workers_) {
      pthread_t thread{};
      if (pthread_create(&thread, nullptr, work, &worker) != 0) std::abort();
    }
  }

  /// Begins a burst of `rounds` rounds; `first` is the number of the first one.
  void begin(std::uint64_t first, unsigned rounds) {
    for (Group& group : groups_)
      for (unsigned round = 0; round < rounds; ++round) group.objects[round] = request_.test->make();
    for (Worker& worker : workers_) {
      worker.rounds.store(0, std::memory_order_relaxed);
      worker.prepared.store(false, std::memory_order_relaxed);
    }
    note_movement(begun());
    pthread_mutex_lock(&lock_);
    first_ = first;
    rounds_ = rounds;
    working_ = workers_.size();
    ++generation_;
    pthread_cond_broadcast(&begin_);
    pthread_mutex_unlock(&lock_);
  }

  /// Waits until the burst has ended, or until nothing has moved for `patience` milliseconds. Whether it has ended.
  bool await_end(std::uint64_t patience) {
    pthread_mutex_lock(&lock_);
    std::uint64_t since = SteadyClock::before();
    while (working_ != 0) {
      if (!slept()) continue;
      const std::uint64_t now = SteadyClock::before();
      if (const std::uint64_t latest = begun(); latest != moved_) {
        since = now;
        note_movement(latest);
      }
      if (now - since >= patience * 1'000'000) break;
    }
    const bool ended = working_ == 0;
    pthread_mutex_unlock(&lock_);
    return ended;
  }

  /// After ``await_end`` has timed out: whether nothing moved because the machine is busy with other work.
  [[nodiscard]] bool starved(std::uint64_t patience) const {
    // An infinite loop gets at least this share, even where threads share the cores.
    const std::size_t cores = std::max<std::size_t>(1, cores_.size());
    return shares_.any_starved(patience * 1'000'000 / (1 + workers_.size() / cores));
  }

  /// Called after a burst that ended and was reported.
  void destroy() {
    for (Worker& worker : workers_)
      for (Record* record = worker.first_of(0); record != worker.first_of(rounds_); ++record) {
        void (*const forget)(void*) = request_.calls[record->code].operation->recording.forget;
        if (forget != nullptr && record->state.load() == State::kReturned) forget(worker.result_of(record));
      }
    for (Group& group : groups_)
      for (unsigned round = 0; round < rounds_; ++round) request_.test->destroy(group.objects[round]);
  }

  /// The number of rounds of this burst that all threads of a group have ended.
  [[nodiscard]] unsigned ended(std::size_t group) const {
    const std::size_t threads = request_.threads.size();
    unsigned least = rounds_;
    for (std::size_t each = 0; each < threads; ++each)
      least = std::min(least, workers_[group * threads + each].rounds.load(std::memory_order_acquire));
    return least;
  }

  /// A number that grows whenever a thread begins an operation or ends a round.
  [[nodiscard]] std::uint64_t begun() const {
    std::uint64_t sum = 0;
    for (const Worker& worker : workers_)
      sum += worker.place->begun.load(std::memory_order_acquire) + worker.rounds.load(std::memory_order_acquire);
    return sum;
  }

  [[nodiscard]] std::vector<Worker>& workers() { return workers_; }
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }

 private:
  static constexpr std::uint64_t kLook = 5;  ///< milliseconds

  static void* work(void* self) {
    auto& worker = *static_cast<Worker*>(self);
    worker.thread.store(thread_id(), std::memory_order_release);
    worker.crew->serve(worker);
    return nullptr;
  }

  void note_movement(std::uint64_t latest) {
    moved_ = latest;
    shares_.begin();
  }

  /// Sleeps for a moment, unless the burst ends first; the lock must be held.
  bool slept() {
    struct timespec until{};
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += static_cast<long>(kLook) * 1'000'000;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    return pthread_cond_timedwait(&end_, &lock_, &until) != 0;
  }

  /// Pins each thread to its core: bursts are too short for the system to notice that two threads share one.
  void serve(Worker& worker) {
    if (!cores_.empty()) stay_on(cores_[static_cast<std::size_t>(&worker - workers_.data()) % cores_.size()]);
    if (request_.erratic) worker.disturbance.begin(request_.seed + worker.number);
    for (unsigned generation = 0;;) {
      pthread_mutex_lock(&lock_);
      while (generation_ == generation) pthread_cond_wait(&begin_, &lock_);
      generation = generation_;
      pthread_mutex_unlock(&lock_);
      prepare(worker);
      for (unsigned round = 0; round < rounds_; ++round) play(worker, round);
      pthread_mutex_lock(&lock_);
      if (--working_ == 0) pthread_cond_signal(&end_);
      pthread_mutex_unlock(&lock_);
    }
  }

  void prepare(Worker& worker) {
    const Share& share = request_.threads[worker.number];
    for (unsigned round = 0; round < rounds_; ++round) {
      Record* record = worker.first_of(round);
      const auto put = [&record](std::uint32_t code) {
        record->code = code;
        record->state.store(State::kNotBegun, std::memory_order_relaxed);
        ++record;
      };
      const auto put_all = [&put](const std::vector<std::uint32_t>& codes) {
        for (const std::uint32_t code : codes) put(code);
      };
      if (worker.number == 0) put_all(request_.before);
      put_all(share.calls);
      Dice dice(request_.seed, round_number(worker, round), worker.number);
      for (unsigned each = 0; each < share.drawn; ++each) {
        const auto& [first, count] = share.operations[dice.below(share.operations.size())];
        put(first + dice.below(count));
      }
      if (worker.number == 0) put_all(request_.after);
    }
    worker.prepared.store(true, std::memory_order_release);
  }

 public:
  /// Rounds are numbered over all groups.
  [[nodiscard]] std::uint64_t round_number(const Worker& worker, unsigned round) const {
    return first_ + round * groups_.size() + static_cast<std::size_t>(worker.group - groups_.data());
  }

 private:
  void play(Worker& worker, unsigned round) {
    Record* record = worker.first_of(round);
    Record* const end = record + worker.per_round;
    void* const object = worker.group->objects[round];
    const std::uint64_t number = round_number(worker, round);
    Dice dice(~request_.seed, number, worker.number);
    worker.place->round.store(number, std::memory_order_relaxed);
    if (worker.number == 0)
      for (std::size_t each = 0; each < request_.before.size(); ++each) perform(worker, object, record++);
    // All threads of a round make the same pauses.
    const std::uint32_t pausing = request_.erratic ? Dice(~request_.seed, number, ~0U).below(4) : 0;
    worker.group->gate.arrive();
    if (pausing >= 2) worker.disturbance.go_on();
    for (std::uint32_t spins = dice.below(16); spins != 0; --spins)
      spin_once();  // random, so that any thread may be
                    // first
    Record* const last = worker.number == 0 ? end - request_.after.size() : end;
    for (; record != last; ++record) {
      if (pausing % 2 == 1 && dice.below(8) == 0)
        for (std::uint32_t spins = dice.below(200); spins != 0; --spins) spin_once();
      perform(worker, object, record);
    }
    if (pausing >= 2) worker.disturbance.pause();
    if (!request_.after.empty()) {
      worker.group->gate.arrive();
      for (; record != end; ++record) perform(worker, object, record);
    }
    worker.place->call.store(0, std::memory_order_relaxed);
    worker.rounds.store(round + 1, std::memory_order_release);
  }

  void perform(Worker& worker, void* object, Record* record) {
    const Call& call = request_.calls[record->code];
    Place& place = *worker.place;
    place.call.store(record->code + 1, std::memory_order_relaxed);
    place.begun.store(place.begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    record->state.store(State::kOpen, std::memory_order_release);
    call.operation->recording.call(object, call.arguments, *record, worker.result_of(record));
  }

  const Request& request_;
  const std::vector<int> cores_ = own_cores();
  std::vector<Group> groups_;
  std::vector<Worker> workers_;
  std::uint64_t moved_ = 0;  ///< begun() at the last look
  ProcessorShares shares_;   ///< since the last movement
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t begin_ = PTHREAD_COND_INITIALIZER;
  pthread_cond_t end_ = PTHREAD_COND_INITIALIZER;
  unsigned generation_ = 0;
  std::size_t working_ = 0;
  std::uint64_t first_ = 0;
  unsigned rounds_ = 0;  ///< of this burst
};

}  // namespace linpoint::detail
