/* SPDX-License-Identifier: Apache-2.0 */
/* A queue in a pool of libpmemobj, with a lock of its own: each operation is one transaction. */
#ifndef LINPOINT_TESTS_QUEUE_H
#define LINPOINT_TESTS_QUEUE_H

#ifdef __cplusplus
extern "C" {
#endif

struct queue;

/* NULL if the pool cannot be created or opened. */
struct queue *queue_create(const char *path);
struct queue *queue_open(const char *path);
void queue_enqueue(struct queue *queue, int value);
/* 0 if the queue is empty. */
int queue_dequeue(struct queue *queue, int *value);

#ifdef __cplusplus
}
#endif

#endif
