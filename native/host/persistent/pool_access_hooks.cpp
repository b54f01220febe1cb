// SPDX-License-Identifier: Apache-2.0
// The hooks of plain accesses, flushes, fences and coverage while a persistent object runs.
#include <cstring>

#include "host/core/compiler_hook_names.hpp"
#include "host/core/crash_mode.hpp"
#include "host/core/program_caller.hpp"
#include "host/persistent/pool_trace_recorder.hpp"

extern "C" {
std::uint8_t linpoint_crashing = 0;
std::int64_t linpoint_countdown = 0;
}

namespace linpoint::runtime::crash {

namespace {

/// For modes other than lean. The host's own code on a fiber, which converts results to text, is ignored.
[[gnu::noinline]] void seen_read(std::uint64_t address, std::uint64_t size, const void* caller) {
  if (phase != Phase::kPersistent) return;
  if (tracing())
    the_recorder.read(address, size, caller);
  else
    note_read(address, size);
}
[[gnu::noinline]] void seen_write(std::uint64_t address, std::uint64_t size, const void* caller) {
  if (tracing() && phase == Phase::kPersistent) the_recorder.write(address, size, caller);
}

/// The countdown has fallen below zero.
[[gnu::always_inline]] inline void read(const volatile void* at, std::uint64_t size, const void* caller) {
  spent(caller);
  seen_read(address_of(at), size, caller);
}

[[gnu::always_inline]] inline void write(const volatile void* at, std::uint64_t size, const void* caller) {
  spend(caller);
  lean_write(address_of(at), size);
  if (linpoint_crashing == kTracing) [[unlikely]]
    seen_write(address_of(at), size, caller);
}

}  // namespace

void spent(const void* caller) {
  if (linpoint_crashing == kOff) return;
  if (linpoint_crashing != kLean) {
    linpoint_countdown = 0;
    if (--hot.fuel >= 0) return;
  }
  // The code that ends it may call hooks, too.
  linpoint_countdown = hot.fuel = std::int64_t{1} << 40U;
  phase = Phase::kHost;
  fail(Fault::kLivelock, "does not terminate", caller);
}

void plain_range(const volatile void* address, std::size_t size, bool writes, const void* caller) {
  if (size == 0) return;
  spend(caller);
  if (!writes) {
    if (linpoint_crashing != kLean) seen_read(address_of(address), size, caller);
    return;
  }
  note_written(address_of(address), size);
  seen_write(address_of(address), size, caller);
}

void* plain_copy(void* to, const void* from, std::size_t size, const void* caller) {
  if (size == 0) return to;
  plain_range(from, size, false, caller);
  spend(caller);
  note_written(address_of(to), size);
  const bool traced = tracing() && phase == Phase::kPersistent;
  if (traced) the_recorder.settle_all();
  std::memmove(to, from, size);
  if (traced) the_recorder.stored(address_of(to), size, persistency::Kind::kStore, caller);
  return to;
}

void* plain_fill(void* to, int value, std::size_t size, const void* caller) {
  if (size == 0) return to;
  spend(caller);
  note_written(address_of(to), size);
  const bool traced = tracing() && phase == Phase::kPersistent;
  if (traced) the_recorder.settle_all();
  std::memset(to, value, size);
  if (traced) the_recorder.stored(address_of(to), size, persistency::Kind::kStore, caller);
  return to;
}

void fence(bool loads, const void* caller) {
  spend(caller);
  if (tracing() && phase == Phase::kPersistent) the_recorder.fence(caller, loads);
}

void flush(void* address, bool later, const void* caller) {
  spend(caller);
  if (tracing() && phase == Phase::kPersistent) the_recorder.flush(address_of(address), later, caller);
}

void non_temporal(void* address, std::size_t size, const void* caller) {
  spend(caller);
  note_written(address_of(address), size);
  if (tracing() && phase == Phase::kPersistent) the_recorder.non_temporal(address_of(address), size, caller);
}

void locked(void* address, std::size_t size, const void* caller) {
  spend(caller);
  note_written(address_of(address), size);
  if (tracing() && phase == Phase::kPersistent) the_recorder.locked(address_of(address), size, caller);
}

void library_call(const StepInfo& info) {
  /// The maximum size of a library object.
  constexpr std::uint64_t kLargest = 64;
  note_written(info.address, kLargest);
  if (!tracing()) return;
  the_recorder.library_object(info.address, kLargest);
  if (info.kind == Kind::kLock || info.kind == Kind::kUnlock)
    the_recorder.lock(info.address, info.kind == Kind::kLock, info.caller);
}

void enter_function(const void* caller) { the_recorder.enter(caller); }
void leave_function() { the_recorder.leave(); }

}  // namespace linpoint::runtime::crash

namespace crash = linpoint::runtime::crash;
using linpoint::runtime::Phase;
using linpoint::runtime::phase;

#define LINPOINT_READ(name, size, is_volatile) \
  [[gnu::used]] void linpoint_crash##name(void* address) { crash::read(address, size, LINPOINT_CALLER); }
#define LINPOINT_WRITE(name, size, is_volatile) \
  [[gnu::used]] void linpoint_crash##name(void* address) { crash::write(address, size, LINPOINT_CALLER); }
#define LINPOINT_BOTH(name, size)                                                      \
  [[gnu::used]] void linpoint_crash##name(void* address) {                             \
    if (linpoint_crashing != crash::kLean)                                             \
      crash::seen_read(linpoint::runtime::address_of(address), size, LINPOINT_CALLER); \
    crash::write(address, size, LINPOINT_CALLER);                                      \
  }

#define LINPOINT_COMPARE(name, Number)                                                                             \
  void __sanitizer_cov_trace_##name(Number one, Number other) {                                                    \
    if (crash::tracing() && phase == Phase::kPersistent) crash::the_recorder.compare(one, other, LINPOINT_CALLER); \
  }

extern "C" {

LINPOINT_PLAIN_ACCESSES(LINPOINT_READ, LINPOINT_WRITE, LINPOINT_BOTH)
[[gnu::used]] void linpoint_crash__tsan_vptr_update(void** at, void* /*value*/) {
  crash::write(static_cast<const volatile void*>(at), sizeof(void*), LINPOINT_CALLER);
}
[[gnu::used]] void linpoint_crash__tsan_read_range(void* address, std::size_t size) {
  crash::plain_range(address, size, false, LINPOINT_CALLER);
}
[[gnu::used]] void linpoint_crash__tsan_write_range(void* address, std::size_t size) {
  crash::plain_range(address, size, true, LINPOINT_CALLER);
}
#define LINPOINT_COPY(name)                                                                \
  [[gnu::used]] void* linpoint_crash##name(void* to, const void* from, std::size_t size) { \
    return crash::plain_copy(to, from, size, LINPOINT_CALLER);                             \
  }
LINPOINT_COPY(__tsan_memcpy)
LINPOINT_COPY(__tsan_memmove)
LINPOINT_COPY(__wrap_memcpy)
LINPOINT_COPY(__wrap_memmove)
#define LINPOINT_FILL(name)                                                         \
  [[gnu::used]] void* linpoint_crash##name(void* to, int value, std::size_t size) { \
    return crash::plain_fill(to, value, size, LINPOINT_CALLER);                     \
  }
LINPOINT_FILL(__tsan_memset)
LINPOINT_FILL(__wrap_memset)

// Coverage of a target that was built for crashes. It consumes no fuel: decrements would wait for each other.
asm(".text\n.globl __sanitizer_cov_trace_pc\n.type __sanitizer_cov_trace_pc, @function\n.p2align 4\n"
    "__sanitizer_cov_trace_pc:\n  cmpb $3, linpoint_crashing(%rip)\n  je linpoint__sanitizer_cov_trace_pc\n  ret\n"
    ".size __sanitizer_cov_trace_pc, .-__sanitizer_cov_trace_pc\n");
static_assert(crash::kTracing == 3);
[[gnu::used]] void linpoint__sanitizer_cov_trace_pc() {
  if (phase == Phase::kPersistent) {
    const linpoint::runtime::OutOfProgram host;
    crash::the_recorder.edge(LINPOINT_CALLER);
  }
}
LINPOINT_COMPARE(cmp1, std::uint8_t)
LINPOINT_COMPARE(cmp2, std::uint16_t)
LINPOINT_COMPARE(cmp4, std::uint32_t)
LINPOINT_COMPARE(cmp8, std::uint64_t)
LINPOINT_COMPARE(const_cmp1, std::uint8_t)
LINPOINT_COMPARE(const_cmp2, std::uint16_t)
LINPOINT_COMPARE(const_cmp4, std::uint32_t)
LINPOINT_COMPARE(const_cmp8, std::uint64_t)
void __sanitizer_cov_trace_switch(std::uint64_t value, const std::uint64_t* cases) {
  if (!crash::tracing() || phase != Phase::kPersistent) return;
  // The number of cases, their number of bits, then the cases.
  const std::uint64_t count = cases[0];
  for (std::uint64_t each = 0; each < count; ++each)
    crash::the_recorder.compare(value, cases[2 + each], LINPOINT_CALLER);
}
void __sanitizer_cov_trace_cmpf(float /*one*/, float /*other*/) {}
void __sanitizer_cov_trace_cmpd(double /*one*/, double /*other*/) {}
void __sanitizer_cov_trace_div4(std::uint32_t /*value*/) {}
void __sanitizer_cov_trace_div8(std::uint64_t /*value*/) {}
void __sanitizer_cov_trace_gep(std::uintptr_t /*index*/) {}
}
