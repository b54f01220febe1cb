/* SPDX-License-Identifier: Apache-2.0 */
/* A resizable hash table in C over persistent memory. See hash_table.c. */
#ifndef LINPOINT_ZOO_HASH_TABLE_H
#define LINPOINT_ZOO_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hash_table;

/* Where memory comes from: zeroed, and aligned to lines. */
typedef void* (*hash_table_allocate)(void* context, size_t bytes);

/* Writes a root of a new table to *root, durably. */
void hash_table_format(void** root, hash_table_allocate allocate, void* context);
/* A handle in volatile memory on a table that was made or found. */
struct hash_table* hash_table_open(void* root, hash_table_allocate allocate, void* context);
bool hash_table_get(struct hash_table* table, int key, int* value);
void hash_table_put(struct hash_table* table, int key, int value);
bool hash_table_remove(struct hash_table* table, int key);

#ifdef __cplusplus
}
#endif

#endif
