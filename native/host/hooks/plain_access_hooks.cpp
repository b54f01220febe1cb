// SPDX-License-Identifier: Apache-2.0
// The hooks of non-atomic accesses. They come before the access, and do not know the value it stores.
//
// Such an access is not a step: without a race no other thread can tell when it happens. With `--races ignore` it is a
// step, like a relaxed atomic, and so is a volatile access in every case.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "host/core/atomic_functions.hpp"
#include "host/core/compiler_hook_names.hpp"
#include "host/core/crash_mode.hpp"
#include "host/core/hook_entry.hpp"
#include "host/core/memory_accesses.hpp"
#include "host/core/scheduler.hpp"
#include "host/core/scheduling_points.hpp"
#include "host/hooks/plain_range_hooks.hpp"

namespace linpoint::runtime {

namespace {

bool on_own_stack(const Task& task, std::uint64_t address) {
  const Range stack = task.fiber.stack.range();
  return stack.begin <= address && address < stack.end;
}

/// The value stored after the hook goes to the buffer, in pieces of the maximum store size.
void announce(Task& task, const Touch& touch) {
  if (task.fenced) scheduler.drain(task);
  task.fenced = false;
  for (std::uint64_t done = 0; done < touch.size;) {
    const std::uint64_t address = touch.address + done;
    const std::uint64_t most = touch.size <= memory::kWidest ? memory::kWidest : 8 - address % 8;
    Announced& each = task.announced.emplace_back();
    each.address = address;
    each.size = static_cast<std::uint32_t>(std::min(touch.size - done, most));
    std::memcpy(each.beneath.data(), reinterpret_cast<const void*>(address), each.size);
    done += each.size;
  }
}

void tell_plain(Task& task, const Touch& touch) {
  if (!scheduler.trace.on() || scheduler.threads() == 1) return;
  const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(touch.size, memory::kWidest));
  const Kind kind = touch.writes ? Kind::kWrite : Kind::kRead;
  scheduler.trace.add(task.number, {.kind = kind, .caller = touch.caller, .address = touch.address, .size = size},
                      task.calls);
}

/// Adds the value of the last access to the trace.
void tell_value(Task& task, const Touch& touch) {
  if (!scheduler.trace.on() || touch.size > memory::kWidest || scheduler.trace.steps().empty()) return;
  TraceStep& traced = *scheduler.trace.last();
  if (traced.address != touch.address || traced.caller != touch.caller) return;
  if (touch.writes) {
    task.unwritten = {touch.address, static_cast<std::uint32_t>(touch.size), scheduler.trace.number()};
    return;
  }
  std::memcpy(traced.value.data(), reinterpret_cast<const void*>(touch.address), touch.size);
  traced.has_value = true;
}

/// A thread that keeps reading without a step may be waiting, in a race, for a write by another thread: it then waits
/// as if the accesses were atomic.
void look_for_plain_loop(Task& task, const Touch& touch) {
  constexpr unsigned kMany = 1000;
  if (++task.idle < kMany) return;
  task.pending.assign({{touch.address, touch.address + touch.size, Mode::kRead}});
  task.info = {.kind = Kind::kRead, .caller = touch.caller, .address = touch.address};
  task.traits = {};
  scheduler.look_for_loop(task, standing(task));
  if (task.parked) scheduler.wait_for_turn(task);
  task.spinning.read(touch.address, touch.size);
}

void visible_access(Task& task, const Touch& touch) {
  const bool later = touch.writes && scheduler.buffers() && !scheduler.alone();
  if (later) {
    check_memory(touch);
    tell_plain(task, touch);
    if (touch.atomic) check_race(task, touch);
    tell_value(task, touch);
    announce(task, touch);
  } else {
    take_turn(task, touch, touch.writes ? Kind::kWrite : Kind::kRead, false);
    check_memory(touch);                        // it may have been freed while this thread waited for its turn
    if (touch.atomic) check_race(task, touch);  // after the step, so that the race is shown there
    tell_value(task, touch);
  }
  if (touch.writes)
    task.changed = true;
  else
    task.spinning.read(touch.address, touch.size);
}

void invisible_access(Task& task, const Touch& touch) {
  check_memory(touch);
  tell_plain(task, touch);
  check_race(task, touch);
  tell_value(task, touch);
  if (!touch.writes) {
    look_for_plain_loop(task, touch);
    if (task.lock_steps > 0)
      task.spinning.read(touch.address, touch.size);
    else if (!on_own_stack(task, touch.address))
      task.spinning.miss();
    return;
  }
  if (!on_own_stack(task, touch.address)) task.changed = true;
  // Earlier stores of the thread itself must not overwrite it later.
  if (!task.buffer.empty() && task.buffer.overlaps(touch.address, touch.size)) announce(task, touch);
}

void access(const volatile void* address, std::size_t size, bool writes, bool is_volatile) {
  if (!controlled() || size == 0) return;
  const OutOfProgram host;
  Task& task = scheduler.arrive();
  const Touch touch{reinterpret_cast<std::uint64_t>(address), size, caller(), writes, is_volatile};
  if (is_volatile || options.races == Races::kIgnore)
    visible_access(task, touch);
  else
    invisible_access(task, touch);
}

/// Reads, then writes, then copies: if these are steps, the value read is kept in between.
void* copy(void* to, const void* from, std::size_t size) {
  if (!controlled() || size == 0) return std::memmove(to, from, size);
  access(from, size, false, false);
  if (options.races != Races::kIgnore) {
    access(to, size, true, false);
    return std::memmove(to, from, size);
  }
  const OutOfProgram host;
  const auto* bytes = static_cast<const std::byte*>(from);
  const std::vector<std::byte> kept(bytes, bytes + size);
  phase = Phase::kRunning;
  access(to, size, true, false);
  phase = Phase::kHost;
  return std::memcpy(to, kept.data(), size);
}

void* fill(void* to, int value, std::size_t size) {
  access(to, size, true, false);
  return std::memset(to, value, size);
}

}  // namespace

void plain_range(const volatile void* address, std::size_t size, bool writes) {
  if (crash::on())
    crash::plain_range(address, size, writes, caller());
  else
    access(address, size, writes, false);
}

void* plain_copy(void* to, const void* from, std::size_t size) {
  return crash::on() ? crash::plain_copy(to, from, size, caller()) : copy(to, from, size);
}

void plain_access(const volatile void* address, std::size_t size, bool writes, const void* caller) {
  const OutOfProgram host;
  Task& task = scheduler.arrive();
  check_race(task, {reinterpret_cast<std::uint64_t>(address), size, caller, writes, false});
}

}  // namespace linpoint::runtime

namespace rt = linpoint::runtime;

#define LINPOINT_READ(name, size, is_volatile)                                                        \
  [[gnu::used]] void linpoint##name(void* address) { rt::access(address, size, false, is_volatile); } \
  LINPOINT_CRASH_READ(name)

#define LINPOINT_WRITE(name, size, is_volatile)                                                      \
  [[gnu::used]] void linpoint##name(void* address) { rt::access(address, size, true, is_volatile); } \
  LINPOINT_CRASH_HOOK(name)

// While lean hooks are on, the current function of the program is not needed.
#define LINPOINT_FUNCTION_HOOK(name)                                                                         \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n.p2align 4\n" #name                              \
      ":\n"                                                                                                  \
      "  cmpb $1, linpoint_crashing(%rip)\n  jne linpoint" #name "\n  ret\n.size " #name ", .-" #name "\n"); \
  static_assert(rt::crash::kLean == 1)

#define LINPOINT_BOTH(name, size)                    \
  [[gnu::used]] void linpoint##name(void* address) { \
    rt::access(address, size, false, false);         \
    rt::access(address, size, true, false);          \
  }                                                  \
  LINPOINT_CRASH_HOOK(name)

extern "C" {

LINPOINT_PLAIN_ACCESSES(LINPOINT_READ, LINPOINT_WRITE, LINPOINT_BOTH)

[[gnu::used]] void linpoint__tsan_vptr_update(void** at, void* value) {
  if (*at != value) rt::access(static_cast<const volatile void*>(at), sizeof(void*), true, false);
}
LINPOINT_CRASH_HOOK(__tsan_vptr_update)

[[gnu::used]] void linpoint__tsan_read_range(void* address, std::size_t size) {
  rt::access(address, size, false, false);
}
LINPOINT_CRASH_HOOK(__tsan_read_range)
[[gnu::used]] void linpoint__tsan_write_range(void* address, std::size_t size) {
  rt::access(address, size, true, false);
}
LINPOINT_CRASH_HOOK(__tsan_write_range)

[[gnu::used]] void* linpoint__tsan_memcpy(void* to, const void* from, std::size_t size) {
  return rt::copy(to, from, size);
}
LINPOINT_CRASH_HOOK(__tsan_memcpy)
[[gnu::used]] void* linpoint__tsan_memmove(void* to, const void* from, std::size_t size) {
  return rt::copy(to, from, size);
}
LINPOINT_CRASH_HOOK(__tsan_memmove)
[[gnu::used]] void* linpoint__tsan_memset(void* to, int value, std::size_t size) { return rt::fill(to, value, size); }
LINPOINT_CRASH_HOOK(__tsan_memset)
[[gnu::used]] void* linpoint__wrap_memcpy(void* to, const void* from, std::size_t size) {
  return rt::copy(to, from, size);
}
LINPOINT_CRASH_HOOK(__wrap_memcpy)
[[gnu::used]] void* linpoint__wrap_memmove(void* to, const void* from, std::size_t size) {
  return rt::copy(to, from, size);
}
LINPOINT_CRASH_HOOK(__wrap_memmove)
[[gnu::used]] void* linpoint__wrap_memset(void* to, int value, std::size_t size) { return rt::fill(to, value, size); }
LINPOINT_CRASH_HOOK(__wrap_memset)

void __tsan_init() {}

[[gnu::used]] void linpoint__tsan_func_entry(const void* caller) {
  if (rt::crash::tracing()) rt::crash::enter_function(caller);
  if (!rt::controlled()) return;
  if (rt::scheduler.trace.on()) {
    const rt::OutOfProgram host;
    rt::scheduler.running().calls.callers.push_back(caller);
  }
  if (rt::atomic_functions.any()) rt::atomic_functions.enter(__builtin_return_address(0));
}

/// Stores to the frame that ends here must not reach memory when it is used for something else.
[[gnu::used]] void linpoint__tsan_func_exit() {
  if (rt::crash::tracing()) rt::crash::leave_function();
  if (!rt::controlled()) return;
  rt::Task& task = rt::scheduler.running();
  if (rt::atomic_functions.any()) rt::AtomicFunctions::leave();
  if (rt::scheduler.trace.on() && !task.calls.callers.empty()) task.calls.callers.pop_back();
  if (task.own_stores == 0 && task.announced.empty()) return;
  const rt::OutOfProgram host;
  rt::scheduler.arrive();
  const auto frame = *static_cast<const std::uint64_t*>(__builtin_frame_address(0)) + 2 * sizeof(void*);
  const auto stores = task.buffer.stores();
  const bool own = std::any_of(stores.begin(), stores.end(), [&](const linpoint::memory::Store& store) {
    return task.fiber.stack.range().begin <= store.address && store.address < frame;
  });
  if (own) rt::scheduler.drain(task);
}
LINPOINT_FUNCTION_HOOK(__tsan_func_entry);
LINPOINT_FUNCTION_HOOK(__tsan_func_exit);
}
