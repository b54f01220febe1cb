// SPDX-License-Identifier: Apache-2.0
// Waits for a signal, without computing anything.
#include <unistd.h>

int main() { return pause(); }
