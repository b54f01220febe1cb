// SPDX-License-Identifier: Apache-2.0
// Exceptions that are caught, in both threads, across steps of the other.
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::atomic<int> caught;

void work(const std::string& text) {
  try {
    caught.load(std::memory_order_relaxed);
    throw std::runtime_error(text);
  } catch (const std::runtime_error& error) {
    caught.fetch_add(1, std::memory_order_relaxed);
    assert(error.what() == text);
  }
}

}  // namespace

int main() {
  std::thread other(work, "theirs");
  work("mine");
  other.join();
  assert(caught == 2);
}
