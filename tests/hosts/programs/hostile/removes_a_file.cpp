// SPDX-License-Identifier: Apache-2.0
// Would remove what is not its own.
#include <cstdio>

int main() { return std::remove("precious.txt"); }
