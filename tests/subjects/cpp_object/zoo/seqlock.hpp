// SPDX-License-Identifier: Apache-2.0
// A sequence lock around a pair (as in Linux since 2002; memory orders after H. Boehm, Can Seqlocks Get Along with
// Programming Language Memory Models?, MSPC 2012).
//
// A writer makes the number odd, writes, and makes it even again. A reader writes nothing: it reads the number, the
// pair, and the number again, and begins anew when that has changed.
//
// The broken twin does not read the number again, and returns halves of two pairs.
#pragma once

#include <atomic>
#include <utility>

namespace zoo {

enum class SeqlockFlaw { kNone, kNotReadAgain };

template <typename T, SeqlockFlaw kFlaw = SeqlockFlaw::kNone>
class SeqlockPair {
 public:
  using Pair = std::pair<T, T>;

  void write(const Pair& pair) {
    unsigned number = number_.load(std::memory_order_relaxed);
    while (number % 2 != 0 ||
           !number_.compare_exchange_weak(number, number + 1, std::memory_order_acquire, std::memory_order_relaxed))
      number = number_.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);  // the odd number comes before the pair
    first_.store(pair.first, std::memory_order_relaxed);
    second_.store(pair.second, std::memory_order_relaxed);
    number_.store(number + 2, std::memory_order_release);
  }

  Pair read() const {
    for (;;) {
      const unsigned number = number_.load(std::memory_order_acquire);
      if (number % 2 != 0) continue;
      const Pair pair(first_.load(std::memory_order_relaxed), second_.load(std::memory_order_relaxed));
      if constexpr (kFlaw == SeqlockFlaw::kNotReadAgain) return pair;
      std::atomic_thread_fence(std::memory_order_acquire);
      if (number_.load(std::memory_order_relaxed) == number) return pair;
    }
  }

 private:
  std::atomic<unsigned> number_{0};
  std::atomic<T> first_{};
  std::atomic<T> second_{};
};

}  // namespace zoo
