// SPDX-License-Identifier: Apache-2.0
// Takes the same address for the same block, which holds as long as no freed block is given out again.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int*> top;
std::atomic<int> replaced;

}  // namespace

int main() {
  top = new int;
  std::thread takes([] {
    int* seen = top.load();
    const int before = replaced.load();
    if (seen != nullptr && top.compare_exchange_strong(seen, nullptr)) assert(replaced.load() == before);
  });
  std::thread replaces([] {
    int* old = top.exchange(nullptr);
    if (old == nullptr) return;
    ++replaced;
    delete old;
    top = new int;
  });
  takes.join();
  replaces.join();
}
