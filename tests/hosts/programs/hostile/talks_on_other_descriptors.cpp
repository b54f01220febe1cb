// SPDX-License-Identifier: Apache-2.0
// Writes what looks like an answer wherever somebody may listen.
#include <unistd.h>

#include <cstring>

int main() {
  const char* answer = "{\"result\":{\"ended\":\"exhausted\",\"exhaustive\":true}}\n";
  for (int descriptor = 0; descriptor < 64; ++descriptor)
    if (write(descriptor, answer, std::strlen(answer)) < 0) continue;
  return 7;
}
