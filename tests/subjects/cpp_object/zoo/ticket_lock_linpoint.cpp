// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>

#include "locked_counter.hpp"
#include "ticket_lock.hpp"
#include "twin.hpp"

using TicketLockTest = zoo::LockedCounter<zoo::TicketLock<zoo::kTwin<zoo::TicketFlaw>>>;
LINPOINT_TEST(TicketLockTest, increment, read)
