// SPDX-License-Identifier: Apache-2.0
// The first statement of each function of libpmemobj that takes a pool: records the call, and requires an open pool.
#pragma once

#include "host/core/program_caller.hpp"
#include "host/pmdk/pmdk.hpp"

#define LINPOINT_CALLED(pop)                                  \
  linpoint::runtime::pmdk::called(__func__, LINPOINT_CALLER); \
  linpoint::runtime::pmdk::check_open(pop, __func__, LINPOINT_CALLER)
