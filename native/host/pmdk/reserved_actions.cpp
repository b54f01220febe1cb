// SPDX-License-Identifier: Apache-2.0
// Objects of libpmemobj that are reserved first and published later, several together.
#include <cerrno>
#include <cstring>

#include "host/pmdk/entry_point.hpp"
#include "host/pmdk/transactions.hpp"

// As in libpmemobj/action_base.h; its content is private to the library.
struct pobj_action {  // NOLINT(misc-use-internal-linkage): of functions that programs call
  int type;
  std::uint32_t data[3];
  struct {
    std::uint64_t offset;
    std::uint64_t usable_size;
    std::uint64_t more[12];
  } heap;
};

namespace linpoint::runtime::pmdk {

namespace {

enum ActionType : int { kHeap, kMemory };

Action read(const pobj_action& from) {
  Action action;
  action.kind = static_cast<Action::Kind>(from.data[0]);
  action.type = from.heap.more[0];
  if (action.kind == Action::Kind::kSet) {
    std::memcpy(static_cast<void*>(&action.word), &from.heap.offset, sizeof action.word);
    action.value = from.heap.usable_size;
  } else {
    action.offset = from.heap.offset;
  }
  return action;
}

void write(pobj_action& to, Action::Kind kind, std::uint64_t first, std::uint64_t second, std::uint64_t type) {
  to.type = kind == Action::Kind::kSet ? kMemory : kHeap;
  to.data[0] = static_cast<std::uint32_t>(kind);
  to.heap.offset = first;
  to.heap.usable_size = second;
  to.heap.more[0] = type;
}

Oid reserve_by(pmemobjpool* pop, pobj_action& action, std::size_t size, std::uint64_t type, bool zero,
               const void* caller) {
  const std::uint64_t offset = reserve(pop, size, zero, caller);
  if (offset == 0) return kNullOid;
  write(action, Action::Kind::kAllocate, offset, block_of(pop, offset).usable(), type);
  return oid_at(pop, offset);
}

int publish(const pobj_action* actions, std::size_t count, std::uint64_t flags, const char* function,
            const void* caller) {
  Transaction& of = working(function, caller);
  flags = flags_of(of, flags);
  if ((flags & ~kNoAbort) != 0) return failed(EINVAL, "unknown flags", flags, caller);
  for (std::size_t each = 0; each < count; ++each) of.actions.push_back(read(actions[each]));
  return 0;
}

}  // namespace

}  // namespace linpoint::runtime::pmdk

namespace pmdk = linpoint::runtime::pmdk;

extern "C" {

pmemoid pmemobj_reserve(pmemobjpool* pop, pobj_action* action, std::size_t size, std::uint64_t type) {
  LINPOINT_CALLED(pop);
  return pmdk::reserve_by(pop, *action, size, type, false, LINPOINT_CALLER);
}
pmemoid pmemobj_xreserve(pmemobjpool* pop, pobj_action* action, std::size_t size, std::uint64_t type,
                         std::uint64_t flags) {
  LINPOINT_CALLED(pop);
  if ((flags & ~(pmdk::kZero | pmdk::kClassMask | pmdk::kArenaMask)) != 0) {
    pmdk::error(EINVAL, "unknown flags");
    return pmdk::kNullOid;
  }
  return pmdk::reserve_by(pop, *action, size, type, (flags & pmdk::kZero) != 0, LINPOINT_CALLER);
}
void pmemobj_set_value(pmemobjpool* pop, pobj_action* action, std::uint64_t* word, std::uint64_t value) {
  LINPOINT_CALLED(pop);
  pmdk::write(*action, pmdk::Action::Kind::kSet, pmdk::number_of(word), value, 0);
}
void pmemobj_defer_free(pmemobjpool* pop, pmemoid oid, pobj_action* action) {
  LINPOINT_CALLED(pop);
  pmdk::check_object(pop, oid.off, __func__, LINPOINT_CALLER);
  pmdk::write(*action, pmdk::Action::Kind::kFree, oid.off, 0, 0);
}
int pmemobj_publish(pmemobjpool* pop, pobj_action* actions, std::size_t count) {
  LINPOINT_CALLED(pop);
  pmdk::AtomicSection section(pmdk::lane_of(pop).atomic, LINPOINT_CALLER);
  for (std::size_t each = 0; each < count; ++each)
    pmdk::act_in(section, pop, pmdk::read(actions[each]), LINPOINT_CALLER);
  return 0;
}
int pmemobj_tx_publish(pobj_action* actions, std::size_t count) {
  return pmdk::publish(actions, count, 0, __func__, LINPOINT_CALLER);
}
int pmemobj_tx_xpublish(pobj_action* actions, std::size_t count, std::uint64_t flags) {
  return pmdk::publish(actions, count, flags, __func__, LINPOINT_CALLER);
}
void pmemobj_cancel(pmemobjpool* pop, pobj_action* actions, std::size_t count) {
  LINPOINT_CALLED(pop);
  for (std::size_t each = 0; each < count; ++each) {
    const pmdk::Action action = pmdk::read(actions[each]);
    if (action.kind == pmdk::Action::Kind::kAllocate) pmdk::cancel(pop, action.offset, LINPOINT_CALLER);
  }
}
}
