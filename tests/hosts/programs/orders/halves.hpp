// SPDX-License-Identifier: Apache-2.0
// A word of two halves, and a message that one thread has for another; -DRACY publishes it in the wrong order.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

#ifdef RACY
#define ORDER std::memory_order_relaxed
#else
#define ORDER std::memory_order_release
#endif

namespace {

int message;
alignas(8) std::uint32_t halves[2];

}  // namespace
