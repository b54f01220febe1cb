// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/threads/wait_queues.hpp"

#include <algorithm>
#include <array>

#include "host/base/host_memory.hpp"

namespace linpoint::runtime {

namespace {

struct Waiter {
  std::uint64_t queue = 0;
  std::uint64_t since = 0;
  std::uint32_t mask = 0;
  bool waits = false;
};

struct Token {
  std::uint64_t queue = 0;
  std::uint64_t at = 0;
  std::uint32_t mask = 0;
};

/// One clock for all queues, advanced by each thread that begins to wait and each wake-up.
std::uint64_t now = 0;
std::array<Waiter, kMostThreads> waiters;
Thread most_threads = 0;
HostVector<Token> tokens;             ///< oldest first
HostVector<std::uint64_t> destroyed;  ///< queues

bool may_take(const Waiter& waiter, const Token& token) {
  return token.queue == waiter.queue && token.at > waiter.since && (token.mask & waiter.mask) != 0;
}

std::uint32_t waiting_at(std::uint64_t queue, std::uint32_t mask) {
  return static_cast<std::uint32_t>(std::count_if(
      waiters.begin(), waiters.begin() + most_threads,
      [&](const Waiter& waiter) { return waiter.waits && waiter.queue == queue && (waiter.mask & mask) != 0; }));
}

}  // namespace

void begin_waiting(std::uint64_t queue, std::uint32_t mask) {
  const Thread thread = current_thread();
  waiters[thread] = {queue, ++now, mask, true};
  most_threads = std::max(most_threads, thread + 1);
}

bool is_woken(Thread thread) {
  return std::ranges::any_of(tokens, [&](const Token& token) { return may_take(waiters[thread], token); });
}

bool was_woken_before(Thread thread) {
  const Waiter& waiter = waiters[thread];
  std::uint64_t last = 0;
  for (const Token& token : tokens)
    if (token.queue == waiter.queue) last = token.at;
  return std::ranges::any_of(tokens, [&](const Token& token) { return token.at < last && may_take(waiter, token); });
}

void stop_waiting(Thread thread) {
  const auto token = std::ranges::find_if(tokens, [&](const Token& each) { return may_take(waiters[thread], each); });
  if (token != tokens.end()) tokens.erase(token);
  waiters[thread].waits = false;
}

bool anybody_waits(std::uint64_t queue) { return waiting_at(queue, ~0U) > 0; }

std::uint32_t wake(std::uint64_t queue, std::uint32_t most, std::uint32_t mask) {
  const auto left = static_cast<std::uint32_t>(std::ranges::count_if(
      tokens, [&](const Token& token) { return token.queue == queue && (token.mask & mask) != 0; }));
  const std::uint32_t waiting = waiting_at(queue, mask);
  const std::uint32_t woken = std::min(most, waiting - std::min(waiting, left));
  ++now;
  for (std::uint32_t token = 0; token < woken; ++token) tokens.push_back({queue, now, mask});
  return woken;
}

void end_queue(std::uint64_t queue) { destroyed.push_back(queue); }

std::size_t ends_of(std::uint64_t queue) { return static_cast<std::size_t>(std::ranges::count(destroyed, queue)); }

void restore_queues() {
  destroyed.clear();
  for (Thread thread = 0; thread < most_threads; ++thread) waiters[thread].waits = false;
  most_threads = 0;
  now = 0;
  tokens.clear();
}

}  // namespace linpoint::runtime
