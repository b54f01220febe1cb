// SPDX-License-Identifier: Apache-2.0
// Waits for a process that it has not made.
#include <sys/wait.h>

int main() { return wait(nullptr); }
