/* SPDX-License-Identifier: Apache-2.0
 * Included first in everything that gcc compiles with hooks. gcc expands these functions inline, without hooks, where
 * they are called with a constant size. Headers of the standard library call the built-in names, which no flag turns
 * off. Under other names they are ordinary functions. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
void* __linpoint_memcpy(void*, const void*, __SIZE_TYPE__) __asm__("memcpy") __attribute__((nothrow));
void* __linpoint_memmove(void*, const void*, __SIZE_TYPE__) __asm__("memmove") __attribute__((nothrow));
void* __linpoint_memset(void*, int, __SIZE_TYPE__) __asm__("memset") __attribute__((nothrow));
#ifdef __cplusplus
}
#endif

#define __builtin_memcpy __linpoint_memcpy
#define __builtin_memmove __linpoint_memmove
#define __builtin_memset __linpoint_memset
