// SPDX-License-Identifier: Apache-2.0
// Persistent multi-word unconditional swap: reads the words, and replaces the values read by a multi-word CAS, until no
// other operation intervened. Lock-free, and as durable as the CAS: it takes effect with the one that succeeds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mwcas.hpp"

// With the bug it behaves like the paper's codebase B: a repeated attempt replaces the current values, but the swap
// returns the values that its first attempt had read. The intervening update is overwritten unseen.
class Swap {
 public:
  Swap(Mwcas& mwcas, bool lost_update_bug) : mwcas_(&mwcas), lost_update_bug_(lost_update_bug) {}

  // `changes` has the addresses and the desired values, and room for expected ones; `old` receives the replaced values.
  void run(Steps& steps, std::size_t process, std::span<Change> changes, std::span<Bits> old) {
    for (bool first = true;; first = false) {
      for (std::size_t i = 0; i < changes.size(); ++i) {
        changes[i].expected = mwcas_->read(steps, changes[i].address);
        if (first || !lost_update_bug_) old[i] = changes[i].expected;
      }
      if (!mwcas_->run(steps, process, changes)) return;
    }
  }

 private:
  Mwcas* mwcas_;
  bool lost_update_bug_;
};
