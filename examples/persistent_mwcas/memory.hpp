// SPDX-License-Identifier: Apache-2.0
// Emulated persistent memory: each word has a content, which a crash loses, and an image, which survives it.
//
// A flush copies the content to the image and takes as long as on real persistent memory. As there, an image may be
// newer than the last flush (a cache may evict lines at any time), but never returns to an older content.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "clock.hpp"
#include "random.hpp"
#include "steps.hpp"

using Bits = std::uint64_t;

// The content of a word: a value, a claim (a reference to an operation's descriptor), or an install mark (a reference
// to one word of a descriptor). A dirty content may not be in the image yet.
inline constexpr Bits kDirty = Bits{1} << 63U;
inline constexpr Bits kClaim = Bits{1} << 62U;
inline constexpr Bits kInstall = Bits{1} << 61U;

class alignas(64) Word {
 public:
  [[nodiscard]] Bits load() const { return content_.load(); }

  // A compare-and-swap that returns the content it found: the expected bits if and only if it succeeded.
  Bits replace(Bits expected, Bits desired) {
    content_.compare_exchange_strong(expected, desired);
    return expected;
  }

  // Two flushes of one word must not overtake each other: the slower one would restore an older content.
  void write_back() {
    while (writing_back_.test_and_set()) std::this_thread::yield();
    image_.store(content_.load());
    writing_back_.clear();
  }

  // Only while no thread runs.
  [[nodiscard]] Bits image() const { return image_.load(); }
  void reset(Bits bits) {
    content_.store(bits);
    image_.store(bits);
  }

 private:
  std::atomic<Bits> content_{0};
  std::atomic<Bits> image_{0};
  std::atomic_flag writing_back_;
};

class Memory {
 public:
  Memory(std::size_t addresses, std::int64_t flush_nanoseconds) : words_(addresses), latency_(flush_nanoseconds) {}

  Word& operator[](std::size_t address) { return words_[address]; }
  [[nodiscard]] std::size_t size() const { return words_.size(); }

  void flush(Steps& steps, Word& word) const {
    flush_latency(steps);
    word.write_back();
  }

  // Makes a dirty content durable, then clears the dirty bit of the word.
  void persist(Steps& steps, Word& word, Bits dirty) const {
    flush(steps, word);
    steps.step();
    word.replace(dirty, dirty & ~kDirty);
  }

  void flush_latency(Steps& steps) const {
    steps.step();
    wait_busily(latency_);
  }

  // The words after a crash: their images, some of which the cache had updated by eviction.
  void lose(Random& random, double evictions) {
    for (Word& word : words_) {
      if (random.chance(evictions)) word.write_back();
      word.reset(word.image());
    }
  }

 private:
  std::vector<Word> words_;
  std::int64_t latency_;
};
