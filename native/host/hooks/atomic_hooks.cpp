// SPDX-License-Identifier: Apache-2.0
// The hooks of atomic operations.
//
// Each is entered through a few instructions that record the callee-saved registers: these and the live stack show
// whether a loop has repeated (see Spinning). The compilers pass memory orders as numbers from 0 (relaxed) to 5
// (seq_cst).
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "host/core/compiler_hook_names.hpp"
#include "host/core/crash_mode.hpp"
#include "host/core/fence_points.hpp"
#include "host/core/hook_entry.hpp"
#include "host/core/inserted_fences.hpp"
#include "host/core/memory_accesses.hpp"
#include "host/core/scheduler.hpp"
#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

namespace {

bool acquires(int order) { return order == kConsume || order == kAcquire || order >= kAcquireRelease; }
bool releases(int order) { return order >= kRelease; }

/// Whether it was a step.
template <typename U>
bool atomic_step(Task& task, const volatile U* at, Kind kind, Mode mode, bool drains) {
  return take_turn(task, {address_of(at), sizeof(U), caller(), mode != Mode::kRead, true}, kind, drains);
}

template <typename U>
Bytes bytes_of(U value) {
  Bytes bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <typename U>
void tell_value(U value, int order) {
  if (!scheduler.trace.on()) return;
  TraceStep& traced = *scheduler.trace.last();
  traced.value = bytes_of(value);
  traced.has_value = true;
  traced.order = static_cast<std::int8_t>(order);
}

template <typename U>
void tell_old(U old) {
  if (!scheduler.trace.on()) return;
  scheduler.trace.last()->old = bytes_of(old);
  scheduler.trace.last()->has_old = true;
}

template <typename U>
U load(const volatile U* at, int order) {
  if (!controlled()) return *plain(at);
  const OutOfProgram host;
  Task& task = scheduler.arrive();
  const Touch touch{address_of(at), sizeof(U), caller(), false, true};
  atomic_step(task, at, Kind::kRead, Mode::kRead, false);
  check_memory(touch);  // it may have been freed while this thread waited for its turn
  const U value = *plain(at);
  task.spinning.read(touch.address, sizeof(U));
  if (options.races != Races::kIgnore && scheduler.threads() > 1) {
    scheduler.races.load(task.number, touch.address, sizeof(U), acquires(order));
    check_race(task, touch);
  }
  if (scheduler.trace.on()) {
    tell_value(value, order);
    scheduler.trace.last()->forwarded = task.buffer.overlaps(touch.address, sizeof(U));
  }
  return value;
}

/// Puts the store into the buffer: not a step.
template <typename U>
void store_later(Task& task, volatile U* at, U value, int order, const Touch& touch) {
  if (task.fenced) scheduler.drain(task);
  task.fenced = false;
  if (releases(order)) task.buffer.barrier();
  const Bytes beneath = bytes_of(*plain(at));
  *plain(at) = value;
  const RaceDetector::Clock message =
      options.races == Races::kIgnore ? 0 : scheduler.races.message(task.number, releases(order));
  scheduler.issue(task, touch.address, sizeof(U), beneath.data(), message);
  if (forced_fences.after(touch.caller)) task.fenced = true;
  if (!scheduler.trace.on()) return;
  scheduler.trace.add(task.number,
                      {.kind = Kind::kWrite, .caller = touch.caller, .address = touch.address, .size = sizeof(U)},
                      task.calls);
  tell_value(value, order);
}

template <typename U>
void store(volatile U* at, U value, int order) {
  if (!controlled()) {
    *plain(at) = value;
    return;
  }
  const OutOfProgram host;
  Task& task = scheduler.arrive();
  const Touch touch{address_of(at), sizeof(U), caller(), true, true};
  const bool later = scheduler.buffers() && order != kSequential && !scheduler.alone();
  if (!later) atomic_step(task, at, Kind::kWrite, Mode::kWrite, true);
  check_memory(touch);
  check_race(task, touch);  // before it is published, as below
  if (later) {
    store_later(task, at, value, order, touch);
  } else {
    *plain(at) = value;
    if (options.races != Races::kIgnore)
      scheduler.races.publish(touch.address, sizeof(U), scheduler.races.message(task.number, releases(order)));
    tell_value(value, order);
  }
  task.changed = true;
}

/// Whether a read-modify-write stores, and which value.
template <typename U>
struct Outcome {
  bool stores = true;
  U value{};
};

template <typename U, typename Change>
U update(volatile U* at, int order, int failed_order, Kind kind, const Change& change) {
  if (!controlled()) {
    const U old = *plain(at);
    const Outcome<U> outcome = change(old);
    if (outcome.stores) *plain(at) = outcome.value;
    return old;
  }
  const OutOfProgram host;
  Task& task = scheduler.arrive();
  Touch touch{address_of(at), sizeof(U), caller(), true, true};
  const bool stepped = atomic_step(task, at, kind, Mode::kWrite, true);
  check_memory(touch);
  const U old = *plain(at);
  const Outcome<U> outcome = change(old);
  const bool changes = outcome.stores && outcome.value != old;
  const int done = outcome.stores ? order : failed_order;
  if (outcome.stores) *plain(at) = outcome.value;
  if (changes) {
    task.changed = true;
  } else {
    task.spinning.read(touch.address, sizeof(U));
    const bool tells = outcome.stores && options.races != Races::kIgnore &&
                       scheduler.races.would_tell(task.number, touch.address, sizeof(U), releases(order));
    if (stepped && task.atomic_depth == 0 && !tells) scheduler.event().front().mode = Mode::kRead;
  }
  touch.writes = outcome.stores;
  if (options.races != Races::kIgnore && scheduler.threads() > 1) {
    scheduler.races.load(task.number, touch.address, sizeof(U), acquires(done));
    // Before it is published: a thread that acquires it comes after this access too.
    check_race(task, touch);
    if (outcome.stores)
      scheduler.races.publish_further(touch.address, sizeof(U), scheduler.races.message(task.number, releases(order)));
  }
  tell_old(old);
  tell_value(outcome.stores ? outcome.value : old, done);
  return old;
}

template <typename U>
U compare_exchange(volatile U* at, U expected, U desired, int order, int failed_order) {
  const U old =
      update(at, order, failed_order, Kind::kCas, [&](U seen) { return Outcome<U>{seen == expected, desired}; });
  if (controlled() && scheduler.trace.on()) {
    TraceStep& traced = *scheduler.trace.last();
    traced.expected = bytes_of(expected);
    traced.has_expected = true;
    traced.value = bytes_of(desired);
    traced.success = static_cast<std::int8_t>(old == expected);
  }
  return old;
}

template <typename U>
int compare_exchange_to(volatile U* at, U* expected, U desired, int order, int failed_order) {
  const U wanted = *expected;
  const U old = compare_exchange(at, wanted, desired, order, failed_order);
  if (old == wanted) return 1;
  *expected = old;
  if (controlled() && !on_own_stack(expected)) side_effect();
  return 0;
}

template <typename U, typename Combine>
U combine(volatile U* at, int order, const Combine& with) {
  return update(at, order, order, Kind::kUpdate, [&](U seen) { return Outcome<U>{true, static_cast<U>(with(seen))}; });
}

}  // namespace

void fence(int order, const void* caller) {
  if (!controlled()) return;
  const OutOfProgram host;
  Task& task = scheduler.arrive();
  if (options.races != Races::kIgnore) scheduler.races.fence(task.number, acquires(order), releases(order));
  // All later stores wait, which is equivalent and takes one step less. Without stores since the last such step there
  // is nothing to wait for. Whether they have reached memory must not matter, since flushes and the thread's own steps
  // are unordered.
  if (releases(order)) task.buffer.barrier();
  if (order == kSequential && (task.flushed || !task.buffer.empty())) task.fenced = true;
  if (!scheduler.trace.on()) return;
  scheduler.trace.add(task.number, {.kind = Kind::kFence, .caller = caller}, task.calls);
  scheduler.trace.last()->order = static_cast<std::int8_t>(order);
}

}  // namespace linpoint::runtime

namespace rt = linpoint::runtime;

#define LINPOINT_COMBINE(bits, U, word, expression)                                                \
  [[gnu::used]] U linpoint__tsan_atomic##bits##_fetch_##word(volatile U* at, U value, int order) { \
    return rt::combine<U>(at, order, [&](U seen) { return expression; });                          \
  }                                                                                                \
  LINPOINT_CRASH_HOOK(__tsan_atomic##bits##_fetch_##word)

#define LINPOINT_ATOMICS(bits, U)                                                                                      \
  [[gnu::used]] U linpoint__tsan_atomic##bits##_load(const volatile U* at, int order) {                                \
    return rt::load<U>(at, order);                                                                                     \
  }                                                                                                                    \
  LINPOINT_CRASH_HOOK(__tsan_atomic##bits##_load)                                                                      \
  [[gnu::used]] void linpoint__tsan_atomic##bits##_store(volatile U* at, U value, int order) {                         \
    rt::store<U>(at, value, order);                                                                                    \
  }                                                                                                                    \
  LINPOINT_CRASH_HOOK(__tsan_atomic##bits##_store)                                                                     \
  [[gnu::used]] U linpoint__tsan_atomic##bits##_exchange(volatile U* at, U value, int order) {                         \
    return rt::combine<U>(at, order, [&](U) { return value; });                                                        \
  }                                                                                                                    \
  LINPOINT_CRASH_HOOK(__tsan_atomic##bits##_exchange)                                                                  \
  LINPOINT_FETCH_OPERATIONS(bits, U, LINPOINT_COMBINE)                                                                 \
  [[gnu::used]] int linpoint__tsan_atomic##bits##_compare_exchange_strong(volatile U* at, U* expected, U desired,      \
                                                                          int order, int failed) {                     \
    return rt::compare_exchange_to<U>(at, expected, desired, order, failed);                                           \
  }                                                                                                                    \
  LINPOINT_CRASH_HOOK(__tsan_atomic##bits##_compare_exchange_strong)                                                   \
  [[gnu::used]] int linpoint__tsan_atomic##bits##_compare_exchange_weak(volatile U* at, U* expected, U desired,        \
                                                                        int order, int failed) {                       \
    return rt::compare_exchange_to<U>(at, expected, desired, order, failed);                                           \
  }                                                                                                                    \
  LINPOINT_CRASH_HOOK(__tsan_atomic##bits##_compare_exchange_weak)                                                     \
  [[gnu::used]] U linpoint__tsan_atomic##bits##_compare_exchange_val(volatile U* at, U expected, U desired, int order, \
                                                                     int failed) {                                     \
    return rt::compare_exchange<U>(at, expected, desired, order, failed);                                              \
  }                                                                                                                    \
  LINPOINT_CRASH_HOOK(__tsan_atomic##bits##_compare_exchange_val)

extern "C" {

LINPOINT_ATOMIC_SIZES(LINPOINT_ATOMICS)

void __tsan_atomic_thread_fence(int order) {
  // Weaker fences are no instruction.
  if (rt::crash::on()) {
    if (order == rt::kSequential) rt::crash::fence(true, __builtin_return_address(0));
    return;
  }
  rt::fence(order, __builtin_return_address(0));
}

void __tsan_atomic_signal_fence(int /*order*/) {}
}
