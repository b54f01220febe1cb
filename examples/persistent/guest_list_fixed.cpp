// SPDX-License-Identifier: Apache-2.0
// guest_list.cpp with the fix: no link leads to a guest that is not durable.
//
// Run: linpoint crash guest_list_fixed.cpp --spec set
// Exit code: 0
#include <immintrin.h>

#include <linpoint/crash.hpp>
#include <mutex>

namespace {

struct Guest {
  int number;
  Guest* next;
};

// Writes a cache line back, and waits until that is done.
__attribute__((target("clwb"))) void persist(const void* address) {
  _mm_clwb(const_cast<void*>(address));
  _mm_sfence();
}

class GuestList {
 public:
  // The first start: a pool of zeros. The root is a single pointer stored in the pool.
  static GuestList* create(linpoint::Pool& pool) {
    pool.set_root(pool.allocate(sizeof(Guest*)));
    return new GuestList(pool);
  }
  // After a crash: durable data is present, at the same addresses.
  static GuestList* recover(linpoint::Pool& pool) { return new GuestList(pool); }

  bool add(int number) {
    const std::scoped_lock guard(lock_);  // so that no other thread sees data that is not yet durable
    if (is_in(number)) return false;
    auto* guest = static_cast<Guest*>(pool_->allocate(sizeof(Guest)));
    guest->number = number;
    guest->next = *first_;
    // Blocks of the pool start at a cache line, and this one fits into one line.
    persist(guest);
    *first_ = guest;
    persist(static_cast<const void*>(first_));
    return true;
  }

  bool contains(int number) {
    const std::scoped_lock guard(lock_);
    return is_in(number);
  }

 private:
  explicit GuestList(linpoint::Pool& pool) : pool_(&pool), first_(static_cast<Guest**>(pool.root())) {}

  [[nodiscard]] bool is_in(int number) const {
    for (const Guest* each = *first_; each != nullptr; each = each->next)
      if (each->number == number) return true;
    return false;
  }

  linpoint::Pool* pool_;
  Guest** first_;
  std::mutex lock_;
};

}  // namespace

LINPOINT_CRASH_TEST(GuestList, add, contains)
