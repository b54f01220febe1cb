// SPDX-License-Identifier: Apache-2.0
// What a process did with its next step in other runs, starting from its current state.
//
// Dependence between two steps is determined by their actual effects, and these can differ between runs: an attempt
// writes or fails, an operation returns immediately or continues. Let p be independent of q, and let r depend on p
// unless q comes first and makes r fail. After p, q and r nothing shows that r could have raced with p. A search that
// reverses only observed races would then explore one order of the two, although without q both matter. The theory of
// the reduction excludes this: steps in between must not remove a dependence. What an attempt would have written is
// pending, and counts. But that a step will return, or exceed its pending accesses, is not known in advance. So a step
// also counts for whatever the same process was observed to do from the same state. That suffices: whenever a search
// leaves out p because it was explored, it has observed there what r does after it.
//
// The state of a process is represented by a number. Different states may have the same number, and the small table may
// confuse two of them. A step then counts for more than it does, which costs runs but loses none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linpoint::explore {

/// What a step does in some runs but not in others.
struct Habit {
  bool returns = false;
  bool roams = false;  ///< accesses more than is pending
};

class Habits {
 public:
  [[nodiscard]] Habit known(std::uint64_t standing) const {
    const std::uint8_t seen = seen_[standing % kEntries];
    return {(seen & kReturns) != 0, (seen & kRoams) != 0};
  }

  void learn(std::uint64_t standing, Habit habit) {
    seen_[standing % kEntries] |=
        static_cast<std::uint8_t>((habit.returns ? kReturns : 0) | (habit.roams ? kRoams : 0));
  }

 private:
  static constexpr std::size_t kEntries = std::size_t{1} << 15U;
  static constexpr unsigned kReturns = 1;
  static constexpr unsigned kRoams = 2;

  std::vector<std::uint8_t> seen_ = std::vector<std::uint8_t>(kEntries);
};

}  // namespace linpoint::explore
