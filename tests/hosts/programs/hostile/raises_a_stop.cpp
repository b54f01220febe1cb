// SPDX-License-Identifier: Apache-2.0
// Would stop its own process, so that nobody hears from it.
#include <signal.h>

int main() { return raise(SIGSTOP); }
