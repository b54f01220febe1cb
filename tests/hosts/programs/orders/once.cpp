// SPDX-License-Identifier: Apache-2.0
// What is done once comes before whatever follows a call_once of it.
#include <mutex>
#include <thread>

namespace {

int message;
std::once_flag flag;

void use() {
#ifdef RACY
  if (message != 0) return;
#endif
  std::call_once(flag, [] { message = 1; });
  volatile int copy = message;
  (void)copy;
}

}  // namespace

int main() {
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
}
