// SPDX-License-Identifier: Apache-2.0
// Tests of objects: a program that includes linpoint/test.hpp, and scenarios that it is to run.
//
// The program is loaded once. Each scenario is explored in a process of its own, which begins as a copy of this one; so
// none of them can disturb another, and several are explored at once.
#pragma once

#include "host/search/program_search.hpp"

namespace linpoint::runtime {

/// Reads the scenarios, explores all of them and says a result for each. If there are none, says what the tests are.
void explore_tests(void* handle, Main program);

}  // namespace linpoint::runtime
