// SPDX-License-Identifier: Apache-2.0
// Objects whose state is one value, by the rules of their native steps: any legal operation may come before the due
// one. Cycles of operations that return to a value are not postponed: other operations may need the values between.
#include <map>
#include <tuple>

#include "frontiers/just_in_time.hpp"
#include "specs/plain_state_rules.hpp"
#include "specs/unseen_values.hpp"

namespace linpoint::frontiers {
namespace {

using specs::Code;
using specs::Instruction;
using specs::State;

template <typename Rule>
class OneValue {
 public:
  static constexpr bool kKeyed = true;

  OneValue(const Recording& recording, const specs::Constants& constants)
      : rule_{constants}, code_(recording.instructions), state_(Rule::state(recording.content)) {
    code_of_.reserve(recording.operations.size());
    for (const Operation& each : recording.operations) code_of_.push_back(each.value);
    for (const Instruction& each : code_) looks_.push_back(looks_at(each, constants));
  }

  [[nodiscard]] bool looks(std::int32_t index) const { return looks_[at(code_of_[at(index)])]; }
  [[nodiscard]] bool legal(std::int32_t index) const { return after(index) != specs::kRejected; }
  [[nodiscard]] bool changes(std::int32_t index) const { return after(index) != state_; }
  [[nodiscard]] static bool is_immediate(std::int32_t /*index*/) { return false; }
  void apply(std::int32_t index) {
    past_.push_back(state_);
    state_ = after(index);
  }
  void undo(std::int32_t /*index*/) {
    state_ = past_.back();
    past_.pop_back();
  }
  [[nodiscard]] std::uint64_t key() const { return static_cast<std::uint32_t>(state_); }
  template <typename Any>
  [[nodiscard]] static bool precedes(std::int32_t /*index*/, std::int32_t /*due*/, Any /*any*/) {
    return true;
  }

 private:
  [[nodiscard]] State after(std::int32_t index) const { return rule_.apply(state_, code_[at(code_of_[at(index)])]); }

  /// Whether an operation changes nothing wherever it is legal.
  [[nodiscard]] bool looks_at(const Instruction& op, const specs::Constants& constants) const {
    switch (op.code) {
      case Code::kCas:
      case Code::kCasEntry:
        // Except for an entry that may be absent: then it compares with null, and stores.
        return op.want == constants.no ||
               (op.want == constants.yes && op.first == op.second && op.first != constants.null);
      case Code::kSwap:
        return op.want == op.first;
      default:
        return rule_.trait(op).reads;
    }
  }

  Rule rule_;
  std::vector<Instruction> code_;
  State state_;
  std::vector<std::int32_t> code_of_;  // of each operation
  std::vector<bool> looks_;            // of each instruction
  std::vector<State> past_;
};

/// Operations have the same label if they do the same once all unobserved values are identified.
std::vector<std::int32_t> labels_of(const Recording& recording) {
  std::map<std::tuple<Code, std::int32_t, std::int32_t, std::int32_t>, std::int32_t> numbers;
  std::vector<std::int32_t> of_instruction;
  for (const Instruction& each : recording.instructions)
    of_instruction.push_back(
        numbers.try_emplace({each.code, each.first, each.second, each.want}, number(numbers.size())).first->second);
  std::vector<std::int32_t> labels;
  labels.reserve(recording.operations.size());
  for (const Operation& each : recording.operations) labels.push_back(of_instruction[at(each.value)]);
  return labels;
}

template <typename Rule>
std::unique_ptr<FrontierSearch> search_of(Recording recording, const specs::Constants& constants, StopToken& stop) {
  specs::merge_unseen(recording.instructions, specs::values_seen(recording.instructions));
  std::vector<std::int32_t> labels = labels_of(recording);
  OneValue<Rule> object(recording, constants);
  return std::make_unique<JustInTime<OneValue<Rule>>>(std::move(recording.operations), std::move(labels),
                                                      std::move(object), stop);
}

}  // namespace

std::unique_ptr<FrontierSearch> value_search(Recording recording, const specs::Blueprint& blueprint, StopToken& stop) {
  const specs::Constants& constants = blueprint.constants;
  if (blueprint.kind == "register") return search_of<specs::Register>(std::move(recording), constants, stop);
  if (blueprint.kind == "map") return search_of<specs::Entry>(std::move(recording), constants, stop);
  if (blueprint.kind == "set") return search_of<specs::Element>(std::move(recording), constants, stop);
  return search_of<specs::Mutex>(std::move(recording), constants, stop);
}

}  // namespace linpoint::frontiers
