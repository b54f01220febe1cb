// SPDX-License-Identifier: Apache-2.0
// An atomic of an odd size, and a message that one thread has for another.
#pragma once

#include <atomic>
#include <cassert>
#include <thread>

namespace {

struct Triple {
  int first = 0;
  int second = 0;
  int third = 0;
};

int message;
std::atomic<Triple> triple;

}  // namespace
