// SPDX-License-Identifier: Apache-2.0
// A thread gives a text to a function of the C library, by the number in the argument, while another one writes to it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

// Not in a namespace, lest the compiler know what is in them.
char text[16] = "abcdef";
char other[16] = "abcdef";
int number = 6;
volatile bool result;

void call(int which) {
  switch (which) {
    case 0:
      result = strcpy(text, other) != nullptr;
      break;
    case 1:
      result = strncpy(text, other, number) != nullptr;
      break;
    case 2:
      result = strcat(text, other) != nullptr;
      break;
    case 3:
      result = strlen(text) != 0;
      break;
    case 4:
      result = strcmp(text, other) != 0;
      break;
    case 5:
      result = strncmp(other, text, number) != 0;
      break;
    case 6:
      result = strchr(text, number) != nullptr;
      break;
    case 7:
      result = strrchr(text, number) != nullptr;
      break;
    case 8:
      result = memchr(text, number, sizeof text) != nullptr;
      break;
    case 9:
      result = memcmp(text, other, number) != 0;
      break;
    case 10:
      result = snprintf(text, sizeof text, "%d", number) != 0;
      break;
    default:
      result = sprintf(text, "%d", number) != 0;
      break;
  }
}

int main(int count, char** arguments) {
  const int which = count > 1 ? atoi(arguments[1]) : 0;
  std::thread first(call, which);
  std::thread second([] { text[0] = 'a'; });
  first.join();
  second.join();
}
