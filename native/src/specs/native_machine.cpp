// SPDX-License-Identifier: Apache-2.0
#include "linpoint/specs/native_machine.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "linpoint/specs/transition_table.hpp"
#include "specs/contents.hpp"
#include "specs/instruction.hpp"

namespace linpoint::specs {
namespace {

constexpr State kRejected = -1;

State keep_if(const Instruction& op, std::int32_t given, State after) { return op.allows(given) ? after : kRejected; }

/// A register: the state is its value.
struct Register {
  Constants constants;

  [[nodiscard]] static State hopeless() { return kUnseen; }

  [[nodiscard]] State state(std::span<const std::int64_t> content) const { return static_cast<State>(content[0]); }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    switch (op.code) {
      case Code::kRead:
        return keep_if(op, state, state);
      case Code::kWrite:
        return op.first;
      case Code::kSwap:
        return keep_if(op, state, op.first);
      case Code::kCas:
        return state == op.first ? keep_if(op, constants.yes, op.second) : keep_if(op, constants.no, state);
      default:
        return kRejected;
    }
  }

  [[nodiscard]] Trait trait(const Instruction& op) const {
    switch (op.code) {
      case Code::kRead:
        return {.reads = true, .determines = op.want != kAny};
      case Code::kCas:
        return {.reads = op.want == constants.no, .determines = op.want == constants.yes};
      default:
        return {.determines = true};
    }
  }

  /// An optional operation that leaves a value nobody saw never helps: whatever follows it overwrites the value first.
  /// Not so where a compare-and-set failed, or may have, since it may have failed because of that very value.
  void find_idle(std::span<const Instruction> exact, std::span<const Instruction> loose,
                 std::vector<Trait>& traits) const {
    std::unordered_set<std::int32_t> seen;
    for (const Instruction& op : exact) {
      if (op.code == Code::kCas && op.want != constants.yes) return;
      if (op.code == Code::kRead || op.code == Code::kSwap) seen.insert(op.want);
      if (op.code == Code::kCas) seen.insert(op.first);
    }
    std::vector<bool> kept(loose.size());
    for (bool changed = true; changed;) {  // a compare-and-set that is kept has seen its old value
      changed = false;
      for (std::size_t i = 0; i < loose.size(); ++i) {
        const Instruction& op = loose[i];
        const bool leaves = op.code == Code::kWrite || op.code == Code::kSwap || op.code == Code::kCas;
        const std::int32_t value = op.code == Code::kCas ? op.second : op.first;
        if (kept[i] || !leaves || !seen.contains(value)) continue;
        kept[i] = changed = true;
        if (op.code == Code::kCas) seen.insert(op.first);
      }
    }
    for (std::size_t i = 0; i < loose.size(); ++i) traits[exact.size() + i].idle = !kept[i];
  }
};

/// One entry of a map: 0 when absent, else its value plus one.
struct Entry {
  static constexpr State kAbsent = 0;
  Constants constants;

  [[nodiscard]] static State hopeless() { return kUnseen + 1; }

  [[nodiscard]] State state(std::span<const std::int64_t> content) const {
    return content.empty() ? kAbsent : static_cast<State>(content[0]) + 1;
  }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    const bool present = state != kAbsent;
    const std::int32_t value = present ? state - 1 : constants.null;
    const auto truth = [&](bool is) { return is ? constants.yes : constants.no; };
    switch (op.code) {
      case Code::kGet:
        return keep_if(op, value, state);
      case Code::kPut:
        return op.first + 1;
      case Code::kInsert:
        return keep_if(op, truth(!present), present ? state : op.first + 1);
      case Code::kDelete:
        return keep_if(op, truth(present), kAbsent);
      case Code::kCasEntry:
        return value == op.first ? keep_if(op, constants.yes, op.second + 1) : keep_if(op, constants.no, state);
      case Code::kContains:
        return keep_if(op, truth(present), state);
      default:
        return kRejected;
    }
  }

  [[nodiscard]] Trait trait(const Instruction& op) const {
    const bool said_no = op.want == constants.no;
    const bool said_yes = op.want == constants.yes;
    switch (op.code) {
      case Code::kGet:  // null is a value as well as an absent entry
        return {.reads = true, .determines = op.want != kAny && op.want != constants.null};
      case Code::kContains:
        return {.reads = true, .determines = said_no};
      case Code::kInsert:
      case Code::kCasEntry:
        return {.reads = said_no, .determines = said_yes};
      case Code::kDelete:
        return {.reads = said_no, .determines = true};
      case Code::kPut:
        return {.determines = true};
      default:
        return {};
    }
  }
};

/// One element of a set: 1 when it is in.
struct Element {
  Constants constants;

  [[nodiscard]] State state(std::span<const std::int64_t> content) const { return content.empty() ? 0 : 1; }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    const auto truth = [&](bool is) { return is ? constants.yes : constants.no; };
    switch (op.code) {
      case Code::kAdd:
        return keep_if(op, truth(state == 0), 1);
      case Code::kRemove:
        return keep_if(op, truth(state == 1), 0);
      case Code::kHas:
        return keep_if(op, truth(state == 1), state);
      default:
        return kRejected;
    }
  }

  [[nodiscard]] Trait trait(const Instruction& op) const {
    if (op.code == Code::kHas) return {.reads = true, .determines = op.want != kAny};
    return {.reads = op.want == constants.no, .determines = true};
  }
};

/// A lock: 1 when it is held.
struct Mutex {
  Constants constants;

  [[nodiscard]] State state(std::span<const std::int64_t> content) const { return static_cast<State>(content[0]); }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    switch (op.code) {
      case Code::kAcquire:
        return state == 0 ? 1 : kRejected;
      case Code::kRelease:
        return state == 1 ? 0 : kRejected;
      case Code::kTryAcquire:
        return keep_if(op, state == 0 ? constants.yes : constants.no, 1);
      default:
        return kRejected;
    }
  }

  [[nodiscard]] Trait trait(const Instruction& op) const {
    return {.reads = op.code == Code::kTryAcquire && op.want == constants.no, .determines = true};
  }
};

/// A counter: the state is the number of its value.
struct Counter {
  mutable std::unordered_map<std::int64_t, State> numbers;
  mutable std::vector<std::int64_t> values;

  State number(std::int64_t value) const {
    const auto [found, fresh] = numbers.try_emplace(value, static_cast<State>(values.size()));
    if (fresh) values.push_back(value);
    return found->second;
  }

  [[nodiscard]] State state(std::span<const std::int64_t> content) const { return number(content[0]); }
  [[nodiscard]] std::size_t bytes() const { return values.size() * (kMapEntry + sizeof(values[0])); }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    const std::int64_t value = values[static_cast<std::size_t>(state)];
    if (op.code == Code::kCount) return number(value + op.amount);
    if (op.code == Code::kReadCount) return op.want == kAny || op.amount == value ? state : kRejected;
    return kRejected;
  }

  [[nodiscard]] Trait trait(const Instruction& op) const {
    return {.reads = op.code == Code::kReadCount, .determines = op.code == Code::kReadCount && op.want != kAny};
  }
};

struct Queue {
  Constants constants;
  std::optional<std::int64_t> capacity;
  mutable Sequences contents;

  [[nodiscard]] std::size_t bytes() const { return contents.bytes(); }

  [[nodiscard]] State state(std::span<const std::int64_t> content) const {
    const std::vector<std::int32_t> items(content.begin(), content.end());
    return contents.number(items);
  }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    const auto items = contents.content(state);
    const std::int32_t front = items.empty() ? constants.null : items.front();
    switch (op.code) {
      case Code::kEnqueue: {
        if (capacity && static_cast<std::int64_t>(items.size()) >= *capacity) return keep_if(op, constants.no, state);
        if (!op.allows(constants.yes)) return kRejected;
        std::vector<std::int32_t> longer(items.begin(), items.end());
        longer.push_back(op.first);
        return contents.number(longer);
      }
      case Code::kDequeue: {
        if (!op.allows(front) || items.empty()) return keep_if(op, front, state);
        const std::vector<std::int32_t> shorter(items.begin() + 1, items.end());
        return contents.number(shorter);
      }
      case Code::kFront:
        return keep_if(op, front, state);
      default:
        return kRejected;
    }
  }

  [[nodiscard]] Trait trait(const Instruction& op) const {
    return {.reads = op.code == Code::kFront || (op.code == Code::kEnqueue && op.want == constants.no)};
  }
};

struct Stack {
  Constants constants;
  mutable Stacks contents;

  [[nodiscard]] std::size_t bytes() const { return contents.bytes(); }

  [[nodiscard]] State state(std::span<const std::int64_t> content) const {
    State state = Stacks::kEmpty;
    for (const std::int64_t item : content) state = contents.push(state, static_cast<std::int32_t>(item));
    return state;
  }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    const std::int32_t top = state == Stacks::kEmpty ? constants.null : contents.top(state);
    switch (op.code) {
      case Code::kPush:
        return contents.push(state, op.first);
      case Code::kPop:
        return keep_if(op, top, contents.below(state));
      case Code::kTop:
        return keep_if(op, top, state);
      default:
        return kRejected;
    }
  }

  [[nodiscard]] static Trait trait(const Instruction& op) { return {.reads = op.code == Code::kTop}; }
};

/// An entry of a map whose strings grow. Strings that are made on the way get numbers behind the history's values, but
/// those that are no beginning of any string seen are one: whatever is appended, nobody can tell them apart.
struct GrowingEntry {
  Entry entry;
  mutable std::vector<std::optional<std::string>> strings;
  mutable std::unordered_map<std::string, std::int32_t> numbers;
  mutable std::size_t written = 0;
  std::vector<std::string> seen;  // sorted
  std::int32_t unseen;

  GrowingEntry(const Constants& constants, std::vector<std::optional<std::string>> known,
               const std::unordered_set<std::int32_t>& values)
      : entry{constants}, strings(std::move(known)), unseen(static_cast<std::int32_t>(strings.size())) {
    for (std::size_t i = 0; i < strings.size(); ++i) {
      if (!strings[i]) continue;
      numbers.emplace(*strings[i], static_cast<std::int32_t>(i));
      if (values.contains(static_cast<std::int32_t>(i))) seen.push_back(*strings[i]);
    }
    std::sort(seen.begin(), seen.end());
    strings.emplace_back("");
  }

  [[nodiscard]] std::size_t bytes() const { return written; }
  [[nodiscard]] State hopeless() const { return unseen + 1; }

  [[nodiscard]] State state(std::span<const std::int64_t> content) const { return entry.state(content); }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    if (op.code != Code::kAppend) return entry.apply(state, op);
    if (state == hopeless()) return state;
    std::string text;
    if (state != Entry::kAbsent) {
      const auto& before = strings[static_cast<std::size_t>(state - 1)];
      if (!before) return kRejected;
      text = *before;
    }
    text += *strings[static_cast<std::size_t>(op.first)];
    const auto next = std::lower_bound(seen.begin(), seen.end(), text);
    if (next == seen.end() || !next->starts_with(text)) return hopeless();
    const auto [found, fresh] = numbers.try_emplace(text, static_cast<std::int32_t>(strings.size()));
    if (fresh) {
      written += 2 * text.size() + 2 * kMapEntry;
      strings.emplace_back(std::move(text));
    }
    return found->second + 1;
  }

  [[nodiscard]] Trait trait(const Instruction& op) const { return entry.trait(op); }
};

/// The values that some operation looks for: results, and what a compare-and-set compares with.
std::unordered_set<std::int32_t> values_seen(std::span<const Instruction> code) {
  std::unordered_set<std::int32_t> seen;
  for (const Instruction& op : code) {
    seen.insert(op.want);
    if (op.code == Code::kCas || op.code == Code::kCasEntry) seen.insert(op.first);
  }
  return seen;
}

/// Makes one of all values that are stored and that no operation looks for: nobody can tell them apart.
void merge_unseen(std::span<Instruction> code, const std::unordered_set<std::int32_t>& seen) {
  for (Instruction& op : code) {
    switch (op.code) {
      case Code::kWrite:
      case Code::kSwap:
      case Code::kPut:
      case Code::kInsert:
      case Code::kEnqueue:
      case Code::kPush:
        if (!seen.contains(op.first)) op.first = kUnseen;
        break;
      case Code::kCas:
      case Code::kCasEntry:
        if (!seen.contains(op.second)) op.second = kUnseen;
        break;
      default:
        break;
    }
  }
}

/// Takes steps by calling a rule that needs no memory of its own.
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

/// Takes steps by asking a rule that numbers states as it meets them, and remembers the answers. What the rule holds
/// more since the first question of these steps counts as their memory.
template <typename Rule>
class SharedSteps final : public Steps {
 public:
  SharedSteps(const Rule& rule, std::span<const Instruction> code, std::mutex& mutex, search::StopToken& stop)
      : stop_(stop),
        table_(
            [&rule, code, &mutex, this](State state, Symbol symbol, std::vector<State>& out) {
              const std::lock_guard lock(mutex);
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

/// `kShared`: the rule numbers states as it meets them, so it is asked under a lock and its answers are remembered.
template <typename Rule, bool kShared>
class RuleMachine final : public NativeMachine {
 public:
  RuleMachine(Rule rule, std::vector<Instruction> code, std::vector<Trait> traits, State hopeless)
      : NativeMachine(std::move(traits), hopeless), rule_(std::move(rule)), code_(std::move(code)) {}

  [[nodiscard]] State state(std::span<const std::int64_t> content) const override {
    const std::lock_guard lock(mutex_);
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

template <bool kShared, typename Rule>
std::unique_ptr<NativeMachine> make(Rule rule, std::vector<Instruction> code, std::size_t exact) {
  std::vector<Trait> traits;
  traits.reserve(code.size());
  for (const Instruction& op : code) traits.push_back(rule.trait(op));
  State hopeless = kNoState;
  if constexpr (requires { rule.hopeless(); }) {
    hopeless = rule.hopeless();
    for (std::size_t i = 0; i < code.size(); ++i) {
      const State after = rule.apply(hopeless, code[i]);
      traits[i].despairs = after == kRejected;
      traits[i].revives = after != kRejected && after != hopeless;
    }
  }
  if constexpr (requires { rule.find_idle({}, {}, traits); })
    rule.find_idle(std::span(code).first(exact), std::span(code).subspan(exact), traits);
  return std::make_unique<RuleMachine<Rule, kShared>>(std::move(rule), std::move(code), std::move(traits), hopeless);
}

}  // namespace

std::unique_ptr<NativeMachine> native_machine(const histories::Columns& columns, const Blueprint& blueprint,
                                              std::span<const std::int32_t> exact,
                                              std::span<const std::int32_t> loose) {
  std::vector<Instruction> code;
  code.reserve(exact.size() + loose.size());
  bool grows = false;
  for (std::size_t i = 0; i < exact.size() + loose.size(); ++i) {
    const bool is_loose = i >= exact.size();
    const auto position = static_cast<std::size_t>(is_loose ? loose[i - exact.size()] : exact[i]);
    // An operation without a result is never asked for with one.
    const bool asked = is_loose || columns.certain(position);
    const auto instruction = asked ? compile(columns, blueprint, position, is_loose) : Instruction{};
    if (!instruction) return nullptr;
    grows = grows || instruction->code == Code::kAppend;
    code.push_back(*instruction);
  }
  const auto seen = values_seen(code);
  if (!grows) merge_unseen(code, seen);
  const Constants& constants = blueprint.constants;
  if (blueprint.kind == "register") return make<false>(Register{constants}, std::move(code), exact.size());
  if (blueprint.kind == "map" && grows)
    return make<true>(GrowingEntry(constants, blueprint.strings, seen), std::move(code), exact.size());
  if (blueprint.kind == "map") return make<false>(Entry{constants}, std::move(code), exact.size());
  if (blueprint.kind == "set") return make<false>(Element{constants}, std::move(code), exact.size());
  if (blueprint.kind == "mutex") return make<false>(Mutex{constants}, std::move(code), exact.size());
  if (blueprint.kind == "counter") return make<true>(Counter{}, std::move(code), exact.size());
  if (blueprint.kind == "queue")
    return make<true>(Queue{constants, blueprint.capacity, {}}, std::move(code), exact.size());
  if (blueprint.kind == "stack") return make<true>(Stack{constants, {}}, std::move(code), exact.size());
  return nullptr;
}

}  // namespace linpoint::specs
