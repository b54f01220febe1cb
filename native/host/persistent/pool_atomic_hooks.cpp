// SPDX-License-Identifier: Apache-2.0
// The hooks of atomic operations while a persistent object runs: it is never interrupted.
#include <cstdint>

#include "host/core/compiler_hook_names.hpp"
#include "host/core/crash_mode.hpp"
#include "host/core/program_caller.hpp"
#include "host/persistent/pool_trace_recorder.hpp"

namespace linpoint::runtime::crash {

namespace {

using EventKind = persistency::Kind;

constexpr int kSequential = 5;

[[nodiscard]] bool recording() { return linpoint_crashing == kTracing && phase == Phase::kPersistent; }

template <typename U>
[[gnu::always_inline]] inline U load(const volatile U* at, const void* caller) {
  spend(caller);
  if (linpoint_crashing != kLean && phase == Phase::kPersistent) [[unlikely]] {
    if (tracing())
      the_recorder.read(address_of(at), sizeof(U), caller);
    else
      note_read(address_of(at), sizeof(U));
  }
  return *plain(at);
}

/// Stores a value derived from the old one, if any, and records it.
template <typename U, typename Change>
[[gnu::always_inline]] inline U update(volatile U* at, EventKind kind, const void* caller, const Change& change) {
  spend(caller);
  lean_write(address_of(at), sizeof(U));
  if (!recording()) [[likely]] {
    if (linpoint_crashing == kWatching) note_read(address_of(at), sizeof(U));
    const U old = *plain(at);
    change(old, *plain(at));
    return old;
  }
  the_recorder.settle_all();
  if (kind == EventKind::kUpdate) the_recorder.read(address_of(at), sizeof(U), caller);
  const U old = *plain(at);
  change(old, *plain(at));
  the_recorder.stored(address_of(at), sizeof(U), kind, caller);
  return old;
}

template <typename U>
[[gnu::always_inline]] inline void store(volatile U* at, U value, int order, const void* caller) {
  spend(caller);
  lean_write(address_of(at), sizeof(U));
  if (recording()) [[unlikely]]
    the_recorder.settle_all();
  *plain(at) = value;
  // A sequentially consistent store is compiled to an exchange.
  if (recording()) [[unlikely]]
    the_recorder.stored(address_of(at), sizeof(U), order == kSequential ? EventKind::kExchange : EventKind::kStore,
                        caller);
}

template <typename U>
U compare_exchange(volatile U* at, U expected, U desired, const void* caller) {
  return update(at, EventKind::kUpdate, caller, [&](U old, U& word) {
    if (old == expected) word = desired;
  });
}

template <typename U>
int compare_exchange_to(volatile U* at, U* expected, U desired, const void* caller) {
  const U wanted = *expected;
  const U old = compare_exchange(at, wanted, desired, caller);
  if (old == wanted) return 1;
  lean_write(address_of(expected), sizeof(U));
  *expected = old;
  return 0;
}

}  // namespace

}  // namespace linpoint::runtime::crash

namespace crash = linpoint::runtime::crash;

#define LINPOINT_COMBINE(bits, U, word, expression)                                                          \
  [[gnu::used]] U linpoint_crash__tsan_atomic##bits##_fetch_##word(volatile U* at, U value, int /*order*/) { \
    return crash::update<U>(at, crash::EventKind::kUpdate, LINPOINT_CALLER,                                  \
                            [&](U seen, U& stored) { stored = static_cast<U>(expression); });                \
  }

#define LINPOINT_CAS(bits, U, word)                                               \
  [[gnu::used]] int linpoint_crash__tsan_atomic##bits##_compare_exchange_##word(  \
      volatile U* at, U* expected, U desired, int /*order*/, int /*failed*/) {    \
    return crash::compare_exchange_to<U>(at, expected, desired, LINPOINT_CALLER); \
  }

#define LINPOINT_ATOMICS(bits, U)                                                                                   \
  [[gnu::used]] U linpoint_crash__tsan_atomic##bits##_load(const volatile U* at, int /*order*/) {                   \
    return crash::load<U>(at, LINPOINT_CALLER);                                                                     \
  }                                                                                                                 \
  [[gnu::used]] void linpoint_crash__tsan_atomic##bits##_store(volatile U* at, U value, int order) {                \
    crash::store<U>(at, value, order, LINPOINT_CALLER);                                                             \
  }                                                                                                                 \
  [[gnu::used]] U linpoint_crash__tsan_atomic##bits##_exchange(volatile U* at, U value, int /*order*/) {            \
    return crash::update<U>(at, crash::EventKind::kUpdate, LINPOINT_CALLER, [&](U, U& stored) { stored = value; }); \
  }                                                                                                                 \
  LINPOINT_FETCH_OPERATIONS(bits, U, LINPOINT_COMBINE)                                                              \
  LINPOINT_CAS(bits, U, strong)                                                                                     \
  LINPOINT_CAS(bits, U, weak)                                                                                       \
  [[gnu::used]] U linpoint_crash__tsan_atomic##bits##_compare_exchange_val(volatile U* at, U expected, U desired,   \
                                                                           int /*order*/, int /*failed*/) {         \
    return crash::compare_exchange<U>(at, expected, desired, LINPOINT_CALLER);                                      \
  }

extern "C" {

LINPOINT_ATOMIC_SIZES(LINPOINT_ATOMICS)
}
