/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINPOINT_TESTS_SEMANTICS_H
#define LINPOINT_TESTS_SEMANTICS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Goes through libpmemobj's functions in a new pool: 0, or the line of what is not as expected. */
int semantics(const char *path);

#ifdef __cplusplus
}
#endif

#endif
