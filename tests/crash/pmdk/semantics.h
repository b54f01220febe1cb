/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINPOINT_TESTS_SEMANTICS_H
#define LINPOINT_TESTS_SEMANTICS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Calls libpmemobj's functions in a new pool: returns 0, or the line of an unexpected result. */
int semantics(const char *path);

#ifdef __cplusplus
}
#endif

#endif
