// SPDX-License-Identifier: Apache-2.0
// What comes before a release of a semaphore comes before what follows the acquire that needed it.
#include <semaphore>
#include <thread>

namespace {

int message;
std::binary_semaphore ready(0);

}  // namespace

int main() {
  std::thread first([] {
#ifdef RACY
    ready.release();
    message = 1;
#else
    message = 1;
    ready.release();
#endif
  });
  ready.acquire();
  volatile int copy = message;
  (void)copy;
  first.join();
}
