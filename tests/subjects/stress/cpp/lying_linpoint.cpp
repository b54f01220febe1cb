// SPDX-License-Identifier: Apache-2.0
// Registers whose reads return wrong values.
#include <atomic>
#include <linpoint/test.hpp>

struct Lies {
  std::atomic<int> value{0};
  void write(int v) { value.store(v); }
  int read() { return value.load() + 1000; }
};
LINPOINT_TEST(Lies, write, read)

/// Its reads are wrong many rounds before freed memory is used.
struct LiesThenUsesFreed : Lies {
  static inline std::atomic<int> calls{0};
  void write(int v) {
    if (calls.fetch_add(1) == 5'000) {
      auto* freed = new int(v);
      delete freed;
      *static_cast<volatile int*>(freed) = v;
    }
    Lies::write(v);
  }
};
LINPOINT_TEST(LiesThenUsesFreed, write, read)
