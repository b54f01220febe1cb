// SPDX-License-Identifier: Apache-2.0
// Multi-word compare-and-swap (Harris, Fraser, Pratt: A Practical Multi-Word Compare-and-Swap Operation, DISC 2002).
//
// First every word, in the order of their addresses, gets a pointer to a description of the whole; then the
// description is decided; then the words get their new values, or their old ones. Anybody who meets the description
// does all of that. A word gets the pointer by RDCSS, only as long as nothing is decided. Descriptions are not given
// back.
//
// The broken twin gives it by a simple exchange: somebody who is late puts it into a word that has its old value
// again, after all is decided, and the word is exchanged a second time.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "rdcss.hpp"

namespace zoo {

enum class McasFlaw { kNone, kNotConditional };

template <std::size_t kWords, McasFlaw kFlaw = McasFlaw::kNone>
class Mcas {
 public:
  struct Entry {
    std::atomic<Word>* word = nullptr;
    Word expected = 0;
    Word desired = 0;
  };
  using Entries = std::array<Entry, kWords>;

  /// Different words.
  static bool run(const Entries& entries) { return (new Mcas(entries))->help(); }

  static Word read(const std::atomic<Word>& word) {
    for (;;) {
      const Word seen = Rdcss<>::read(word);
      if (tag_of(seen) != Tag::kMcas) return seen;
      untagged(seen)->help();
    }
  }

 private:
  static constexpr Word kUndecided = word_of(0);
  static constexpr Word kFailed = word_of(1);
  static constexpr Word kSucceeded = word_of(2);

  explicit Mcas(const Entries& entries) : entries_(entries) {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& one, const Entry& two) { return one.word < two.word; });
  }

  bool help() {
    Word status = status_.load(std::memory_order_acquire);
    if (status == kUndecided) status = decide();
    const bool succeeded = status == kSucceeded;
    for (const Entry& entry : entries_)
      exchange_word(*entry.word, tagged(), succeeded ? entry.desired : entry.expected);
    return succeeded;
  }

  Word decide() {
    const bool claimed =
        std::all_of(entries_.begin(), entries_.end(), [this](const Entry& entry) { return claim(entry); });
    const Word mine = claimed ? kSucceeded : kFailed;
    const Word seen = exchange_word(status_, kUndecided, mine);
    return seen == kUndecided ? mine : seen;
  }

  /// Makes the word lead here; false if it has another value than the expected one.
  bool claim(const Entry& entry) {
    for (;;) {
      const Word seen = install(entry);
      if (tag_of(seen) != Tag::kMcas) return seen == entry.expected;
      if (seen == tagged()) return true;
      untagged(seen)->help();
    }
  }

  Word install(const Entry& entry) {
    if constexpr (kFlaw == McasFlaw::kNotConditional) return exchange_word(*entry.word, entry.expected, tagged());
    return Rdcss<>::run({&status_, kUndecided, entry.word, entry.expected, tagged()});
  }

  Word tagged() const { return reinterpret_cast<Word>(this) | static_cast<Word>(Tag::kMcas); }
  static Mcas* untagged(Word word) { return reinterpret_cast<Mcas*>(word & ~kTags); }

  std::atomic<Word> status_{kUndecided};
  Entries entries_;
};

}  // namespace zoo
