// SPDX-License-Identifier: Apache-2.0
// Reads standard input.
#include <cstdio>

int main() { return std::getchar() == EOF ? 0 : 1; }
