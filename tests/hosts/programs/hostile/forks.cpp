// SPDX-License-Identifier: Apache-2.0
// Makes a child process.
#include <unistd.h>

int main() { return fork() == 0 ? 0 : 1; }
