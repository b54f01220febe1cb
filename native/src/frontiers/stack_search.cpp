// SPDX-License-Identifier: Apache-2.0
// The search for stacks: a walk with its pauses.
//
// Values on top that cannot be removed in time could be seen before it is too late, by what comes later in the history.
// That saves up to a third of the states, but the row at which the walk is stuck would not be where the shortest
// refuted start ends, and to find that takes another walk.
#include <utility>

#include "frontiers/frontier_searches.hpp"
#include "frontiers/stack_walk.hpp"

namespace linpoint::frontiers {
namespace {

using search::Status;

class Stack final : public FrontierSearch {
 public:
  Stack(Recording recording, StopToken& stop)
      : FrontierSearch(stop),
        operations_(std::move(recording.operations)),
        timeline_(operations_, everything(operations_), stop),
        walk_(operations_, timeline_, stop) {}

  [[nodiscard]] std::vector<std::int32_t> order() const override {
    std::vector<std::int32_t> order;
    for (const std::int32_t index : walk_.order())
      if (operations_[at(index)].op != histories::kNone) order.push_back(operations_[at(index)].op);
    return order;
  }

  [[nodiscard]] std::int32_t last() const override { return operations_[at(timeline_.due(walk_.furthest()))].op; }

 protected:
  [[nodiscard]] std::uint64_t placed() const override { return static_cast<std::uint64_t>(walk_.furthest()); }

 private:
  static constexpr std::uint64_t kStatesBetweenPolls = 256;

  Status walk(std::uint64_t most) override {
    if (!timeline_.fits()) return Status::kStopped;
    while (configurations_ < most) {
      const StackWalk::Progress progress = walk_.go_on(std::min(kStatesBetweenPolls, most - configurations_));
      configurations_ = walk_.states();
      if (progress == StackWalk::Progress::kFound) return Status::kLinearizable;
      if (interrupted(1)) return Status::kStopped;
      if (progress == StackWalk::Progress::kExhausted) return Status::kViolation;
    }
    return Status::kPaused;
  }

  const std::vector<Operation> operations_;
  Timeline timeline_;
  StackWalk walk_;
};

}  // namespace

std::unique_ptr<FrontierSearch> stack_search(Recording recording, StopToken& stop) {
  return std::make_unique<Stack>(std::move(recording), stop);
}

}  // namespace linpoint::frontiers
