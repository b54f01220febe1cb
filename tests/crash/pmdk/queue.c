/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The twins of queue.cpp. A change in a transaction is rolled back only if its range was added before the change, and
 * is flushed by the commit only if the range was added at all.
 */
#include "queue.h"

#include <libpmemobj.h>
#include <stdlib.h>

POBJ_LAYOUT_BEGIN(queue);
POBJ_LAYOUT_ROOT(queue, struct root);
POBJ_LAYOUT_TOID(queue, struct node);
POBJ_LAYOUT_END(queue);

struct node {
  int value;
  TOID(struct node) next;
};

/* The value of the node at the head was already dequeued. Head and tail have a cache line each. */
struct root {
  PMEMmutex lock;
  TOID(struct node) head;
  char space[64];
  TOID(struct node) tail;
};

struct queue {
  PMEMobjpool *pool;
  TOID(struct root) root;
};

static struct queue *opened(PMEMobjpool *pool) {
  struct queue *queue;
  if (pool == NULL) return NULL;
  queue = malloc(sizeof *queue);
  queue->pool = pool;
  queue->root = POBJ_ROOT(pool, struct root);
  return queue;
}

struct queue *queue_create(const char *path) {
  struct queue *queue = opened(pmemobj_create(path, POBJ_LAYOUT_NAME(queue), PMEMOBJ_MIN_POOL, 0600));
  if (queue == NULL) return NULL;
  TX_BEGIN(queue->pool) {
    struct root *root = D_RW(queue->root);
    TX_ADD(queue->root);
    root->head = TX_ZNEW(struct node);
    root->tail = root->head;
  }
  TX_END
  return queue;
}

struct queue *queue_open(const char *path) { return opened(pmemobj_open(path, POBJ_LAYOUT_NAME(queue))); }

void queue_enqueue(struct queue *queue, int value) {
  struct root *root = D_RW(queue->root);
  TX_BEGIN_PARAM(queue->pool, TX_PARAM_MUTEX, &root->lock, TX_PARAM_NONE) {
    TOID(struct node) node = TX_ZNEW(struct node);
    D_RW(node)->value = value;
    TX_SET(root->tail, next, node);
#if !defined(BUG_FORGETS) && !defined(BUG_ADDS_LATE)
    TX_ADD_FIELD(queue->root, tail);
#endif
    root->tail = node; /* blame: BUG_FORGETS DL1,DL2,C2; BUG_ADDS_LATE DL1,DL2 */
#ifdef BUG_ADDS_LATE
    TX_ADD_FIELD(queue->root, tail);
#endif
  }
  TX_END
}

int queue_dequeue(struct queue *queue, int *value) {
  struct root *root = D_RW(queue->root);
  int found = 0;
  TX_BEGIN_PARAM(queue->pool, TX_PARAM_MUTEX, &root->lock, TX_PARAM_NONE) {
    if (!TOID_EQUALS(root->head, root->tail)) {
      TOID(struct node) before = root->head;
      TX_ADD_FIELD(queue->root, head);
      root->head = D_RO(before)->next;
      *value = D_RO(root->head)->value;
      TX_FREE(before);
      found = 1;
    }
  }
  TX_END
  return found;
}
