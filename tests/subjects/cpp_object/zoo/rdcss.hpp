// SPDX-License-Identifier: Apache-2.0
// RDCSS, a restricted double-compare single-swap (Harris, Fraser, Pratt: A Practical Multi-Word Compare-and-Swap
// Operation, DISC 2002): exchange one word if another word, the control, has a given value at that moment.
//
// The word first gets a pointer to a description of what is wanted, and the control is read after that. Who meets the
// description does the rest in the place of its owner. Descriptions are not given back.
//
// The broken twin reads the control first and then exchanges the word: the control may have changed in between.
#pragma once

#include <atomic>
#include <cstdint>

namespace zoo {

/// A value, or a pointer to a description; the two lowest bits say which.
using Word = std::uintptr_t;
enum class Tag : Word { kValue = 0, kRdcss = 1, kMcas = 2 };
inline constexpr Word kTags = 3;

constexpr Word word_of(int value) { return static_cast<Word>(static_cast<std::uint32_t>(value)) << 2U; }
constexpr int value_of(Word word) { return static_cast<int>(static_cast<std::uint32_t>(word >> 2U)); }
constexpr Tag tag_of(Word word) { return static_cast<Tag>(word & kTags); }

/// What was there before; the exchange took place if that is what was expected.
inline Word exchange_word(std::atomic<Word>& word, Word expected, Word desired) {
  word.compare_exchange_strong(expected, desired, std::memory_order_acq_rel, std::memory_order_acquire);
  return expected;
}

enum class RdcssFlaw { kNone, kControlFirst };

template <RdcssFlaw kFlaw = RdcssFlaw::kNone>
struct Rdcss {
  const std::atomic<Word>* control;
  Word expected_control;
  std::atomic<Word>* word;
  Word expected;
  Word desired;

  /// What was in the word: with the expected one it has been exchanged, if the control was as expected.
  static Word run(const Rdcss& wanted) {
    if constexpr (kFlaw == RdcssFlaw::kControlFirst) {
      if (wanted.control->load(std::memory_order_acquire) != wanted.expected_control) return read(*wanted.word);
      return exchange_word(*wanted.word, wanted.expected, wanted.desired);
    } else {
      const auto* const own = new Rdcss(wanted);
      for (;;) {
        const Word seen = exchange_word(*own->word, own->expected, own->tagged());
        if (tag_of(seen) != Tag::kRdcss) {
          if (seen == own->expected) own->complete();
          return seen;
        }
        untagged(seen)->complete();
      }
    }
  }

  /// Never a description of this kind.
  static Word read(const std::atomic<Word>& word) {
    for (;;) {
      const Word seen = word.load(std::memory_order_acquire);
      if (tag_of(seen) != Tag::kRdcss) return seen;
      untagged(seen)->complete();
    }
  }

 private:
  void complete() const {
    const bool holds = control->load(std::memory_order_acquire) == expected_control;
    exchange_word(*word, tagged(), holds ? desired : expected);
  }

  Word tagged() const { return reinterpret_cast<Word>(this) | static_cast<Word>(Tag::kRdcss); }
  static const Rdcss* untagged(Word word) { return reinterpret_cast<const Rdcss*>(word & ~kTags); }
};

}  // namespace zoo
