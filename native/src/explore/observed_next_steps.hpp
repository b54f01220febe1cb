// SPDX-License-Identifier: Apache-2.0
// What a process has done with its next step in other runs, from where it stands now.
//
// Whether two steps depend on each other is known from what they turned out to do, and that can differ: an attempt
// writes or fails, an operation returns at once or goes on. Let p be independent of q, and let r depend on p unless q
// comes first and makes it fail. After p, q and r nothing says that r could have met p, and a search that turns round
// what it has seen to race would be content with one order of the two, though without q both matter. The theory of the
// reduction excludes this: what comes in between must not make a dependence vanish. What an attempt would have written
// is pending, and counts. But nobody knows beforehand that a step will return, or go beyond what is pending. So a step
// counts as doing also what the same process was seen to do from the same state. That is enough: whenever a search
// leaves out p because it was explored, it has seen there what r does after it.
//
// Where a process stands is told by a number. Processes that stand at different places may have the same one, and the
// memory of them is small and may take one for another: that makes a step count for more than it does, which costs
// runs, and loses none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linpoint::explore {

/// What a step does in some runs and not in others.
struct Habit {
  bool returns = false;
  bool roams = false;  ///< touches more than is pending
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
