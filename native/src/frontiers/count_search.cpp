// SPDX-License-Identifier: Apache-2.0
// Objects whose state is a number: counters, semaphores, elements of multisets. The set of operations that took effect
// determines the state, except where a try that certainly returned did not report whether it succeeded.
//
// Which operations may come before the due one. For a semaphore: before an operation that needs a permit when there is
// none, those that give one; before an operation that observed no permit, those that take permits; before an operation
// that gives or takes a permit, those that take permits, if an operation that observed none is open. For a counter, and
// where a number was read: all operations.
#include <map>
#include <tuple>

#include "frontiers/just_in_time.hpp"

namespace linpoint::frontiers {
namespace {

using specs::Code;
using specs::Instruction;
using specs::kAny;

/// The effect of an operation on the number.
enum class Act : std::uint8_t {
  kStep,       // adds `amount`
  kFetchStep,  // observed `seen`, and adds `amount`
  kTake,       // takes one; there must be at least one
  kTry,        // takes one if there is one
  kSee,        // observed `seen`
  kImpossible,
};

struct CountStep {
  Act act = Act::kImpossible;
  std::int64_t amount = 0;
  std::int64_t seen = 0;
};

CountStep step_of(const Instruction& op, const specs::Constants& constants) {
  switch (op.code) {
    case Code::kCount:
      return {.act = Act::kStep, .amount = op.amount};
    case Code::kFetchAdd:
      if (op.want == kAny) return {.act = Act::kStep, .amount = op.amount};
      return {.act = Act::kFetchStep, .amount = op.amount, .seen = op.wanted};
    case Code::kReadCount:
      return {.act = Act::kSee, .seen = op.wanted};
    case Code::kRelease:
    case Code::kAdd:
      return {.act = Act::kStep, .amount = 1};
    case Code::kAcquire:
      return {.act = Act::kTake, .amount = -1};
    case Code::kTryAcquire:
    case Code::kRemove:
      if (op.want == constants.no) return {.act = Act::kSee, .seen = 0};
      if (op.want == constants.yes) return {.act = Act::kTake, .amount = -1};
      return {.act = op.want == kAny ? Act::kTry : Act::kImpossible};
    default:
      return {};
  }
}

/// `kTries`: some tries did not report their outcome.
template <bool kTries>
class Count {
 public:
  static constexpr bool kKeyed = kTries;

  /// `pruned`: every number that was observed is zero, and no step is larger than one.
  Count(std::vector<Operation> operations, std::vector<CountStep> steps, std::int64_t first, bool pruned)
      : operations_(std::move(operations)), steps_(std::move(steps)), count_(first), pruned_(pruned) {}

  [[nodiscard]] bool looks(std::int32_t index) const {
    const CountStep& step = of(index);
    return step.act == Act::kSee || (step.act == Act::kFetchStep && step.amount == 0);
  }
  [[nodiscard]] bool legal(std::int32_t index) const {
    const CountStep& step = of(index);
    switch (step.act) {
      case Act::kStep:
      case Act::kTry:
        return true;
      case Act::kTake:
        return count_ > 0;
      case Act::kFetchStep:
      case Act::kSee:
        return count_ == step.seen;
      default:
        return false;
    }
  }
  [[nodiscard]] bool changes(std::int32_t index) const {
    return of(index).act == Act::kTry ? count_ > 0 : of(index).amount != 0;
  }
  [[nodiscard]] bool is_immediate(std::int32_t index) const { return looks(index); }
  void apply(std::int32_t index) {
    const CountStep& step = of(index);
    if (step.act == Act::kTry) {
      tries_.push_back(count_ > 0);
      if (count_ > 0) --count_;
    } else {
      count_ += step.amount;
    }
  }
  void undo(std::int32_t index) {
    const CountStep& step = of(index);
    if (step.act == Act::kTry) {
      if (tries_.back()) ++count_;
      tries_.pop_back();
    } else {
      count_ -= step.amount;
    }
  }
  [[nodiscard]] std::uint64_t key() const { return static_cast<std::uint64_t>(count_); }

  template <typename Any>
  [[nodiscard]] bool precedes(std::int32_t index, std::int32_t due_index, Any any) const {
    if (!pruned_) return true;
    const CountStep& due = of(due_index);
    const bool takes = of(index).act == Act::kTake;
    if (due.act == Act::kSee) return takes;  // down to zero
    if (!takes) return due.act == Act::kTake && count_ == 0;
    return any([&](std::int32_t other) { return looks(other); });
  }

 private:
  [[nodiscard]] const CountStep& of(std::int32_t index) const { return steps_[at(operations_[at(index)].value)]; }

  std::vector<Operation> operations_;
  std::vector<CountStep> steps_;  // by the values of operations
  std::int64_t count_;
  bool pruned_;
  std::vector<bool> tries_;  // whether they succeeded
};

template <bool kTries>
std::unique_ptr<FrontierSearch> search_of(Recording recording, std::vector<CountStep> steps, bool pruned,
                                          StopToken& stop) {
  std::map<std::tuple<Act, std::int64_t, std::int64_t>, std::int32_t> numbers;  // by effect
  std::vector<std::int32_t> labels;
  labels.reserve(recording.operations.size());
  for (const Operation& each : recording.operations) {
    const CountStep& step = steps[at(each.value)];
    labels.push_back(numbers.try_emplace({step.act, step.amount, step.seen}, number(numbers.size())).first->second);
  }
  const std::int64_t first = recording.content.empty() ? 0 : recording.content.front();
  Count<kTries> object(recording.operations, std::move(steps), first, pruned);
  return std::make_unique<JustInTime<Count<kTries>>>(std::move(recording.operations), std::move(labels),
                                                     std::move(object), stop);
}

}  // namespace

std::unique_ptr<FrontierSearch> count_search(Recording recording, const specs::Blueprint& blueprint, StopToken& stop) {
  std::vector<CountStep> steps;
  steps.reserve(recording.instructions.size());
  for (const Instruction& each : recording.instructions) steps.push_back(step_of(each, blueprint.constants));
  const bool tries = std::ranges::any_of(steps, [](const CountStep& step) { return step.act == Act::kTry; });
  const bool permits = blueprint.kind == "semaphore" || blueprint.kind == "multiset";
  const bool pruned = permits && !tries && std::ranges::all_of(steps, [](const CountStep& step) {
                        return step.act != Act::kSee || step.seen == 0;
                      });
  return tries ? search_of<true>(std::move(recording), std::move(steps), pruned, stop)
               : search_of<false>(std::move(recording), std::move(steps), pruned, stop);
}

}  // namespace linpoint::frontiers
