// SPDX-License-Identifier: Apache-2.0
// One frees what the other may still read.
#include <atomic>
#include <thread>

namespace {

std::atomic<int*> shared = new int(1);

}  // namespace

int main() {
  std::thread first([] { delete shared.exchange(nullptr); });
  std::thread second([] {
    int* const block = shared.load();
    if (block != nullptr) static_cast<void>(*static_cast<volatile int*>(block));
  });
  first.join();
  second.join();
}
