// SPDX-License-Identifier: Apache-2.0
// An object whose operations run the script in their argument: each instruction is a letter and a location.
//
// One register: l loads into it, s stores 1, c stores its value, q stores 2 with seq_cst, a adds 1 and keeps the old
// value, x exchanges 0 for 2 if possible, f is a fence, z skips the rest if the register is 0.
#include <atomic>
#include <linpoint/test.hpp>
#include <string>

struct ScriptTest {
  std::atomic<int> memory[3]{};

  int run(const std::string& script) {
    int kept = 0;
    for (std::size_t at = 0; at + 1 < script.size(); at += 2) {
      std::atomic<int>& place = memory[script[at + 1] - '0'];
      int expected = 0;
      switch (script[at]) {
        case 'l':
          kept = kept * 4 + place.load(std::memory_order_relaxed);
          break;
        case 's':
          place.store(1, std::memory_order_relaxed);
          break;
        case 'c':
          place.store(kept, std::memory_order_relaxed);
          break;
        case 'q':
          place.store(2);
          break;
        case 'a':
          kept = place.fetch_add(1);
          break;
        case 'x':
          kept = place.compare_exchange_strong(expected, 2) ? 1 : 0;
          break;
        case 'f':
          std::atomic_thread_fence(std::memory_order_seq_cst);
          break;
        default:
          if (kept == 0) return -1;
      }
    }
    return kept;
  }
};
LINPOINT_TEST(ScriptTest, run)
