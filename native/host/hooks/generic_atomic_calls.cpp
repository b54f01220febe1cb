// SPDX-License-Identifier: Apache-2.0
// Atomic objects of sizes without a processor instruction: compilers call a library for them, which uses its own locks.
// Here each call is one step that needs no lock, and is a full fence, as a lock would be.
#include <cstddef>
#include <cstring>
#include <utility>

#include "host/core/library_scheduling_points.hpp"
#include "host/core/memory_accesses.hpp"
#include "host/core/scheduler.hpp"

namespace linpoint::runtime {

namespace {

bool acquires(int order) { return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE; }
bool releases(int order) { return order != __ATOMIC_RELAXED && order != __ATOMIC_ACQUIRE && order != __ATOMIC_CONSUME; }

/// Returns at the moment when it takes effect.
void begin(Kind kind, Mode mode, const void* object, std::size_t size, const void* caller) {
  if (crash::on()) {
    crash::plain_range(object, size, mode == Mode::kWrite, caller);
    return;
  }
  if (!controlled()) return;
  library::check(object, size, mode == Mode::kWrite, caller);
  library_step({.kind = kind,
                .caller = caller,
                .address = reinterpret_cast<std::uint64_t>(object),
                .size = static_cast<std::uint32_t>(size)},
               {at_memory(mode, object, size)});
  library::check(object, size, mode == Mode::kWrite, caller);
  if (mode == Mode::kRead) library_step_was({at_memory(mode, object, size)});
}

bool racing() { return controlled() && options.races != Races::kIgnore && scheduler.threads() > 1; }

/// Records the access, and what it reads.
void note_access(const void* object, std::size_t size, bool reads, bool writes, int order, const void* caller) {
  if (!racing()) return;
  const OutOfProgram host;
  Task& task = scheduler.running();
  const auto address = reinterpret_cast<std::uint64_t>(object);
  if (reads) scheduler.races.load(task.number, address, size, acquires(order));
  check_race(task, {address, size, caller, writes, true});
}

/// Records what it publishes. A read-modify-write continues the release sequence it has read.
void note_store(const void* object, std::size_t size, bool further, int order) {
  if (!racing()) return;
  const OutOfProgram host;
  const auto address = reinterpret_cast<std::uint64_t>(object);
  const RaceDetector::Clock message = scheduler.races.message(scheduler.running().number, releases(order));
  if (further) {
    scheduler.races.publish_further(address, size, message);
  } else {
    scheduler.races.publish(address, size, message);
  }
}

}  // namespace

}  // namespace linpoint::runtime

using linpoint::runtime::begin;
using linpoint::runtime::Kind;
using linpoint::runtime::Mode;
using linpoint::runtime::note_access;
using linpoint::runtime::note_store;

// Their names are those of builtins, which must not be declared; so they are given as assembler names.
extern "C" {

void generic_load(std::size_t size, const void* object, void* into, int order) __asm__("__atomic_load");
void generic_store(std::size_t size, void* object, const void* value, int order) __asm__("__atomic_store");
void generic_exchange(std::size_t size, void* object, const void* value, void* old,
                      int order) __asm__("__atomic_exchange");
bool generic_compare_exchange(std::size_t size, void* object, void* expected, const void* desired, int order,
                              int failed_order) __asm__("__atomic_compare_exchange");
bool generic_is_lock_free(std::size_t size, const volatile void* object) __asm__("__atomic_is_lock_free");

void generic_load(std::size_t size, const void* object, void* into, int order) {
  begin(Kind::kRead, Mode::kRead, object, size, __builtin_return_address(0));
  note_access(object, size, true, false, order, __builtin_return_address(0));
  std::memcpy(into, object, size);
}
void generic_store(std::size_t size, void* object, const void* value, int order) {
  begin(Kind::kWrite, Mode::kWrite, object, size, __builtin_return_address(0));
  note_access(object, size, false, true, order, __builtin_return_address(0));
  note_store(object, size, false, order);
  std::memcpy(object, value, size);
}
void generic_exchange(std::size_t size, void* object, const void* value, void* old, int order) {
  begin(Kind::kUpdate, Mode::kWrite, object, size, __builtin_return_address(0));
  note_access(object, size, true, true, order, __builtin_return_address(0));
  note_store(object, size, true, order);
  // The three pointers may be equal.
  if (old != value) {
    std::memcpy(old, object, size);
    std::memcpy(object, value, size);
    return;
  }
  auto* one = static_cast<unsigned char*>(old);
  auto* other = static_cast<unsigned char*>(object);
  for (std::size_t at = 0; at < size; ++at) std::swap(one[at], other[at]);
}
bool generic_compare_exchange(std::size_t size, void* object, void* expected, const void* desired, int order,
                              int failed_order) {
  using namespace linpoint::runtime;
  begin(Kind::kCas, Mode::kWrite, object, size, __builtin_return_address(0));
  const bool same = std::memcmp(object, expected, size) == 0;
  note_access(object, size, true, same, same ? order : failed_order, __builtin_return_address(0));
  if (same) {
    note_store(object, size, true, order);
    std::memcpy(object, desired, size);
  } else {
    std::memcpy(expected, object, size);
    library_step_was({at_memory(Mode::kRead, object, size)}, 0);
    if (controlled() && !on_own_stack(expected)) side_effect();
  }
  return same;
}
bool generic_is_lock_free(std::size_t size, const volatile void* /*object*/) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}
}
