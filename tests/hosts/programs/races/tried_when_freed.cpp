// SPDX-License-Identifier: Apache-2.0
// A thread frees a mutex that another one is about to try.
#include <mutex>
#include <thread>

int main() {
  auto* mutex = new std::mutex;
  mutex->lock();
  std::thread first([mutex] { static_cast<void>(mutex->try_lock()); });
  std::thread second([mutex] { delete mutex; });
  first.join();
  second.join();
}
