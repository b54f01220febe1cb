// SPDX-License-Identifier: Apache-2.0
// Sends itself a signal that nobody can catch.
#include <signal.h>
#include <unistd.h>

int main() { return kill(getpid(), SIGKILL); }
