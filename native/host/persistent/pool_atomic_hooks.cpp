// SPDX-License-Identifier: Apache-2.0
// The hooks of atomic operations while a persistent object runs: nobody interrupts it.
#include <cstdint>

#include "host/core/crash_mode.hpp"
#include "host/persistent/pool_trace_recorder.hpp"

namespace linpoint::runtime::crash {

namespace {

__extension__ using Wide = unsigned __int128;
using EventKind = persistency::Kind;

constexpr int kSequential = 5;

template <typename U>
std::uint64_t address_of(const volatile U* at) {
  return reinterpret_cast<std::uint64_t>(at);
}
template <typename U>
U* plain(const volatile U* at) {
  return const_cast<U*>(at);
}

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

/// Stores what is made of the old value, if anything is, and tells of it.
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
  // One that is sequentially consistent is an exchange, in what compilers make of it.
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

#define LINPOINT_CALLER __builtin_return_address(0)  // NOLINT(cppcoreguidelines-macro-usage): of the function it is in

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
  LINPOINT_COMBINE(bits, U, add, seen + value)                                                                      \
  LINPOINT_COMBINE(bits, U, sub, seen - value)                                                                      \
  LINPOINT_COMBINE(bits, U, and, seen& value)                                                                       \
  LINPOINT_COMBINE(bits, U, or, seen | value)                                                                       \
  LINPOINT_COMBINE(bits, U, xor, seen ^ value)                                                                      \
  LINPOINT_COMBINE(bits, U, nand, ~(seen & value))                                                                  \
  LINPOINT_CAS(bits, U, strong)                                                                                     \
  LINPOINT_CAS(bits, U, weak)                                                                                       \
  [[gnu::used]] U linpoint_crash__tsan_atomic##bits##_compare_exchange_val(volatile U* at, U expected, U desired,   \
                                                                           int /*order*/, int /*failed*/) {         \
    return crash::compare_exchange<U>(at, expected, desired, LINPOINT_CALLER);                                      \
  }

extern "C" {

LINPOINT_ATOMICS(8, std::uint8_t)
LINPOINT_ATOMICS(16, std::uint16_t)
LINPOINT_ATOMICS(32, std::uint32_t)
LINPOINT_ATOMICS(64, std::uint64_t)
LINPOINT_ATOMICS(128, crash::Wide)
}
