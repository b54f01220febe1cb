// SPDX-License-Identifier: Apache-2.0
// A writer comes after readers and before them: what they read, it may write.
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
int value = 0;
int copies[2];

void copy(int& into) {
  std::shared_lock guard(mutex);
  into = value;
}

}  // namespace

int main() {
  std::thread first([] { copy(copies[0]); });
  std::thread second([] {
    copy(copies[1]);
    const std::lock_guard guard(mutex);
    ++value;
  });
  first.join();
  second.join();
}
