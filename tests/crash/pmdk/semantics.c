/* SPDX-License-Identifier: Apache-2.0 */
/* The behaviour of libpmemobj without a crash: the same in the real library and in the model. */
#include "semantics.h"

#include <errno.h>
#include <libpmemobj.h>
#include <string.h>

#define EXPECT(what) \
  if (!(what)) return __LINE__

struct item;
TOID_DECLARE(struct item, 7);
struct item {
  int value;
  POBJ_LIST_ENTRY(struct item) link;
};
POBJ_LIST_HEAD(items, struct item);
struct base {
  uint64_t number;
  uint64_t other;
  PMEMoid oid;
  PMEMmutex lock;
  PMEMrwlock shared;
  struct items list;
};

static int construct(PMEMobjpool *pop, void *block, void *argument) {
  struct item *item = block;
  if (argument == NULL) return 1;
  item->value = *(int *)argument;
  pmemobj_persist(pop, item, sizeof *item);
  return 0;
}

static int count(PMEMobjpool *pop) {
  int found = 0;
  PMEMoid each;
  for (each = pmemobj_first(pop); !OID_IS_NULL(each); each = pmemobj_next(each)) ++found;
  return found;
}

static int allocation(PMEMobjpool *pop, struct base *base) {
  int value = 5;
  uint64_t before;
  EXPECT(count(pop) == 0);
  EXPECT(pmemobj_alloc(pop, &base->oid, 100, 3, construct, &value) == 0);
  EXPECT(!OID_IS_NULL(base->oid) && *(int *)pmemobj_direct(base->oid) == 5);
  EXPECT(pmemobj_alloc_usable_size(base->oid) == 112 && base->oid.off % 64 == 16);
  EXPECT(pmemobj_type_num(base->oid) == 3 && count(pop) == 1);
  EXPECT(pmemobj_pool_by_oid(base->oid) == pop && pmemobj_pool_by_ptr(base) == pop);
  EXPECT(OID_EQUALS(pmemobj_oid(pmemobj_direct(base->oid)), base->oid));
  before = base->oid.off;
  EXPECT(pmemobj_realloc(pop, &base->oid, 1000, 4) == 0 && base->oid.off != before);
  EXPECT(*(int *)pmemobj_direct(base->oid) == 5 && pmemobj_type_num(base->oid) == 4 && count(pop) == 1);
  errno = 0;
  EXPECT(pmemobj_alloc(pop, NULL, 16, 3, construct, NULL) == -1 && errno == ECANCELED && count(pop) == 1);
  EXPECT(pmemobj_alloc(pop, NULL, 0, 3, NULL, NULL) == -1 && errno == EINVAL);
  EXPECT(pmemobj_alloc(pop, NULL, (size_t)1 << 40, 3, NULL, NULL) == -1 && errno == ENOMEM);
  pmemobj_free(&base->oid);
  EXPECT(OID_IS_NULL(base->oid) && count(pop) == 0);
  EXPECT(pmemobj_strdup(pop, &base->oid, "words", 9) == 0 && strcmp(pmemobj_direct(base->oid), "words") == 0);
  EXPECT(pmemobj_realloc(pop, &base->oid, 0, 9) == 0 && OID_IS_NULL(base->oid) && count(pop) == 0);
  return 0;
}

static int transactions(PMEMobjpool *pop, struct base *base) {
  volatile int stages = 0;
  int outside = 0;
  base->number = 1;
  base->other = 1;
  TX_BEGIN(pop) {
    TX_ADD_DIRECT(&base->number);
    base->number = 2;
    base->other = 2;
    base->oid = pmemobj_tx_alloc(64, 5);
    pmemobj_tx_abort(EAGAIN);
  }
  TX_ONCOMMIT { stages += 100; }
  TX_ONABORT { stages += 1; }
  TX_FINALLY { stages += 10; }
  TX_END
  EXPECT(stages == 11 && errno == EAGAIN);
  EXPECT(base->number == 1 && base->other == 2 && count(pop) == 0);
  EXPECT(pmemobj_tx_stage() == TX_STAGE_NONE);
  stages = 0;
  TX_BEGIN(pop) {
    TX_ADD_DIRECT(&base->number);
    TX_ADD_DIRECT(&base->oid);
    base->oid = pmemobj_tx_zalloc(64, 5);
    TX_BEGIN(pop) {
      base->number = 3;
    }
    TX_ONCOMMIT { stages += 1; }
    TX_END
    TX_BEGIN(pop) {
      pmemobj_tx_add_range_direct(&outside, sizeof outside);
      stages += 1000;
    }
    TX_ONABORT { stages += 10; }
    TX_END
    stages += 1000;
  }
  TX_ONABORT { stages += 100; }
  TX_END
  EXPECT(stages == 111 && base->number == 1 && count(pop) == 0);
  TX_BEGIN(pop) {
    TX_ADD_DIRECT(base);
    base->number = 4;
    base->oid = pmemobj_tx_zalloc(64, 5);
    EXPECT(pmemobj_tx_xadd_range_direct(&outside, sizeof outside, POBJ_XADD_NO_ABORT) == EINVAL);
  }
  TX_END
  EXPECT(base->number == 4 && pmemobj_type_num(base->oid) == 5 && count(pop) == 1);
  TX_BEGIN_PARAM(pop, TX_PARAM_MUTEX, &base->lock, TX_PARAM_RWLOCK, &base->shared, TX_PARAM_NONE) {
    TX_ADD_DIRECT(base);
    base->oid = pmemobj_tx_realloc(base->oid, 500, 6);
    pmemobj_tx_free(pmemobj_tx_alloc(32, 5));
  }
  TX_END
  EXPECT(pmemobj_type_num(base->oid) == 6 && count(pop) == 1);
  TX_BEGIN(pop) {
    TX_ADD_DIRECT(base);
    pmemobj_tx_free(base->oid);
    base->oid = OID_NULL;
  }
  TX_END
  EXPECT(count(pop) == 0);
  EXPECT(pmemobj_mutex_trylock(pop, &base->lock) == 0 && pmemobj_mutex_unlock(pop, &base->lock) == 0);
  return 0;
}

static int lists(PMEMobjpool *pop, struct base *base) {
  int value;
  int sum = 0;
  TOID(struct item) each;
  TOID(struct item) last;
  for (value = 1; value <= 3; ++value)
    EXPECT(!OID_IS_NULL(POBJ_LIST_INSERT_NEW_TAIL(pop, &base->list, link, sizeof(struct item), construct, &value)));
  value = 0;
  EXPECT(!OID_IS_NULL(POBJ_LIST_INSERT_NEW_HEAD(pop, &base->list, link, sizeof(struct item), construct, &value)));
  POBJ_LIST_FOREACH(each, &base->list, link) sum = sum * 10 + D_RO(each)->value;
  EXPECT(sum == 123 && D_RO(POBJ_LIST_FIRST(&base->list))->value == 0);
  last = POBJ_LIST_LAST(&base->list, link);
  EXPECT(D_RO(last)->value == 3);
  EXPECT(POBJ_LIST_REMOVE(pop, &base->list, last, link) == 0 && count(pop) == 4);
  EXPECT(POBJ_LIST_INSERT_HEAD(pop, &base->list, last, link) == 0);
  sum = 0;
  POBJ_LIST_FOREACH(each, &base->list, link) sum = sum * 10 + D_RO(each)->value;
  EXPECT(sum == 3012);
  while (!POBJ_LIST_EMPTY(&base->list)) {
    each = POBJ_LIST_FIRST(&base->list);
    EXPECT(POBJ_LIST_REMOVE_FREE(pop, &base->list, each, link) == 0);
  }
  EXPECT(count(pop) == 0);
  return 0;
}

static int actions(PMEMobjpool *pop, struct base *base) {
  struct pobj_action all[2];
  PMEMoid made = pmemobj_reserve(pop, &all[0], 64, 8);
  EXPECT(!OID_IS_NULL(made) && count(pop) == 0);
  pmemobj_set_value(pop, &all[1], &base->number, 77);
  EXPECT(base->number != 77);
  EXPECT(pmemobj_publish(pop, all, 2) == 0 && base->number == 77 && count(pop) == 1);
  EXPECT(pmemobj_type_num(made) == 8);
  pmemobj_defer_free(pop, made, &all[0]);
  TX_BEGIN(pop) { pmemobj_tx_publish(all, 1); }
  TX_END
  EXPECT(count(pop) == 0);
  pmemobj_reserve(pop, &all[0], 64, 8);
  pmemobj_cancel(pop, all, 1);
  EXPECT(count(pop) == 0);
  return 0;
}

int semantics(const char *path) {
  int wrong;
  struct base *base;
  PMEMobjpool *pop = pmemobj_create(path, "semantics", PMEMOBJ_MIN_POOL, 0600);
  EXPECT(pop != NULL);
  EXPECT(pmemobj_create(path, "semantics", PMEMOBJ_MIN_POOL, 0600) == NULL && errno == EEXIST);
  EXPECT(OID_IS_NULL(pmemobj_root(pop, 0)) && errno == EINVAL);
  base = pmemobj_direct(pmemobj_root(pop, sizeof *base));
  EXPECT(base != NULL && pmemobj_root_size(pop) == sizeof *base && base->number == 0);
  EXPECT(pmemobj_direct(pmemobj_root(pop, 8)) == base);
  wrong = allocation(pop, base);
  if (wrong == 0) wrong = transactions(pop, base);
  if (wrong == 0) wrong = lists(pop, base);
  if (wrong == 0) wrong = actions(pop, base);
  if (wrong != 0) return wrong;
  pmemobj_memset_persist(pop, &base->number, 0x11, sizeof base->number);
  EXPECT(base->number == 0x1111111111111111);
  pmemobj_close(pop);
  EXPECT(pmemobj_open(path, "other") == NULL && errno == EINVAL);
  EXPECT(pmemobj_check(path, "semantics") == 1);
  pop = pmemobj_open(path, "semantics");
  EXPECT(pop != NULL);
  base = pmemobj_direct(pmemobj_root(pop, sizeof *base));
  EXPECT(base->number == 0x1111111111111111 && pmemobj_mutex_lock(pop, &base->lock) == 0);
  pmemobj_close(pop);
  return 0;
}

#ifdef REAL
#include <stdio.h>
int main(int count_of, char **words) {
  printf("%d\n", count_of > 1 ? semantics(words[1]) : -1);
  return 0;
}
#endif
