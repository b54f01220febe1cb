// SPDX-License-Identifier: Apache-2.0
// Operations within transactions of libpmemobj: adding ranges, allocating and freeing objects.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <cwchar>

#include "host/core/crash_mode.hpp"
#include "host/core/program_caller.hpp"
#include "host/persistent/pool_trace_recorder.hpp"
#include "host/pmdk/transactions.hpp"

namespace linpoint::runtime::pmdk {

namespace {

constexpr std::uint64_t kAddFlags = kNoFlush | kNoSnapshot | kAssumeInitialized | kNoAbort;
constexpr std::uint64_t kAllocateFlags = kZero | kNoFlush | kArenaMask | kClassMask | kNoAbort;

int add(Transaction& of, std::uint64_t offset, std::size_t size, std::uint64_t flags, const void* caller) {
  if ((flags & ~kAddFlags) != 0) return failed(EINVAL, "unknown flags", flags, caller);
  const std::uint64_t limit = header_of(of.pop).size;
  if (offset < PoolHeader::kSize || offset > limit || size > limit - offset)
    return failed(EINVAL, "object outside of heap", flags, caller);
  // Its bytes are read, as by the program.
  if ((flags & kNoSnapshot) == 0) crash::plain_range(at_offset(of.pop, offset), size, false, caller);
  of.add(offset, offset + size, (flags & kNoSnapshot) == 0, (flags & kNoFlush) == 0, caller);
  return 0;
}

int add(Transaction& of, Oid oid, std::uint64_t offset, std::size_t size, std::uint64_t flags, const char* function,
        const void* caller) {
  if (oid.pool_uuid_lo != header_of(of.pop).uuid) return failed(EINVAL, "invalid pool uuid", flags, caller);
  check_object(of.pop, oid.off, function, caller);
  return add(of, oid.off + offset, size, flags, caller);
}

int add(Transaction& of, const void* address, std::size_t size, std::uint64_t flags, const void* caller) {
  if (offset_of(of.pop, address) >= header_of(of.pop).size)
    return failed(EINVAL, "object outside of pool", flags, caller);
  return add(of, offset_of(of.pop, address), size, flags, caller);
}

Oid allocate(Transaction& of, std::size_t size, std::uint64_t type, std::uint64_t flags, const void* caller) {
  if ((flags & ~kAllocateFlags) != 0) {
    failed(EINVAL, "unknown flags", flags, caller);
    return kNullOid;
  }
  const std::uint64_t offset = reserve(of.pop, size, (flags & kZero) != 0, caller);
  if (offset == 0) {
    failed(size == 0 ? EINVAL : ENOMEM, size == 0 ? "allocation with size 0" : "out of memory", flags, caller);
    return kNullOid;
  }
  of.actions.push_back({Action::Kind::kAllocate, offset, type});
  of.add(offset, offset + block_of(of.pop, offset).usable(), false, (flags & kNoFlush) == 0, caller);
  return oid_at(of.pop, offset);
}

Oid duplicate(Transaction& of, const void* text, std::size_t size, std::uint64_t type, std::uint64_t flags,
              const void* caller) {
  if (text == nullptr) {
    failed(EINVAL, "cannot duplicate NULL string", flags, caller);
    return kNullOid;
  }
  const Oid oid = allocate(of, size, type, flags, caller);
  if (oid.off != 0) copy(at_offset(of.pop, oid.off), text, size, caller);
  return oid;
}

int free(Transaction& of, Oid oid, std::uint64_t flags, const char* function, const void* caller) {
  if ((flags & ~kNoAbort) != 0) return failed(EINVAL, "unknown flags", flags, caller);
  if (oid.off == 0) return 0;
  if (oid.pool_uuid_lo != header_of(of.pop).uuid) return failed(EINVAL, "invalid pool uuid", flags, caller);
  check_object(of.pop, oid.off, function, caller);
  const auto known = std::ranges::find(of.actions, oid.off, &Action::offset);
  if (known == of.actions.end()) {
    of.actions.push_back({Action::Kind::kFree, oid.off, 0});
    return 0;
  }
  if (known->kind == Action::Kind::kFree) {
    const OutOfProgram host;
    fail(Fault::kMemory, "an object is freed twice in a transaction", caller);
  }
  // It was allocated by this transaction: then it never existed.
  of.actions.erase(known);
  const std::uint64_t end = oid.off + block_of(of.pop, oid.off).usable();
  std::erase_if(of.ranges, [=](const Transaction::Range& range) { return range.begin >= oid.off && range.end <= end; });
  cancel(of.pop, oid.off, caller);
  return 0;
}

Oid reallocate(Transaction& of, Oid oid, std::size_t size, std::uint64_t type, bool zero, const char* function,
               const void* caller) {
  const std::uint64_t flags = flags_of(of, 0);
  const std::uint64_t more = flags | (zero ? kZero : 0);
  if (oid.off == 0) return allocate(of, size, type, more, caller);
  if (size == 0) return free(of, oid, flags, function, caller) == 0 ? kNullOid : oid;
  check_object(of.pop, oid.off, function, caller);
  const std::size_t kept = std::min<std::size_t>(block_of(of.pop, oid.off).usable(), size);
  const Oid made = allocate(of, size, type, more, caller);
  if (made.off == 0) return made;
  copy(at_offset(of.pop, made.off), at_offset(of.pop, oid.off), kept, caller);
  return free(of, oid, flags, function, caller) == 0 ? made : kNullOid;
}

}  // namespace

}  // namespace linpoint::runtime::pmdk

namespace pmdk = linpoint::runtime::pmdk;

#define LINPOINT_WORKING pmdk::Transaction& of = pmdk::working(__func__, LINPOINT_CALLER)

extern "C" {

int pmemobj_tx_add_range(pmemoid oid, std::uint64_t offset, std::size_t size) {
  LINPOINT_WORKING;
  return pmdk::add(of, oid, offset, size, pmdk::flags_of(of, 0), __func__, LINPOINT_CALLER);
}
int pmemobj_tx_xadd_range(pmemoid oid, std::uint64_t offset, std::size_t size, std::uint64_t flags) {
  LINPOINT_WORKING;
  return pmdk::add(of, oid, offset, size, pmdk::flags_of(of, flags), __func__, LINPOINT_CALLER);
}
int pmemobj_tx_add_range_direct(const void* address, std::size_t size) {
  LINPOINT_WORKING;
  return pmdk::add(of, address, size, pmdk::flags_of(of, 0), LINPOINT_CALLER);
}
int pmemobj_tx_xadd_range_direct(const void* address, std::size_t size, std::uint64_t flags) {
  LINPOINT_WORKING;
  return pmdk::add(of, address, size, pmdk::flags_of(of, flags), LINPOINT_CALLER);
}

pmemoid pmemobj_tx_alloc(std::size_t size, std::uint64_t type) {
  LINPOINT_WORKING;
  return pmdk::allocate(of, size, type, pmdk::flags_of(of, 0), LINPOINT_CALLER);
}
pmemoid pmemobj_tx_zalloc(std::size_t size, std::uint64_t type) {
  LINPOINT_WORKING;
  return pmdk::allocate(of, size, type, pmdk::flags_of(of, pmdk::kZero), LINPOINT_CALLER);
}
pmemoid pmemobj_tx_xalloc(std::size_t size, std::uint64_t type, std::uint64_t flags) {
  LINPOINT_WORKING;
  return pmdk::allocate(of, size, type, pmdk::flags_of(of, flags), LINPOINT_CALLER);
}
pmemoid pmemobj_tx_realloc(pmemoid oid, std::size_t size, std::uint64_t type) {
  LINPOINT_WORKING;
  return pmdk::reallocate(of, oid, size, type, false, __func__, LINPOINT_CALLER);
}
pmemoid pmemobj_tx_zrealloc(pmemoid oid, std::size_t size, std::uint64_t type) {
  LINPOINT_WORKING;
  return pmdk::reallocate(of, oid, size, type, true, __func__, LINPOINT_CALLER);
}
pmemoid pmemobj_tx_xstrdup(const char* text, std::uint64_t type, std::uint64_t flags) {
  LINPOINT_WORKING;
  const std::size_t size = text == nullptr ? 0 : std::strlen(text) + 1;
  return pmdk::duplicate(of, text, size, type, pmdk::flags_of(of, flags), LINPOINT_CALLER);
}
pmemoid pmemobj_tx_strdup(const char* text, std::uint64_t type) {
  LINPOINT_WORKING;
  const std::size_t size = text == nullptr ? 0 : std::strlen(text) + 1;
  return pmdk::duplicate(of, text, size, type, pmdk::flags_of(of, 0), LINPOINT_CALLER);
}
pmemoid pmemobj_tx_xwcsdup(const wchar_t* text, std::uint64_t type, std::uint64_t flags) {
  LINPOINT_WORKING;
  const std::size_t size = text == nullptr ? 0 : (std::wcslen(text) + 1) * sizeof(wchar_t);
  return pmdk::duplicate(of, text, size, type, pmdk::flags_of(of, flags), LINPOINT_CALLER);
}
pmemoid pmemobj_tx_wcsdup(const wchar_t* text, std::uint64_t type) {
  LINPOINT_WORKING;
  const std::size_t size = text == nullptr ? 0 : (std::wcslen(text) + 1) * sizeof(wchar_t);
  return pmdk::duplicate(of, text, size, type, pmdk::flags_of(of, 0), LINPOINT_CALLER);
}
int pmemobj_tx_free(pmemoid oid) {
  LINPOINT_WORKING;
  return pmdk::free(of, oid, pmdk::flags_of(of, 0), __func__, LINPOINT_CALLER);
}
int pmemobj_tx_xfree(pmemoid oid, std::uint64_t flags) {
  LINPOINT_WORKING;
  return pmdk::free(of, oid, pmdk::flags_of(of, flags), __func__, LINPOINT_CALLER);
}

// The journal has room for everything, so log buffers have no effect.
int pmemobj_tx_log_append_buffer(int /*type*/, void* /*address*/, std::size_t /*size*/) {
  (void)pmdk::working(__func__, LINPOINT_CALLER);
  return 0;
}
int pmemobj_tx_xlog_append_buffer(int /*type*/, void* /*address*/, std::size_t /*size*/, std::uint64_t /*flags*/) {
  (void)pmdk::working(__func__, LINPOINT_CALLER);
  return 0;
}
int pmemobj_tx_log_auto_alloc(int /*type*/, int /*on*/) {
  (void)pmdk::working(__func__, LINPOINT_CALLER);
  return 0;
}
}
