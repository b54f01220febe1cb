/* SPDX-License-Identifier: Apache-2.0 */
/* A resizable hash table in C: chains of one-line buckets, a lock for writers, none for readers.
 *
 * zoo: spec=map kind=BUG_RESIZE:DL1,C2 BUG_CHAIN:DL1,C2
 * zoo: kind=BUG_READ_SLOT:DL3 BUG_READ_GONE:DL3 BUG_READ_LINK:DL3
 * scenario: BUG_RESIZE put(1, 1); put(2, 2); put(3, 3); put(4, 4); put(5, 5); put(6, 6); put(7, 7)
 * scenario: BUG_CHAIN put(1, 1); put(5, 5); put(9, 9); put(13, 13); put(17, 17); put(21, 21); put(2, 2)
 * scenario: BUG_READ_SLOT put(1, 1) | get(1)
 * scenario: BUG_READ_GONE put(1, 1); remove(1) | get(1)
 * scenario: BUG_READ_LINK put(1, 1); put(3, 3); put(5, 5); put(7, 7) | get(7)
 *
 * A slot belongs to one key for as long as the table lasts, so its value is one word that says all: absent, or present
 * with this value. A key is stored after its value, in the same line, and a line is never written back out of order.
 * A full table is copied to one of twice the size, which takes over when the root points to it: all of the copy must be
 * durable by then. Readers flush what they read, as the writer may not have come to do so.
 * The twins have the shape of the published bugs of P-CLHT (Durinn, OSDI 2022, bugs 17 to 19).
 */
#include "hash_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SLOTS = 3 };

struct bucket { /* one line */
  _Atomic uint64_t key[SLOTS];
  _Atomic uint64_t value[SLOTS];
  _Atomic(struct bucket*) next;
  uint64_t unused;
};

struct body {
  uint64_t size;
  uint64_t unused[7]; /* buckets begin with a line */
  struct bucket bucket[];
};

struct root {
  _Atomic(struct body*) body;
};

struct hash_table {
  struct root* root;
  uint64_t slots_taken; /* counted again by each start */
  hash_table_allocate allocate;
  void* context;
  pthread_mutex_t lock;
};

/* clflushopt, for assemblers that do not know it. */
static void flush(volatile void* line) {
  __asm__ volatile(".byte 0x66; clflush %0" : "+m"(*(volatile char*)line)::"memory");
}
static void fence(void) { __asm__ volatile("sfence" ::: "memory"); }

/* Zero is a free slot or an absent value: so no key and no value is zero. */
static uint64_t word_of(int number) { return (uint64_t)(uint32_t)number | (uint64_t)1 << 32; }

static struct bucket* first_bucket(struct body* body, uint64_t key) { return &body->bucket[key % body->size]; }

static struct body* make_body(struct hash_table* table, uint64_t size) {
  struct body* body = table->allocate(table->context, sizeof(struct body) + size * sizeof(struct bucket));
  body->size = size;
  flush(body);
  return body;
}

/* Copies what is present into a body that no one else can see, without flushing. */
static void copy_slot(struct hash_table* table, struct body* body, uint64_t key, uint64_t value) {
  struct bucket* bucket = first_bucket(body, key);
  int slot = 0;
  while (atomic_load_explicit(&bucket->key[slot], memory_order_relaxed) != 0) {
    if (++slot < SLOTS) continue;
    slot = 0;
    struct bucket* next = atomic_load_explicit(&bucket->next, memory_order_relaxed);
    if (next == NULL) {
      next = table->allocate(table->context, sizeof(struct bucket));
      atomic_store_explicit(&bucket->next, next, memory_order_relaxed); /* blame: BUG_RESIZE DL1; BUG_CHAIN DL1 */
    }
    bucket = next;
  }
  atomic_store_explicit(&bucket->value[slot], value, memory_order_relaxed); /* blame: BUG_RESIZE DL1; BUG_CHAIN DL1 */
  atomic_store_explicit(&bucket->key[slot], key, memory_order_relaxed);     /* blame: BUG_RESIZE DL1; BUG_CHAIN DL1 */
  ++table->slots_taken;
}

static void resize(struct hash_table* table) {
  struct body* old = atomic_load_explicit(&table->root->body, memory_order_relaxed);
  struct body* body = make_body(table, 2 * old->size);
  table->slots_taken = 0;
  for (uint64_t at = 0; at < old->size; ++at)
    for (struct bucket* each = &old->bucket[at]; each != NULL; each = atomic_load(&each->next))
      for (int slot = 0; slot < SLOTS; ++slot) {
        uint64_t value = atomic_load(&each->value[slot]);
        if (value != 0) copy_slot(table, body, atomic_load(&each->key[slot]), value); /* leaves out what was removed */
      }
  for (uint64_t at = 0; at < body->size; ++at) {
    struct bucket* each = &body->bucket[at];
#ifdef BUG_RESIZE
    each = atomic_load(&each->next); /* flushes the overflow buckets, and forgets the first ones */
#elif defined(BUG_CHAIN)
    flush(each);
    each = atomic_load(&body->bucket->next); /* flushes the overflow buckets of bucket 0, again and again */
#endif
    for (; each != NULL; each = atomic_load(&each->next)) flush(each);
  }
  fence();
  /* As published code does it. The xchg is locked by itself. point: next line */
  __asm__ volatile("xchgq %0, %1" : "+r"(body), "+m"(*(struct body**)(void*)&table->root->body)::"memory");
  flush(table->root);
  fence();
}

static void put_new(struct hash_table* table, struct bucket* bucket, uint64_t key, uint64_t value) {
  for (;;) {
    for (int slot = 0; slot < SLOTS; ++slot)
      if (atomic_load_explicit(&bucket->key[slot], memory_order_relaxed) == 0) {
        atomic_store_explicit(&bucket->value[slot], value, memory_order_relaxed);
        atomic_store_explicit(&bucket->key[slot], key, memory_order_release); /* blame: BUG_READ_SLOT DL3; point */
        flush(bucket);
        fence();
        return;
      }
    struct bucket* next = atomic_load_explicit(&bucket->next, memory_order_relaxed);
    if (next == NULL) break;
    bucket = next;
  }
  struct bucket* more = table->allocate(table->context, sizeof(struct bucket));
  atomic_store_explicit(&more->value[0], value, memory_order_relaxed);
  atomic_store_explicit(&more->key[0], key, memory_order_relaxed);
  flush(more);
  fence();
  atomic_store_explicit(&bucket->next, more, memory_order_release); /* blame: BUG_READ_LINK DL3; point */
  flush(bucket);
  fence();
}

/* The slot of a key and its bucket, or NULL. Helps to make durable what leads there. */
static _Atomic uint64_t* find(struct body* body, uint64_t key, struct bucket** bucket) {
  for (struct bucket* each = first_bucket(body, key);;) {
    for (int slot = 0; slot < SLOTS; ++slot)
      if (atomic_load_explicit(&each->key[slot], memory_order_acquire) == key) {
        *bucket = each;
        return &each->value[slot];
      }
    struct bucket* next = atomic_load_explicit(&each->next, memory_order_acquire);
    if (next == NULL) return NULL;
#ifndef BUG_READ_LINK
    flush(each);
#endif
    each = next;
  }
}

bool hash_table_get(struct hash_table* table, int key, int* value) {
  struct bucket* bucket = NULL;
  struct body* body = atomic_load_explicit(&table->root->body, memory_order_acquire);
  _Atomic uint64_t* slot = find(body, word_of(key), &bucket);
  if (slot == NULL) return false; /* a key that had a slot keeps it, so nothing undurable was seen */
  uint64_t word = atomic_load_explicit(slot, memory_order_acquire);
#ifdef BUG_READ_GONE
  if (word != 0) flush(bucket); /* as if what is gone could not come back */
#elif !defined(BUG_READ_SLOT)
  flush(bucket);
#endif
  fence();
  *value = (int)(uint32_t)word;
  return word != 0;
}

void hash_table_put(struct hash_table* table, int key, int value) {
  struct bucket* bucket = NULL;
  pthread_mutex_lock(&table->lock);
  struct body* body = atomic_load_explicit(&table->root->body, memory_order_relaxed);
  _Atomic uint64_t* slot = find(body, word_of(key), &bucket);
  if (slot != NULL) {
    atomic_store_explicit(slot, word_of(value), memory_order_release); /* blame: BUG_READ_SLOT DL3; point */
    flush(bucket);
    fence();
  } else {
    if (table->slots_taken >= SLOTS * body->size) {
      resize(table);
      body = atomic_load_explicit(&table->root->body, memory_order_relaxed);
    }
    put_new(table, first_bucket(body, word_of(key)), word_of(key), word_of(value));
    ++table->slots_taken;
  }
  pthread_mutex_unlock(&table->lock);
}

bool hash_table_remove(struct hash_table* table, int key) {
  struct bucket* bucket = NULL;
  pthread_mutex_lock(&table->lock);
  struct body* body = atomic_load_explicit(&table->root->body, memory_order_relaxed);
  _Atomic uint64_t* slot = find(body, word_of(key), &bucket);
  bool present = slot != NULL && atomic_load_explicit(slot, memory_order_relaxed) != 0;
  if (present) {
    atomic_store_explicit(slot, 0, memory_order_release); /* blame: BUG_READ_SLOT DL3; BUG_READ_GONE DL3; point */
    flush(bucket);
    fence();
  }
  pthread_mutex_unlock(&table->lock);
  return present;
}

struct hash_table* hash_table_open(void* root, hash_table_allocate allocate, void* context) {
  struct hash_table* table = calloc(1, sizeof *table);
  *table = (struct hash_table){.root = root, .allocate = allocate, .context = context};
  pthread_mutex_init(&table->lock, NULL);
  struct body* body = atomic_load(&table->root->body);
  for (uint64_t at = 0; at < body->size; ++at)
    for (struct bucket* each = &body->bucket[at]; each != NULL; each = atomic_load(&each->next))
      for (int slot = 0; slot < SLOTS; ++slot) table->slots_taken += atomic_load(&each->key[slot]) != 0;
  return table;
}

void hash_table_format(void** root, hash_table_allocate allocate, void* context) {
  struct hash_table nowhere = {.allocate = allocate, .context = context};
  struct root* made = allocate(context, sizeof *made);
  atomic_store(&made->body, make_body(&nowhere, 2));
  flush(made);
  fence();
  *root = made;
}
