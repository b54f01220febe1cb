// SPDX-License-Identifier: Apache-2.0
// Talks to the network.
#include <sys/socket.h>

int main() { return socket(AF_INET, SOCK_STREAM, 0) < 0 ? 1 : 0; }
