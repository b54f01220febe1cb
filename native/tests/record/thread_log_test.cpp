// SPDX-License-Identifier: Apache-2.0
// Logs of threads: what they keep, what a reader sees meanwhile, and that recorded times never contradict what
// happened.
#include "linpoint/record/thread_log.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/harness.hpp"

namespace {

using linpoint::record::Ending;
using linpoint::record::Entry;
using linpoint::record::Log;
using linpoint::record::Moment;
using linpoint::record::now;
using linpoint::record::Value;

std::vector<std::int32_t> operations_of(const Log& log) {
  std::vector<std::int32_t> found;
  log.visit([&](const Entry& entry) { found.push_back(entry.operation); });
  return found;
}

void a_log_keeps_calls_in_order() {
  for (const std::size_t room : {0U, 1U, 2U, 7U, 100U}) {
    Log log(room);
    int value = 0;
    std::vector<std::int32_t> wanted;
    for (std::int32_t number = 0; number < 50; ++number) {
      EXPECT(log.call(number, &value));
      EXPECT(log.open());
      EXPECT(!log.call(-1, nullptr));
      EXPECT(log.end(number % 2 == 0 ? Ending::kReturned : Ending::kRaised, now(), &value));
      EXPECT(!log.end(Ending::kReturned, now(), nullptr));
      wanted.push_back(number);
    }
    EXPECT(log.size() == 50);
    EXPECT(operations_of(log) == wanted);
    Moment last = 0;
    log.visit([&](const Entry& entry) {
      EXPECT(entry.arguments == &value && entry.result == &value);
      EXPECT(last <= entry.call && entry.call <= entry.ret);
      EXPECT(entry.ending.load() == (entry.operation % 2 == 0 ? Ending::kReturned : Ending::kRaised));
      last = entry.ret;
    });
    log.clear();
    EXPECT(log.size() == 0 && !log.open());
    EXPECT(log.call(99, nullptr));
    EXPECT(operations_of(log) == std::vector<std::int32_t>{99});
    log.visit([](const Entry& entry) { EXPECT(entry.ending.load() == Ending::kOpen && entry.result == nullptr); });
  }
}

struct Recorded {
  Moment call;
  Moment ret;
  std::uint64_t ticket;
};

/// Each operation takes a ticket of a counter that all share: the order of the tickets is what happened.
void times_agree_with_what_happened() {
  constexpr int kThreads = 4;
  constexpr std::int32_t kOperations = 20'000;
  std::atomic<std::uint64_t> tickets = 1;
  std::atomic<int> ready = 0;
  std::deque<Log> logs;
  for (int me = 0; me < kThreads; ++me) logs.emplace_back(16);
  std::vector<std::vector<std::uint64_t>> taken(kThreads, std::vector<std::uint64_t>(kOperations));
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (std::size_t me = 0; me < kThreads; ++me)
    threads.emplace_back([&, me] {
      ++ready;
      while (ready.load() < kThreads) std::this_thread::yield();
      for (std::int32_t number = 0; number < kOperations; ++number) {
        EXPECT(logs[me].call(number, nullptr));
        // Relaxed: whatever order there is comes from the log's own fences.
        const std::uint64_t ticket = tickets.fetch_add(1, std::memory_order_relaxed);
        EXPECT(logs[me].end(Ending::kReturned, now(), nullptr));
        taken[me][static_cast<std::size_t>(number)] = ticket;
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<Recorded> all;
  for (std::size_t me = 0; me < kThreads; ++me)
    logs[me].visit([&](const Entry& entry) {
      all.push_back({entry.call, entry.ret, taken[me][static_cast<std::size_t>(entry.operation)]});
    });
  EXPECT(all.size() == static_cast<std::size_t>(kThreads) * kOperations);
  std::vector<Recorded> by_return = all;
  std::ranges::sort(all, {}, &Recorded::call);
  std::ranges::sort(by_return, {}, &Recorded::ret);
  std::uint64_t latest = 0;
  std::size_t returned = 0;
  for (const Recorded& op : all) {
    for (; by_return[returned].ret < op.call; ++returned) latest = std::max(latest, by_return[returned].ticket);
    EXPECT(latest < op.ticket);
    if (linpoint::tests::hopeless()) return;
  }
}

void readers_see_whole_entries_while_the_owner_writes() {
  constexpr std::int32_t kOperations = 50'000;
  Log log(1);
  std::vector<int> values(kOperations);
  std::atomic<bool> done = false;
  std::thread owner([&] {
    for (std::int32_t number = 0; number < kOperations; ++number) {
      int* const value = &values[static_cast<std::size_t>(number)];
      EXPECT(log.call(number, value));
      EXPECT(log.end(Ending::kReturned, now(), value));
    }
    done = true;
  });
  while (!done) {
    std::int32_t wanted = 0;
    const std::size_t least = log.size();
    log.visit([&](const Entry& entry) {
      const Value value = &values[static_cast<std::size_t>(wanted)];
      EXPECT(entry.operation == wanted++);
      EXPECT(entry.arguments == value);
      if (entry.ending.load(std::memory_order_acquire) != Ending::kOpen)
        EXPECT(entry.result == value && entry.ret >= entry.call);
    });
    EXPECT(std::cmp_greater_equal(wanted, least));
    if (linpoint::tests::hopeless()) break;
  }
  owner.join();
}

}  // namespace

int main() {
  a_log_keeps_calls_in_order();
  times_agree_with_what_happened();
  readers_see_whole_entries_while_the_owner_writes();
  return linpoint::tests::finish();
}
