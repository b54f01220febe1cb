// SPDX-License-Identifier: Apache-2.0
// Throws in a constructor, before main.
#include <stdexcept>

namespace {

int make() { throw std::runtime_error("too early"); }

const int number = make();

}  // namespace

int main() { return number; }
