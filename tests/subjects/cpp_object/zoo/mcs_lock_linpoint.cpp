// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>

#include "locked_counter.hpp"
#include "mcs_lock.hpp"
#include "twin.hpp"

using McsLockTest = zoo::LockedCounter<zoo::McsLock<zoo::kTwin<zoo::McsFlaw>>>;
LINPOINT_TEST(McsLockTest, increment, read)
