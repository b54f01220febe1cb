// SPDX-License-Identifier: Apache-2.0
// Closes files that are not its own.
#include <unistd.h>

int main() {
  for (int descriptor = 0; descriptor < 64; ++descriptor) close(descriptor);
}
