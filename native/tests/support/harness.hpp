// SPDX-License-Identifier: Apache-2.0
// What the tests of all areas share: expectations that say where they failed, and the program's last word.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace linpoint::tests {

inline int failures = 0;

inline void expect(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::printf("%s:%d: expected %s\n", file, line, what);
}

/// After so many failures more of the same would only hide the first.
inline bool hopeless() { return failures > 5; }

inline int finish() {
  std::printf("%s: %d failures\n", failures == 0 ? "passed" : "failed", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace linpoint::tests

#define EXPECT(condition) ::linpoint::tests::expect((condition), #condition, __FILE__, __LINE__)
