// SPDX-License-Identifier: Apache-2.0
// The same on a stack.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable* shared = nullptr;
bool happened = false;

void wait_for_it() {
  std::condition_variable condition;
  std::unique_lock guard(mutex);
  shared = &condition;
  condition.wait(guard, [] { return happened; });
}

}  // namespace

int main() {
  std::thread first([] {
    std::condition_variable* condition = nullptr;
    {
      const std::lock_guard guard(mutex);
      happened = true;
      condition = shared;
    }
    if (condition != nullptr) condition->notify_one();
    if (condition != nullptr) condition->notify_one();
  });
  std::thread second(wait_for_it);
  first.join();
  second.join();
}
