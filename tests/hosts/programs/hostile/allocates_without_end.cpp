// SPDX-License-Identifier: Apache-2.0
// Asks for a megabyte again and again.
int main() {
  for (;;) {
    char* volatile block = new char[1 << 20];
    block[0] = 1;
  }
}
