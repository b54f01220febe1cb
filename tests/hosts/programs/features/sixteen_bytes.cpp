// SPDX-License-Identifier: Apache-2.0
// A pair of words that changes as one.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

alignas(16) unsigned __int128 both;

unsigned __int128 pair_of(std::uint64_t value) { return static_cast<unsigned __int128>(value) << 64 | value; }

}  // namespace

int main() {
  std::thread other([] { __atomic_store_n(&both, pair_of(1), __ATOMIC_RELEASE); });
  const unsigned __int128 seen = __atomic_load_n(&both, __ATOMIC_ACQUIRE);
  assert(seen == 0 || seen == pair_of(1));
  other.join();
}
