// SPDX-License-Identifier: Apache-2.0
// Arrays with names, in the manner of PMDK's example: they are allocated, grow, shrink and are freed.
//
// zoo: spec=map flags=-lpmemobj kind=BUG_ALLOC:DL1,DL2 BUG_REALLOC:DL1,DL2
// scenario: BUG_ALLOC put(1, 3)
// scenario: BUG_REALLOC put(1, 3); put(1, 40)
//
// put creates or resizes an array of the given size, whose elements are their own indices; get returns the size. An
// object that describes an array is found by its type, so it is visible as soon as it is allocated. BUG_ALLOC is the
// bug of the example, as Durinn reports it: its fields are filled in later, one by one. BUG_REALLOC is similar: the
// elements have moved, and the old ones are freed, before the object is updated.
#include <libpmemobj.h>

#include <linpoint/crash.hpp>
#include <optional>

namespace {

struct Description {
  uint64_t name;
  uint64_t size;
  PMEMoid elements;
};

constexpr uint64_t kDescription = 1;
constexpr uint64_t kElements = 2;
constexpr int kTorn = -1;

class Arrays {
 public:
  static Arrays* create(linpoint::Pool& /*pool*/) {
    return new Arrays(pmemobj_create("arrays.pool", "arrays", PMEMOBJ_MIN_POOL, 0600));
  }
  static Arrays* recover(linpoint::Pool& /*pool*/) { return new Arrays(pmemobj_open("arrays.pool", "arrays")); }

  void put(unsigned char name, unsigned char count) {
    const uint64_t size = count + 1U;
    const PMEMoid known = find(name);
    if (OID_IS_NULL(known))
      allocate(name, size);
    else
      resize(description(known), size);
  }

  std::optional<int> get(unsigned char name) {
    const PMEMoid known = find(name);
    if (OID_IS_NULL(known)) return std::nullopt;
    const Description* found = description(known);
    const uint64_t* elements = elements_of(found);
    if (elements == nullptr || pmemobj_alloc_usable_size(found->elements) < found->size * sizeof(uint64_t))
      return kTorn;
    for (uint64_t each = 0; each < found->size; ++each)
      if (elements[each] != each) return kTorn;
    return static_cast<int>(found->size) - 1;
  }

  bool remove(unsigned char name) {
    const PMEMoid known = find(name);
    if (OID_IS_NULL(known)) return false;
    TX_BEGIN(pool_) {
      pmemobj_tx_free(description(known)->elements);
      pmemobj_tx_free(known);
    }
    TX_END
    return true;
  }

 private:
  explicit Arrays(PMEMobjpool* pool) : pool_(pool) {}

  static Description* description(PMEMoid oid) { return static_cast<Description*>(pmemobj_direct(oid)); }
  static uint64_t* elements_of(const Description* of) { return static_cast<uint64_t*>(pmemobj_direct(of->elements)); }

  PMEMoid find(uint64_t name) {
    PMEMoid each;
    POBJ_FOREACH(pool_, each)
    if (pmemobj_type_num(each) == kDescription && description(each)->name == name + 1) return each;
    return OID_NULL;
  }

  static void fill(uint64_t* elements, uint64_t begin, uint64_t end) {
    for (uint64_t each = begin; each < end; ++each) elements[each] = each;
  }

  void allocate(uint64_t name, uint64_t size) {
#ifdef BUG_ALLOC
    PMEMoid made;
    pmemobj_zalloc(pool_, &made, sizeof(Description), kDescription);
    Description* found = description(made);
    found->name = name + 1;  // blame: BUG_ALLOC DL1,DL2
    found->size = size;      // blame: BUG_ALLOC DL1,DL2
    pmemobj_alloc(pool_, &found->elements, size * sizeof(uint64_t), kElements, nullptr,
                  nullptr);  // blame: BUG_ALLOC DL1,DL2
    fill(elements_of(found), 0, size);
    pmemobj_persist(pool_, elements_of(found), size * sizeof(uint64_t));
    pmemobj_persist(pool_, found, sizeof *found);
#else
    TX_BEGIN(pool_) {
      Description* made = description(pmemobj_tx_zalloc(sizeof(Description), kDescription));
      made->name = name + 1;
      made->size = size;
      made->elements = pmemobj_tx_alloc(size * sizeof(uint64_t), kElements);
      fill(elements_of(made), 0, size);
    }
    TX_END
#endif
  }

  void resize(Description* found, uint64_t size) {
#ifdef BUG_REALLOC
    PMEMoid moved = found->elements;
    pmemobj_realloc(pool_, &moved, size * sizeof(uint64_t), kElements);  // blame: BUG_REALLOC DL1,DL2
    uint64_t* elements = static_cast<uint64_t*>(pmemobj_direct(moved));
    if (size > found->size) {
      fill(elements, found->size, size);
      pmemobj_persist(pool_, elements, size * sizeof(uint64_t));
    }
    found->elements = moved;  // blame: BUG_REALLOC DL1,DL2
    found->size = size;       // blame: BUG_REALLOC DL1,DL2
    pmemobj_persist(pool_, found, sizeof *found);
#else
    TX_BEGIN(pool_) {
      pmemobj_tx_add_range_direct(found, sizeof *found);
      found->elements = pmemobj_tx_realloc(found->elements, size * sizeof(uint64_t), kElements);
      fill(elements_of(found), 0, size);
      found->size = size;
    }
    TX_END
#endif
  }

  PMEMobjpool* pool_;
};

}  // namespace

LINPOINT_CRASH_TEST(Arrays, put, get, remove)
