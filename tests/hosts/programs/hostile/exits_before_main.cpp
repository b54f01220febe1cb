// SPDX-License-Identifier: Apache-2.0
// Ends the program in a constructor, before main.
#include <cstdlib>

namespace {

int leave() { std::exit(0); }

const int number = leave();

}  // namespace

int main() { return number; }
