// SPDX-License-Identifier: Apache-2.0
// Throws, and nobody catches.
#include <stdexcept>

int main() { throw std::runtime_error("nobody catches this"); }
