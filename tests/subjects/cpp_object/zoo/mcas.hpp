// SPDX-License-Identifier: Apache-2.0
// Multi-word compare-and-swap (Harris, Fraser, Pratt: A Practical Multi-Word Compare-and-Swap Operation, DISC 2002).
//
// First every word, in the order of their addresses, gets a pointer to a description of the whole; then the
// description is decided; then the words get their new values, or their old ones. Anybody for whom the description is
// in the way does what is still to be done. A word gets the pointer by RDCSS, only as long as nothing is decided.
// Descriptions are not given back.
//
// Three things are not done that the paper does, and nothing needs them: whoever only reads takes what the description
// says of the word and helps nobody (Fraser: Practical lock-freedom, Cambridge 2004); whoever helps begins behind the
// word at which it met the description, since words are claimed in their order; and of those who find it decided by
// another one each frees only the word that it stands at.
//
// The broken twin gives the pointer by a simple exchange: somebody who is late puts it into a word that has its old
// value again, after all is decided, and the word is exchanged a second time.
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
  static bool run(const Entries& entries) { return (new Mcas(entries))->decide(0).status == kSucceeded; }

  /// Does nothing for others: what a description says of a word that leads to it is the word's value.
  static Word read(const std::atomic<Word>& word) {
    const Word seen = Rdcss<>::read(word);
    return tag_of(seen) == Tag::kMcas ? untagged(seen)->value_of_word(word) : seen;
  }

 private:
  static constexpr Word kUndecided = word_of(0);
  static constexpr Word kFailed = word_of(1);
  static constexpr Word kSucceeded = word_of(2);

  struct Decision {
    Word status;
    bool own = false;
  };

  explicit Mcas(const Entries& entries) : entries_(entries) {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& one, const Entry& two) { return one.word < two.word; });
  }

  /// Frees a word that leads here. Those before it lead here, too, or it is decided.
  void help(const std::atomic<Word>& word) {
    const std::size_t met = entry_of(word);
    const Word status = status_.load(std::memory_order_acquire);
    const Decision decision = status == kUndecided ? decide(met + 1) : Decision{status};
    if (!decision.own) release(entries_[met], decision.status);
  }

  /// Claims the words from an entry on. Who decides frees them; whoever else comes upon one that still leads here does
  /// it as well.
  Decision decide(std::size_t from) {
    std::size_t end = from;
    while (end < kWords && claim(entries_[end])) ++end;
    const Word mine = end == kWords ? kSucceeded : kFailed;
    const Word seen = exchange_word(status_, kUndecided, mine);
    if (seen != kUndecided) return {seen};
    for (std::size_t number = 0; number < end; ++number) release(entries_[number], mine);
    return {mine, true};
  }

  Word value_of_word(const std::atomic<Word>& word) const {
    const Entry& entry = entries_[entry_of(word)];
    return status_.load(std::memory_order_acquire) == kSucceeded ? entry.desired : entry.expected;
  }

  std::size_t entry_of(const std::atomic<Word>& word) const {
    std::size_t number = 0;
    while (entries_[number].word != &word) ++number;
    return number;
  }

  void release(const Entry& entry, Word status) const {
    exchange_word(*entry.word, tagged(), status == kSucceeded ? entry.desired : entry.expected);
  }

  /// Makes the word lead here; false if it has another value than the expected one.
  bool claim(const Entry& entry) {
    for (;;) {
      const Word seen = install(entry);
      if (tag_of(seen) != Tag::kMcas) return seen == entry.expected;
      if (seen == tagged()) return true;
      untagged(seen)->help(*entry.word);
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
