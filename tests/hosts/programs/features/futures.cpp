// SPDX-License-Identifier: Apache-2.0
// A promise, a task of its own thread, and an exception that comes with a future.
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
  std::promise<int> promise;
  std::future<int> promised = promise.get_future();
  std::thread keeping([&promise] { promise.set_value(1); });
  std::future<int> failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
  assert(promised.get() == 1);
  bool failed = false;
  try {
    failing.get();
  } catch (const std::runtime_error&) {
    failed = true;
  }
  assert(failed);
  keeping.join();
}
