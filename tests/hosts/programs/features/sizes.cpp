// SPDX-License-Identifier: Apache-2.0
// Atomics of one, two, four and eight bytes.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

std::atomic<std::uint8_t> one;
std::atomic<std::uint16_t> two;
std::atomic<std::uint32_t> four;
std::atomic<std::uint64_t> eight;

void work() {
  one.fetch_add(1);
  two.fetch_or(0x100);
  four.fetch_xor(1);
  eight.fetch_add(std::uint64_t{1} << 40);
}

}  // namespace

int main() {
  std::thread other(work);
  work();
  other.join();
  assert(one == 2);
  assert(two == 0x100);
  assert(four == 0);
  assert(eight == std::uint64_t{1} << 41);
}
