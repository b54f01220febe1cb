// SPDX-License-Identifier: Apache-2.0
// The program's allocations and frees, and its accesses to memory that is not its own.
#include "host/interpose/process/malloc_free.hpp"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "host/core/crash_mode.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/core/program_caller.hpp"
#include "host/interpose/process/loaded_objects.hpp"
#include "host/persistent/pool.hpp"

namespace linpoint::runtime {

Arena the_heap;

namespace {

/// Blocks that the C library has allocated for the program, which may free them, such as a line that was read.
HostVector<void*> lent;

/// The C library keeps its allocations from run to run; its memory is not restored.
bool for_program(const void* caller) { return !by_host() && !system_code().contains(caller); }

HostString bytes(std::uint64_t count) {
  return HostString(std::to_string(count)) + HostString(count == 1 ? " byte" : " bytes");
}

/// Describes an access to memory that is not the program's, and the place of that memory.
HostString misuse(const char* does, std::uintptr_t address) {
  const auto block = heap().block_at(address);
  if (!block) return HostString(does) + " memory that is not allocated";
  const HostString size = " a block of " + bytes(block->size);
  const std::uint64_t offset = address - block->begin;
  if (offset < std::max<std::size_t>(block->size, 1))
    return HostString(does) + " freed memory, " + bytes(offset) + " into" + size;
  return HostString(does) + " memory that is not allocated, " + bytes(offset - block->size) + " past" + size;
}

/// Handles an allocation of `size` bytes that does not fit. A single request that is too large may be intended to fail;
/// exceeding the total would not end. If the user set a limit that the program may not know, exceeding it is not
/// evidence against the program: neither against the object of a test, nor against a program that would have got the
/// block without the limit.
void lack(std::size_t size, const void* caller) {
  errno = ENOMEM;
  const bool begins = !in_program();
  const OutOfProgram host;
  const std::uint64_t limit = options.max_memory.value_or(kMostMemory);
  const bool alone = size > limit;
  const std::string most = std::to_string(limit) + " bytes";
  if (options.max_memory && size <= kMostMemory && (alone || begins || options.scenarios >= 0))
    refuse("the program needs more memory than its share of --max-memory: its blocks may have " + most + " in all");
  if (!begins && !alone) fail(Fault::kMemory, "allocates more than " + most + " in all", caller);
}

void* taken(std::size_t size, std::size_t alignment, const void* caller) {
  Arena& arena = heap();
  if (controlled() && arena.reuses())
    library_step({.kind = Kind::kAllocate, .caller = caller},
                 {at_place(Mode::kWrite, Abstract::kWorld, Arena::capacity_of(size))});
  void* block = arena.allocate(acting_thread(), size, alignment);
  if (block == nullptr) {
    lack(size, caller);
    return nullptr;
  }
  if (controlled()) {
    if (arena.reuses()) forget_accesses(block, size);
    note({.kind = Kind::kAllocate,
          .caller = caller,
          .address = reinterpret_cast<std::uint64_t>(block),
          .size = static_cast<std::uint32_t>(size)});
    side_effect();
  }
  return block;
}

void give_back(void* block, const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  Arena& arena = heap();
  const auto known = arena.block_at(address);
  const std::size_t size = known && known->begin == address ? known->size : 1;
  // Always a step that writes the whole block: an order in which another thread still uses it must be explored.
  const StepInfo info{
      .kind = Kind::kFree, .caller = caller, .address = address, .size = static_cast<std::uint32_t>(size)};
  const Access all = at_memory(Mode::kWrite, block, std::max<std::size_t>(size, 1));
  if (arena.reuses()) {
    library_step(info, {all, at_place(Mode::kWrite, Abstract::kWorld, Arena::capacity_of(size))});
  } else {
    library_step(info, {all}, {});
  }
  if (controlled() && known && known->begin == address && known->live) plain_access(block, size, true, caller);
  const Freed freed = arena.release(block);
  if (freed == Freed::kDone || !in_program()) return;
  fail(Fault::kMemory, freed == Freed::kTwice ? "frees a block twice" : "frees a pointer that is not a block", caller);
}

}  // namespace

void* allocate(std::size_t size, std::size_t alignment, const void* caller) {
  if (for_program(caller))
    return crash::heap_is_persistent() ? crash::allocate_persistent(size, alignment, caller)
                                       : taken(size, alignment, caller);
  void* block = alignment <= Arena::kGranule ? __libc_malloc(size) : __libc_memalign(alignment, size);
  if (!by_host()) lent.push_back(block);
  return block;
}

void release(void* block, const void* caller) {
  if (block == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  if (heap().contains(address)) {
    if (!by_host()) give_back(block, caller);
    return;
  }
  if (crash::the_pool.contains(address)) {
    crash::free_persistent(block, caller);
    return;
  }
  if (controlled()) {
    const auto found = std::ranges::find(lent, block);
    if (found != lent.end()) {
      lent.erase(found);
    } else if (program_code().contains(caller)) {
      fail(Fault::kMemory, "frees a pointer that is not a block", caller);
    }
  }
  __libc_free(block);
}

namespace {

void* allocate_zeroed(std::size_t count, std::size_t size, const void* caller) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (!for_program(caller)) return __libc_calloc(count, size);
  if (crash::heap_is_persistent()) return crash::allocate_persistent(bytes, Arena::kGranule, caller);
  void* block = taken(bytes, Arena::kGranule, caller);
  if (block != nullptr && heap().reuses()) std::memset(block, 0, bytes);
  return block;
}

void* reallocate(void* block, std::size_t size, const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  if (block == nullptr) return allocate(size, Arena::kGranule, caller);
  if (crash::the_pool.contains(address)) {
    void* moved = allocate(size, Arena::kGranule, caller);
    if (moved == nullptr) return nullptr;
    crash::plain_copy(moved, block, std::min(size, crash::the_pool.size_of(address)), caller);
    release(block, caller);
    return moved;
  }
  if (!heap().contains(address)) return __libc_realloc(block, size);
  const auto known = heap().block_at(address);
  if (!known || known->begin != address || !known->live) {
    release(block, caller);
    return nullptr;
  }
  void* moved = taken(size, Arena::kGranule, caller);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(size, known->size));
  release(block, caller);
  return moved;
}

}  // namespace

void restore_heap() {
  heap().restore();
  lent.clear();
}

namespace library {

Range arena() { return {heap().begin(), heap().end()}; }

void check(const volatile void* address, std::size_t size, bool writes, const void* caller) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (!heap().contains(begin) || !heap().misused(begin, size)) return;
  const OutOfProgram host;
  fail(Fault::kMemory, misuse(writes ? "writes" : "reads", begin), caller);
}

bool block_of(std::uint64_t address, Block& block) {
  const auto known = heap().block_at(address);
  if (!known || address >= known->begin + std::max<std::size_t>(known->size, 1)) return false;
  block = {known->number, address - known->begin, known->size};
  return true;
}

}  // namespace library

}  // namespace linpoint::runtime

// ---- The names of the C library -------------------------------------------------------------------------------------

using linpoint::runtime::allocate;
using linpoint::runtime::Arena;
using linpoint::runtime::release;

extern "C" {

void* malloc(std::size_t size) { return allocate(size, Arena::kGranule, LINPOINT_CALLER); }
void free(void* block) { release(block, LINPOINT_CALLER); }
void* calloc(std::size_t count, std::size_t size) {
  return linpoint::runtime::allocate_zeroed(count, size, LINPOINT_CALLER);
}
void* realloc(void* block, std::size_t size) { return linpoint::runtime::reallocate(block, size, LINPOINT_CALLER); }
void* memalign(std::size_t alignment, std::size_t size) { return allocate(size, alignment, LINPOINT_CALLER); }
void* aligned_alloc(std::size_t alignment, std::size_t size) { return allocate(size, alignment, LINPOINT_CALLER); }
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = allocate(size, alignment, LINPOINT_CALLER);
  return *block == nullptr ? ENOMEM : 0;
}
std::size_t malloc_usable_size(void* block) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const auto known = linpoint::runtime::heap().block_at(address);
  if (known) return known->size;
  if (linpoint::runtime::crash::the_pool.contains(address)) return linpoint::runtime::crash::the_pool.size_of(address);
  static constinit linpoint::runtime::Real<std::size_t(void*)> next("malloc_usable_size");
  return next(block);
}
char* strdup(const char* text) {
  const std::size_t size = std::strlen(text) + 1;
  void* copy = allocate(size, Arena::kGranule, LINPOINT_CALLER);
  return copy == nullptr ? nullptr : static_cast<char*>(std::memcpy(copy, text, size));
}
char* strndup(const char* text, std::size_t most) {
  const std::size_t size = ::strnlen(text, most);
  auto* copy = static_cast<char*>(allocate(size + 1, Arena::kGranule, LINPOINT_CALLER));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}
}

namespace {

void* allocate_or_throw(std::size_t size, std::size_t alignment, const void* caller) {
  void* block = allocate(size, alignment, caller);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

constexpr std::size_t aligned(std::align_val_t alignment) {
  return std::max(static_cast<std::size_t>(alignment), Arena::kGranule);
}

}  // namespace

// The C++ operators are defined here too, since their caller is in the program, whereas malloc would be called by the
// library.
void* operator new(std::size_t size) { return allocate_or_throw(size, Arena::kGranule, LINPOINT_CALLER); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, Arena::kGranule, LINPOINT_CALLER); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(size, Arena::kGranule, LINPOINT_CALLER);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(size, Arena::kGranule, LINPOINT_CALLER);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, aligned(alignment), LINPOINT_CALLER);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, aligned(alignment), LINPOINT_CALLER);
}
void operator delete(void* block) noexcept { release(block, LINPOINT_CALLER); }
void operator delete[](void* block) noexcept { release(block, LINPOINT_CALLER); }
void operator delete(void* block, std::size_t /*size*/) noexcept { release(block, LINPOINT_CALLER); }
void operator delete[](void* block, std::size_t /*size*/) noexcept { release(block, LINPOINT_CALLER); }
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept { release(block, LINPOINT_CALLER); }
void operator delete[](void* block, std::align_val_t /*alignment*/) noexcept { release(block, LINPOINT_CALLER); }
void operator delete(void* block, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  release(block, LINPOINT_CALLER);
}
void operator delete[](void* block, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  release(block, LINPOINT_CALLER);
}
void operator delete(void* block, const std::nothrow_t& /*tag*/) noexcept { release(block, LINPOINT_CALLER); }
void operator delete[](void* block, const std::nothrow_t& /*tag*/) noexcept { release(block, LINPOINT_CALLER); }
