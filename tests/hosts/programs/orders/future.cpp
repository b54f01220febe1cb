// SPDX-License-Identifier: Apache-2.0
// What comes before set_value comes before what follows get.
#include <future>
#include <thread>

int main() {
  int message = 0;
  std::promise<void> promise;
  std::future<void> ready = promise.get_future();
  std::thread first([&] {
#ifndef RACY
    message = 1;
#endif
    promise.set_value();
#ifdef RACY
    message = 1;
#endif
  });
  ready.get();
  volatile int copy = message;
  (void)copy;
  first.join();
}
