// SPDX-License-Identifier: Apache-2.0
// The C library's functions on texts do what they always do, and two threads may read the same.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <thread>

char shared[16] = "abcabc";
int number = 42;
std::atomic<int> done;

void use() {
  char own[32];
  assert(strlen(shared) == 6 && strchr(shared, 'b') == shared + 1 && strrchr(shared, 'b') == shared + 4);
  assert(memchr(shared, 'c', 6) == shared + 2 && strchr(shared, 'x') == nullptr);
  assert(strcmp(strcpy(own, shared), shared) == 0 && memcmp(own, shared, 7) == 0);
  assert(strcmp(strcat(own, shared), "abcabcabcabc") == 0 && strncmp(own, shared, 6) == 0);
  assert(strncmp(own, shared, 7) > 0 && strcmp(strncpy(own, "xy", 4), "xy") == 0);
  assert(snprintf(own, 4, "%s %d", shared, number) == 9 && strcmp(own, "abc") == 0);
  assert(sprintf(own, "%s %d %.1f", shared, number, 0.5) == 13 && strcmp(own, "abcabc 42 0.5") == 0);
  ++done;
}

int main() {
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  assert(done == 2);
}
