// SPDX-License-Identifier: Apache-2.0
// Persistent multi-word unconditional swap: read the words, and replace what was read by a multi-word CAS, until no
// other operation came in between. Lock-free, and as durable as the CAS: it takes effect with the one that succeeds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mwcas.hpp"

// With the bug it behaves as the paper's codebase B: a repeated attempt replaces what is there now, but the swap
// returns what its first attempt had read. The update that came in between is overwritten unseen.
class Swap {
 public:
  Swap(Mwcas& mwcas, bool lost_update_bug) : mwcas_(&mwcas), lost_update_bug_(lost_update_bug) {}

  // `changes` has the addresses and the desired values, and room for expected ones; `old` takes the values replaced.
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
