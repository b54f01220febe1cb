// SPDX-License-Identifier: Apache-2.0
// Would leave a file behind.
#include <cstdio>

int main() {
  std::FILE* file = std::fopen("left-behind.txt", "w");
  if (file != nullptr) std::fclose(file);
}
