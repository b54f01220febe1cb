// SPDX-License-Identifier: Apache-2.0
// Lists of libpmemobj: circular and doubly linked; each function takes effect entirely or not at all.
#include <cerrno>

#include "host/pmdk/entry_point.hpp"
#include "host/pmdk/object_heap.hpp"
#include "host/pmdk/transactions.hpp"

namespace linpoint::runtime::pmdk {

namespace {

/// With the layout of POBJ_LIST_ENTRY and POBJ_LIST_HEAD.
struct Entry {
  Oid next;
  Oid previous;
};
struct Head {
  Oid first;
  alignas(8) std::array<std::byte, kLockSize> lock;
};

/// One list while it is changed.
class List {
 public:
  List(AtomicSection& section, pmemobjpool* pop, std::size_t entry_offset, Head& head)
      : section_(section), pop_(pop), entry_offset_(entry_offset), head_(head) {}

  /// `place`: the element to insert before or after; null is the end of the list selected by `before`.
  void insert(Oid oid, Oid place, bool before) {
    const Oid first = section_.value_of(head_.first);
    if (first.off == 0) {
      link(oid, oid);
      section_.set(head_.first, oid);
      return;
    }
    if (place.off == 0) place = before ? first : section_.value_of(entry(first).previous);
    const Oid next = before ? place : section_.value_of(entry(place).next);
    const Oid previous = before ? section_.value_of(entry(place).previous) : place;
    link(previous, oid);
    link(oid, next);
    if (before && place.off == first.off) section_.set(head_.first, oid);
  }

  void remove(Oid oid) {
    const Oid next = section_.value_of(entry(oid).next);
    if (next.off == oid.off) {
      section_.set(head_.first, kNullOid);
    } else {
      link(section_.value_of(entry(oid).previous), next);
      if (section_.value_of(head_.first).off == oid.off) section_.set(head_.first, next);
    }
    section_.set(entry(oid).next.off, 0);
    section_.set(entry(oid).previous.off, 0);
  }

 private:
  Entry& entry(Oid oid) { return *static_cast<Entry*>(at_offset(pop_, oid.off + entry_offset_)); }
  void link(Oid previous, Oid next) {
    section_.set(entry(previous).next, next);
    section_.set(entry(next).previous, previous);
  }

  AtomicSection& section_;
  pmemobjpool* pop_;
  std::size_t entry_offset_;
  Head& head_;
};

/// The lock of a list while it is changed.
class Locked {
 public:
  Locked(pmemobjpool* pop, Head& head) : pop_(pop), head_(head), error_(take(pop, kMutex, &head.lock)) {}
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    if (error_ == 0) give_back(pop_, kMutex, &head_.lock);
  }
  [[nodiscard]] int error() const { return error_; }

 private:
  pmemobjpool* pop_;
  Head& head_;
  int error_;
};

Head& as_head(void* head) { return *static_cast<Head*>(head); }

}  // namespace

}  // namespace linpoint::runtime::pmdk

namespace pmdk = linpoint::runtime::pmdk;

extern "C" {

int pmemobj_list_insert(pmemobjpool* pop, std::size_t entry_offset, void* head, pmemoid place, int before,
                        pmemoid oid) {
  LINPOINT_CALLED(pop);
  pmdk::check_object(pop, oid.off, __func__, LINPOINT_CALLER);
  const pmdk::Locked locked(pop, pmdk::as_head(head));
  if (locked.error() != 0) return pmdk::error(locked.error(), "the lock of the list cannot be taken");
  pmdk::AtomicSection section(pmdk::lane_of(pop).atomic, LINPOINT_CALLER);
  pmdk::List(section, pop, entry_offset, pmdk::as_head(head)).insert(oid, place, before != 0);
  return 0;
}

pmemoid pmemobj_list_insert_new(pmemobjpool* pop, std::size_t entry_offset, void* head, pmemoid place, int before,
                                std::size_t size, std::uint64_t type, pmdk::Constructor constructor, void* argument) {
  LINPOINT_CALLED(pop);
  const pmdk::Locked locked(pop, pmdk::as_head(head));
  if (locked.error() != 0) {
    pmdk::error(locked.error(), "the lock of the list cannot be taken");
    return pmdk::kNullOid;
  }
  const std::uint64_t offset = pmdk::reserve(pop, size, false, LINPOINT_CALLER);
  if (offset == 0) return pmdk::kNullOid;
  if (constructor != nullptr && constructor(pop, pmdk::at_offset(pop, offset), argument) != 0) {
    pmdk::cancel(pop, offset, LINPOINT_CALLER);
    pmdk::error(ECANCELED, "the constructor failed");
    return pmdk::kNullOid;
  }
  const pmemoid oid = pmdk::oid_at(pop, offset);
  pmdk::AtomicSection section(pmdk::lane_of(pop).atomic, LINPOINT_CALLER);
  pmdk::allocate_in(section, pop, offset, type);
  pmdk::List(section, pop, entry_offset, pmdk::as_head(head)).insert(oid, place, before != 0);
  return oid;
}

int pmemobj_list_remove(pmemobjpool* pop, std::size_t entry_offset, void* head, pmemoid oid, int free) {
  LINPOINT_CALLED(pop);
  pmdk::check_object(pop, oid.off, __func__, LINPOINT_CALLER);
  const pmdk::Locked locked(pop, pmdk::as_head(head));
  if (locked.error() != 0) return pmdk::error(locked.error(), "the lock of the list cannot be taken");
  pmdk::AtomicSection section(pmdk::lane_of(pop).atomic, LINPOINT_CALLER);
  pmdk::List(section, pop, entry_offset, pmdk::as_head(head)).remove(oid);
  if (free != 0) pmdk::free_in(section, pop, oid.off, LINPOINT_CALLER);
  return 0;
}

int pmemobj_list_move(pmemobjpool* pop, std::size_t old_offset, void* old_head, std::size_t new_offset, void* new_head,
                      pmemoid place, int before, pmemoid oid) {
  LINPOINT_CALLED(pop);
  pmdk::check_object(pop, oid.off, __func__, LINPOINT_CALLER);
  if (place.off == oid.off) return 0;
  void* const first = old_head < new_head ? old_head : new_head;
  void* const second = old_head < new_head ? new_head : old_head;
  const pmdk::Locked locked(pop, pmdk::as_head(first));
  int number = locked.error();
  if (number == 0 && first != second) number = pmdk::take(pop, pmdk::kMutex, &pmdk::as_head(second).lock);
  if (number != 0) return pmdk::error(number, "the lock of a list cannot be taken");
  {
    pmdk::AtomicSection section(pmdk::lane_of(pop).atomic, LINPOINT_CALLER);
    pmdk::List(section, pop, old_offset, pmdk::as_head(old_head)).remove(oid);
    pmdk::List(section, pop, new_offset, pmdk::as_head(new_head)).insert(oid, place, before != 0);
  }
  if (first != second) pmdk::give_back(pop, pmdk::kMutex, &pmdk::as_head(second).lock);
  return 0;
}
}
