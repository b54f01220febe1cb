// SPDX-License-Identifier: Apache-2.0
// What one process asks for next.
//
// Every new value is written once: it has the process in its high part and a count below. An mwcas expects values that
// its process has read before (the paper's second assumption): mostly by a read of the same words just before,
// sometimes by an older one. `--unread-expected` breaks that: it expects values that nobody read, or that nobody has
// written yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "log.hpp"
#include "options.hpp"
#include "random.hpp"

class Workload {
 public:
  Workload(const Options& options, std::size_t process)
      : options_(&options),
        process_(process),
        random_(options.seed * 1'000'003 + process),
        remembered_(options.addresses, kNothing) {}

  // Fills in what the operation is, not what came of it. The one before must still be there: an mwcas that follows its
  // read works on the same words.
  void choose(Operation& op) {
    op.words = options_->words;
    op.outcome = Outcome::kUnknown;
    if (announced_) {
      announced_ = false;
      expect(op);
      return;
    }
    pick_addresses(op);
    if (random_.chance(options_->reads)) {
      op.kind = Kind::kRead;
    } else if (options_->algorithm == Algorithm::kMwswap) {
      op.kind = Kind::kMwswap;
      op.first_new = fresh();
    } else if (options_->unread_expected ? random_.below(2) == 0 : random_.chance(options_->stale) && remembers(op)) {
      expect(op);
      if (options_->unread_expected) guess(op);
    } else {
      op.kind = Kind::kRead;
      announced_ = true;
    }
  }

  void learn(const Operation& op) {
    for (std::size_t i = 0; i < op.words; ++i) {
      Bits& value = remembered_[op.addresses[i]];
      if (op.kind == Kind::kRead) {
        value = op.values[i];
      } else if (op.outcome == Outcome::kDone) {
        // Nobody has read what this operation wrote.
        value = options_->unread_expected ? op.first_new + i : kNothing;
      }
    }
  }

  // A process that crashed starts with an empty mind; its counter goes on, since values are written once.
  void forget() {
    announced_ = false;
    std::fill(remembered_.begin(), remembered_.end(), kNothing);
  }

 private:
  static constexpr Bits kNothing = ~Bits{0};
  static constexpr unsigned kProcessShift = 40;

  void pick_addresses(Operation& op) {
    const auto begin = op.addresses.begin();
    for (auto next = begin; next != begin + static_cast<std::ptrdiff_t>(op.words);) {
      *next = random_.below(options_->addresses);
      if (std::find(begin, next, *next) == next) ++next;
    }
  }

  [[nodiscard]] bool remembers(const Operation& op) const {
    for (std::size_t i = 0; i < op.words; ++i) {
      if (remembered_[op.addresses[i]] == kNothing) return false;
    }
    return true;
  }

  void expect(Operation& op) {
    op.kind = Kind::kMwcas;
    op.first_new = fresh();
    for (std::size_t i = 0; i < op.words; ++i) {
      const Bits value = remembered_[op.addresses[i]];
      op.values[i] = value == kNothing ? 0 : value;
    }
  }

  // Now and then a value that some process may be about to write.
  void guess(Operation& op) {
    if (options_->threads == 1 || random_.below(4) != 0) return;
    const std::size_t other = (process_ + 1 + random_.below(options_->threads - 1)) % options_->threads;
    op.values[random_.below(op.words)] = tagged(other, counter_ + random_.below(2 * op.words));
  }

  Bits fresh() {
    const Bits first = counter_;
    counter_ += options_->words;
    return tagged(process_, first);
  }

  // One more than the process, so that no value looks like the first value of all words, zero.
  static Bits tagged(Bits process, Bits count) { return ((process + 1) << kProcessShift) | count; }

  const Options* options_;
  std::size_t process_;
  Random random_;
  std::vector<Bits> remembered_;
  Bits counter_ = 1;
  bool announced_ = false;
};
