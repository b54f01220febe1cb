// SPDX-License-Identifier: Apache-2.0
// Prints what moves the cursor, is no text, or has no end of line, and then fails.
#include <cassert>
#include <cstdio>
#include <iostream>

int main() {
  std::fputs("\033[2J\033]0;title\007\r\b\xff\xfe", stdout);
  std::fputc('\0', stdout);
  std::cerr << "\033[31mred\n";
  const bool fine = false;
  assert(fine);
}
