// SPDX-License-Identifier: Apache-2.0
// Tests of objects: a program that includes linpoint/test.hpp, and the scenarios to run.
//
// The program is loaded once. Each scenario is explored in its own process, which begins as a copy of this one, so that
// scenarios cannot affect each other, and several are explored in parallel.
#pragma once

#include "host/search/program_search.hpp"

namespace linpoint::runtime {

/// Reads the scenarios, explores all of them and reports a result for each. Without scenarios, describes the tests.
void explore_tests(void* handle, Main program);

}  // namespace linpoint::runtime
