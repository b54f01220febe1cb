// SPDX-License-Identifier: Apache-2.0
// Allocation by functions that take effect entirely or not at all, the root, and the flush functions of libpmemobj.
//
// A constructor must flush its own stores, as in the real library; they are fenced before the object exists.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <cwchar>

#include "host/pmdk/entry_point.hpp"
#include "host/pmdk/object_heap.hpp"
#include "host/pmdk/pool_files.hpp"

namespace linpoint::runtime::pmdk {

namespace {

struct Wanted {
  std::size_t size = 0;
  std::uint64_t type = 0;
  bool zero = false;
  Constructor constructor = nullptr;
  void* argument = nullptr;
};

/// Reserves and constructs an object; 0, with errno set, if that fails.
std::uint64_t construct(pmemobjpool* pop, const Wanted& wanted, const void* caller) {
  const std::uint64_t offset = reserve(pop, wanted.size, wanted.zero, caller);
  if (offset == 0 || wanted.constructor == nullptr) return offset;
  if (wanted.constructor(pop, at_offset(pop, offset), wanted.argument) == 0) return offset;
  cancel(pop, offset, caller);
  error(ECANCELED, "the constructor failed");
  return 0;
}

int allocate(pmemobjpool* pop, Oid* oid, const Wanted& wanted, const void* caller) {
  const std::uint64_t offset = construct(pop, wanted, caller);
  if (offset == 0) return -1;
  AtomicSection section(lane_of(pop).atomic, caller);
  allocate_in(section, pop, offset, wanted.type);
  if (oid != nullptr) section.set(*oid, oid_at(pop, offset));
  return 0;
}

/// Copies the first bytes of another object to it, and flushes them.
void move_object(pmemobjpool* pop, std::uint64_t to, std::uint64_t from, std::size_t size, const void* caller) {
  copy(at_offset(pop, to), at_offset(pop, from), size, caller);
  persist(at_offset(pop, to), size, kOwn);
}

void free_object(pmemobjpool* pop, Oid& oid, const char* function, const void* caller) {
  check_object(pop, oid.off, function, caller);
  AtomicSection section(lane_of(pop).atomic, caller);
  free_in(section, pop, oid.off, caller);
  section.set(oid, kNullOid);
}

int reallocate(pmemobjpool* pop, Oid& oid, const Wanted& wanted, const char* function, const void* caller) {
  if (oid.off == 0) {
    if (wanted.size == 0) return 0;
    return allocate(pop, &oid, {wanted.size, wanted.type, true}, caller);
  }
  if (wanted.size == 0) {
    free_object(pop, oid, function, caller);
    return 0;
  }
  check_object(pop, oid.off, function, caller);
  const std::uint64_t before = oid.off;
  const std::uint64_t usable = block_of(pop, before).usable();
  // Otherwise it moves, even to a smaller block.
  if (wanted.size == usable) return 0;
  const std::uint64_t offset = reserve(pop, wanted.size, false, caller);
  if (offset == 0) return -1;
  const std::uint64_t now = block_of(pop, offset).usable();
  if (wanted.zero && now > usable) {
    auto* more = static_cast<std::byte*>(at_offset(pop, offset)) + usable;
    fill(more, 0, now - usable, caller);
    persist(more, now - usable, kOwn);
  }
  move_object(pop, offset, before, std::min<std::uint64_t>(usable, wanted.size), caller);
  AtomicSection section(lane_of(pop).atomic, caller);
  allocate_in(section, pop, offset, wanted.type);
  free_in(section, pop, before, caller);
  section.set(oid.off, offset);
  return 0;
}

Oid root(pmemobjpool* pop, const Wanted& wanted, const void* caller) {
  PoolHeader& header = header_of(pop);
  if (wanted.size == 0 && header.root == 0) {
    error(EINVAL, "requested size cannot equals zero");
    return kNullOid;
  }
  if (wanted.size <= header.root_size) return oid_at(pop, header.root);
  // A larger root begins with the content of the smaller one, and its constructor runs again.
  const std::uint64_t before = header.root;
  const std::uint64_t offset = reserve(pop, wanted.size, true, caller);
  if (offset == 0) return kNullOid;
  if (before != 0) move_object(pop, offset, before, header.root_size, caller);
  if (wanted.constructor != nullptr && wanted.constructor(pop, at_offset(pop, offset), wanted.argument) != 0) {
    cancel(pop, offset, caller);
    error(ECANCELED, "the constructor failed");
    return kNullOid;
  }
  {
    AtomicSection section(lane_of(pop).atomic, caller);
    allocate_in(section, pop, offset, 0, BlockState::kRoot);
    if (before != 0) free_in(section, pop, before, caller);
    section.set(header.root, offset);
    section.set(header.root_size, wanted.size);
  }
  return oid_at(pop, offset);
}

struct Text {
  const void* bytes = nullptr;
  std::size_t size = 0;
  const void* caller = nullptr;
};

int copy_text(pmemobjpool* /*pop*/, void* block, void* argument) {
  const auto& text = *static_cast<const Text*>(argument);
  copy(block, text.bytes, text.size, text.caller);
  persist(block, text.size, kOwn);
  return 0;
}

int duplicate(pmemobjpool* pop, Oid* oid, Text text, std::uint64_t type) {
  return allocate(pop, oid, {text.size, type, false, copy_text, &text}, text.caller);
}

}  // namespace

}  // namespace linpoint::runtime::pmdk

namespace pmdk = linpoint::runtime::pmdk;

extern "C" {

int pmemobj_alloc(pmemobjpool* pop, pmemoid* oid, std::size_t size, std::uint64_t type, pmdk::Constructor constructor,
                  void* argument) {
  LINPOINT_CALLED(pop);
  return pmdk::allocate(pop, oid, {size, type, false, constructor, argument}, LINPOINT_CALLER);
}
int pmemobj_xalloc(pmemobjpool* pop, pmemoid* oid, std::size_t size, std::uint64_t type, std::uint64_t flags,
                   pmdk::Constructor constructor, void* argument) {
  LINPOINT_CALLED(pop);
  if ((flags & ~(pmdk::kZero | pmdk::kClassMask | pmdk::kArenaMask)) != 0) return pmdk::error(EINVAL, "unknown flags");
  return pmdk::allocate(pop, oid, {size, type, (flags & pmdk::kZero) != 0, constructor, argument}, LINPOINT_CALLER);
}
int pmemobj_zalloc(pmemobjpool* pop, pmemoid* oid, std::size_t size, std::uint64_t type) {
  LINPOINT_CALLED(pop);
  return pmdk::allocate(pop, oid, {size, type, true}, LINPOINT_CALLER);
}
int pmemobj_realloc(pmemobjpool* pop, pmemoid* oid, std::size_t size, std::uint64_t type) {
  LINPOINT_CALLED(pop);
  return pmdk::reallocate(pop, *oid, {size, type, false}, __func__, LINPOINT_CALLER);
}
int pmemobj_zrealloc(pmemobjpool* pop, pmemoid* oid, std::size_t size, std::uint64_t type) {
  LINPOINT_CALLED(pop);
  return pmdk::reallocate(pop, *oid, {size, type, true}, __func__, LINPOINT_CALLER);
}
int pmemobj_strdup(pmemobjpool* pop, pmemoid* oid, const char* text, std::uint64_t type) {
  LINPOINT_CALLED(pop);
  if (text == nullptr) return pmdk::error(EINVAL, "cannot duplicate NULL string");
  return pmdk::duplicate(pop, oid, {text, std::strlen(text) + 1, LINPOINT_CALLER}, type);
}
int pmemobj_wcsdup(pmemobjpool* pop, pmemoid* oid, const wchar_t* text, std::uint64_t type) {
  LINPOINT_CALLED(pop);
  if (text == nullptr) return pmdk::error(EINVAL, "cannot duplicate NULL string");
  return pmdk::duplicate(pop, oid, {text, (std::wcslen(text) + 1) * sizeof(wchar_t), LINPOINT_CALLER}, type);
}
void pmemobj_free(pmemoid* oid) {
  pmdk::called(__func__, LINPOINT_CALLER);
  if (oid->off == 0) return;
  pmemobjpool* pop = pmdk::pool_of(*oid);
  pmdk::check_open(pop, __func__, LINPOINT_CALLER);
  pmdk::free_object(pop, *oid, __func__, LINPOINT_CALLER);
}
std::size_t pmemobj_alloc_usable_size(pmemoid oid) {
  pmdk::called(__func__, LINPOINT_CALLER);
  if (oid.off == 0) return 0;
  pmemobjpool* pop = pmdk::pool_of(oid);
  pmdk::check_open(pop, __func__, LINPOINT_CALLER);
  pmdk::check_object(pop, oid.off, __func__, LINPOINT_CALLER);
  return pmdk::block_of(pop, oid.off).usable();
}

pmemoid pmemobj_root_construct(pmemobjpool* pop, std::size_t size, pmdk::Constructor constructor, void* argument) {
  LINPOINT_CALLED(pop);
  return pmdk::root(pop, {size, 0, true, constructor, argument}, LINPOINT_CALLER);
}
pmemoid pmemobj_root(pmemobjpool* pop, std::size_t size) {
  LINPOINT_CALLED(pop);
  return pmdk::root(pop, {size, 0, true}, LINPOINT_CALLER);
}
std::size_t pmemobj_root_size(pmemobjpool* pop) {
  LINPOINT_CALLED(pop);
  return pmdk::header_of(pop).root_size;
}

pmemoid pmemobj_first(pmemobjpool* pop) {
  LINPOINT_CALLED(pop);
  return pmdk::oid_at(pop, pmdk::next_object(pop, 0));
}
pmemoid pmemobj_next(pmemoid oid) {
  pmdk::called(__func__, LINPOINT_CALLER);
  if (oid.off == 0) return pmdk::kNullOid;
  pmemobjpool* pop = pmdk::pool_of(oid);
  pmdk::check_open(pop, __func__, LINPOINT_CALLER);
  pmdk::check_object(pop, oid.off, __func__, LINPOINT_CALLER);
  return pmdk::oid_at(pop, pmdk::next_object(pop, oid.off));
}
std::uint64_t pmemobj_type_num(pmemoid oid) {
  pmdk::called(__func__, LINPOINT_CALLER);
  pmemobjpool* pop = pmdk::pool_of(oid);
  pmdk::check_open(pop, __func__, LINPOINT_CALLER);
  pmdk::check_object(pop, oid.off, __func__, LINPOINT_CALLER);
  return pmdk::block_of(pop, oid.off).type;
}

void pmemobj_persist(pmemobjpool* pop, const void* address, std::size_t size) {
  LINPOINT_CALLED(pop);
  pmdk::persist(address, size, LINPOINT_CALLER);
}
int pmemobj_xpersist(pmemobjpool* pop, const void* address, std::size_t size, unsigned /*flags*/) {
  LINPOINT_CALLED(pop);
  pmdk::persist(address, size, LINPOINT_CALLER);
  return 0;
}
void pmemobj_flush(pmemobjpool* pop, const void* address, std::size_t size) {
  LINPOINT_CALLED(pop);
  pmdk::flush(address, size, LINPOINT_CALLER);
}
int pmemobj_xflush(pmemobjpool* pop, const void* address, std::size_t size, unsigned /*flags*/) {
  LINPOINT_CALLED(pop);
  pmdk::flush(address, size, LINPOINT_CALLER);
  return 0;
}
void pmemobj_drain(pmemobjpool* pop) {
  LINPOINT_CALLED(pop);
  pmdk::fence(LINPOINT_CALLER);
}
void* pmemobj_memcpy(pmemobjpool* pop, void* to, const void* from, std::size_t size, unsigned flags) {
  LINPOINT_CALLED(pop);
  return pmdk::copy_by_flags(to, from, size, flags, LINPOINT_CALLER);
}
void* pmemobj_memmove(pmemobjpool* pop, void* to, const void* from, std::size_t size, unsigned flags) {
  LINPOINT_CALLED(pop);
  return pmdk::copy_by_flags(to, from, size, flags, LINPOINT_CALLER);
}
void* pmemobj_memset(pmemobjpool* pop, void* to, int value, std::size_t size, unsigned flags) {
  LINPOINT_CALLED(pop);
  return pmdk::fill_by_flags(to, value, size, flags, LINPOINT_CALLER);
}
void* pmemobj_memcpy_persist(pmemobjpool* pop, void* to, const void* from, std::size_t size) {
  LINPOINT_CALLED(pop);
  return pmdk::copy_by_flags(to, from, size, 0, LINPOINT_CALLER);
}
void* pmemobj_memset_persist(pmemobjpool* pop, void* to, int value, std::size_t size) {
  LINPOINT_CALLED(pop);
  return pmdk::fill_by_flags(to, value, size, 0, LINPOINT_CALLER);
}
}
