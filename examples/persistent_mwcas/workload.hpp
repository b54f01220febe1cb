// SPDX-License-Identifier: Apache-2.0
// Chooses the next operation of one process.
//
// Every new value is written once: it has the process in its high part and a counter below. An mwcas expects values
// that its process has read before (the paper's second assumption): usually by a read of the same words immediately
// before, sometimes by an older one. `--unread-expected` violates that: it expects values that no operation has read,
// or that are not written yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
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
        latest_(options.addresses, kNothing),
        earlier_(options.addresses, kNothing) {}

  // Fills in the operation, but not its result. The previous operation must still be present: an mwcas that follows its
  // read works on the same words.
  void choose(Operation& op) {
    op.words = options_->words;
    op.outcome = Outcome::kUnknown;
    if (announced_) {
      announced_ = false;
      expect(op);
      if (random_.chance(options_->stale)) expect_earlier(op);
      return;
    }
    pick_addresses(op);
    if (random_.chance(options_->reads)) {
      op.kind = Kind::kRead;
    } else if (options_->algorithm == Algorithm::kMwswap) {
      op.kind = Kind::kMwswap;
      op.first_new = fresh();
    } else if (options_->unread_expected && random_.below(2) == 0) {
      expect(op);
      guess(op);
    } else {
      op.kind = Kind::kRead;
      announced_ = true;
    }
  }

  void learn(const Operation& op) {
    for (std::size_t i = 0; i < op.words; ++i) {
      const std::size_t address = op.addresses[i];
      if (op.kind == Kind::kRead) {
        if (latest_[address] != op.values[i]) earlier_[address] = latest_[address];
        latest_[address] = op.values[i];
      } else if (op.outcome == Outcome::kDone && options_->unread_expected) {
        latest_[address] = op.first_new + i;
      }
    }
  }

  // A process that crashed forgets the values it has read; its counter continues, since values are written once.
  void forget() {
    announced_ = false;
    std::fill(latest_.begin(), latest_.end(), kNothing);
    std::fill(earlier_.begin(), earlier_.end(), kNothing);
  }

 private:
  static constexpr Bits kNothing = ~Bits{0};
  static constexpr unsigned kProcessShift = 40;

  void pick_addresses(Operation& op) {
    for (std::size_t i = 0; i < op.words;) {
      op.addresses[i] = random_.below(options_->addresses);
      const std::span<const std::size_t> chosen(op.addresses.data(), i);
      if (std::find(chosen.begin(), chosen.end(), op.addresses[i]) == chosen.end()) ++i;
    }
  }

  void expect(Operation& op) {
    op.kind = Kind::kMwcas;
    op.first_new = fresh();
    for (std::size_t i = 0; i < op.words; ++i) {
      const Bits value = latest_[op.addresses[i]];
      op.values[i] = value == kNothing ? 0 : value;
    }
  }

  void expect_earlier(Operation& op) {
    const std::size_t i = random_.below(op.words);
    const Bits value = earlier_[op.addresses[i]];
    if (value != kNothing) op.values[i] = value;
  }

  // Occasionally, a value that some process may be about to write.
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

  // Uses the process number plus one, so that no value equals the initial value of all words, zero.
  static Bits tagged(Bits process, Bits count) { return ((process + 1) << kProcessShift) | count; }

  const Options* options_;
  std::size_t process_;
  Random random_;
  // For each word, the value that was read last and the one before it.
  std::vector<Bits> latest_;
  std::vector<Bits> earlier_;
  Bits counter_ = 1;
  bool announced_ = false;
};
