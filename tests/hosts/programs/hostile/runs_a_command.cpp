// SPDX-License-Identifier: Apache-2.0
// Runs a command.
#include <cstdlib>

int main() { return std::system("true"); }
