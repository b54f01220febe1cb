// SPDX-License-Identifier: Apache-2.0
#include "linpoint/specs/native_machine.hpp"

#include <algorithm>
#include <mutex>

#include "linpoint/specs/transition_table.hpp"
#include "specs/numbered_state_rules.hpp"
#include "specs/plain_state_rules.hpp"
#include "specs/unseen_values.hpp"

namespace linpoint::specs {
namespace {

/// Computes steps with a rule that needs no memory of its own.
template <typename Rule>
class DirectSteps final : public Steps {
 public:
  DirectSteps(const Rule& rule, std::span<const Instruction> code) : rule_(rule), code_(code) {}
  std::span<const State> step(State state, Symbol symbol) override {
    after_ = rule_.apply(state, code_[static_cast<std::size_t>(symbol)]);
    return {&after_, after_ == kRejected ? std::size_t{0} : std::size_t{1}};
  }

 private:
  const Rule& rule_;
  std::span<const Instruction> code_;
  State after_ = kRejected;
};

/// Computes steps with a rule that numbers states as they appear, and caches the results. The growth of the rule since
/// the first query of these steps counts as their memory.
template <typename Rule>
class SharedSteps final : public Steps {
 public:
  SharedSteps(const Rule& rule, std::span<const Instruction> code, std::mutex& mutex, search::StopToken& stop)
      : stop_(stop),
        table_(
            [&rule, code, &mutex, this](State state, Symbol symbol, std::vector<State>& out) {
              const std::scoped_lock lock(mutex);
              const std::size_t before = rule.bytes();
              const State after = rule.apply(state, code[static_cast<std::size_t>(symbol)]);
              if (after != kRejected) out.push_back(after);
              const std::size_t more = rule.bytes() - before;
              if (more > 0 && stop_.reserve(more)) taken_ += more;
            },
            stop) {}
  ~SharedSteps() override { stop_.release(taken_); }
  std::span<const State> step(State state, Symbol symbol) override { return table_.step(state, symbol); }

 private:
  search::StopToken& stop_;
  std::size_t taken_ = 0;
  TransitionTable table_;
};

/// `kShared`: the rule numbers states as they appear, so it is called under a lock and its results are cached.
template <typename Rule, bool kShared>
class RuleMachine final : public NativeMachine {
 public:
  RuleMachine(Rule rule, std::vector<Instruction> code, std::vector<Trait> traits, State hopeless)
      : NativeMachine(std::move(traits), hopeless), rule_(std::move(rule)), code_(std::move(code)) {}

  [[nodiscard]] State state(std::span<const std::int64_t> content) const override {
    const std::scoped_lock lock(mutex_);
    return rule_.state(content);
  }

  [[nodiscard]] std::unique_ptr<Steps> steps(search::StopToken& stop) const override {
    if constexpr (kShared) {
      return std::make_unique<SharedSteps<Rule>>(rule_, code_, mutex_, stop);
    } else {
      return std::make_unique<DirectSteps<Rule>>(rule_, code_);
    }
  }

 private:
  Rule rule_;
  std::vector<Instruction> code_;
  mutable std::mutex mutex_;
};

template <typename Rule>
State hopeless_of(const Rule& rule) {
  if constexpr (requires { rule.hopeless(); })
    return rule.hopeless();
  else
    return kNoState;
}

template <bool kShared, typename Rule>
std::unique_ptr<NativeMachine> make(Rule rule, std::vector<Instruction> code, std::size_t exact) {
  std::vector<Trait> traits;
  traits.reserve(code.size());
  for (const Instruction& op : code) traits.push_back(rule.trait(op));
  const State hopeless = hopeless_of(rule);
  for (std::size_t i = 0; hopeless != kNoState && i < code.size(); ++i) {
    const State after = rule.apply(hopeless, code[i]);
    traits[i].despairs = after == kRejected;
    traits[i].revives = after != kRejected && after != hopeless;
  }
  if constexpr (requires { rule.find_idle({}, {}, traits); })
    rule.find_idle(std::span(code).first(exact), std::span(code).subspan(exact), traits);
  return std::make_unique<RuleMachine<Rule, kShared>>(std::move(rule), std::move(code), std::move(traits), hopeless);
}

}  // namespace

std::unique_ptr<NativeMachine> native_machine(const histories::Columns& columns, const Blueprint& blueprint,
                                              std::span<const std::int32_t> exact,
                                              std::span<const std::int32_t> loose) {
  const Compiler compiler(columns, blueprint);
  std::vector<Instruction> code;
  code.reserve(exact.size() + loose.size());
  bool grows = false;
  for (std::size_t i = 0; i < exact.size() + loose.size(); ++i) {
    const bool is_loose = i >= exact.size();
    const auto position = static_cast<std::size_t>(is_loose ? loose[i - exact.size()] : exact[i]);
    // An operation without a result never has a required result.
    const bool asked = is_loose || columns.certain(position);
    const auto instruction = asked ? compiler.compile(position, is_loose) : Instruction{};
    if (!instruction) return nullptr;
    if (instruction->code == Code::kAppend) {
      grows = true;
      if (!blueprint.strings[static_cast<std::size_t>(instruction->first)]) return nullptr;  // the spec rejects it
    }
    code.push_back(*instruction);
  }
  const auto seen = values_seen(code);
  if (!grows && blueprint.kind != "priority-queue") merge_unseen(code, seen);  // priorities are compared with others
  const Constants& constants = blueprint.constants;
  if (blueprint.kind == "register") return make<false>(Register{constants}, std::move(code), exact.size());
  if (blueprint.kind == "map" && grows)
    return make<true>(GrowingEntry(constants, blueprint.strings, seen), std::move(code), exact.size());
  if (blueprint.kind == "map") return make<false>(Entry{constants}, std::move(code), exact.size());
  if (blueprint.kind == "set") return make<false>(Element{constants}, std::move(code), exact.size());
  if (blueprint.kind == "mutex") return make<false>(Mutex{constants}, std::move(code), exact.size());
  if (blueprint.kind == "counter" || blueprint.kind == "fetch-add")
    return make<true>(Counter(), std::move(code), exact.size());
  if (blueprint.kind == "queue")
    return make<true>(Queue{constants, blueprint.capacity, {}}, std::move(code), exact.size());
  if (blueprint.kind == "stack") return make<true>(Stack{constants, {}}, std::move(code), exact.size());
  if (blueprint.kind == "deque") return make<true>(Deque{constants, {}}, std::move(code), exact.size());
  const auto compares = [&](const Instruction& op) {  // NaN is not comparable
    return op.code != Code::kPush || blueprint.integers[static_cast<std::size_t>(op.first)] != kNoInteger;
  };
  if (blueprint.kind == "priority-queue" && !std::ranges::all_of(code, compares)) return nullptr;
  if (blueprint.kind == "priority-queue")
    return make<true>(PriorityQueue(constants, blueprint.integers), std::move(code), exact.size());
  if (blueprint.kind == "semaphore" || blueprint.kind == "multiset")
    return make<false>(Permits{constants}, std::move(code), exact.size());
  return nullptr;
}

}  // namespace linpoint::specs
