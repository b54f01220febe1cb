// SPDX-License-Identifier: Apache-2.0
// Step functions of objects whose state is a value: register, entry of a map, element of a set or multiset, lock,
// semaphore.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "linpoint/specs/integer_spec.hpp"
#include "specs/native_operation.hpp"

namespace linpoint::specs {

inline constexpr State kRejected = -1;

inline State keep_if(const Instruction& op, std::int32_t given, State after) {
  return op.allows(given) ? after : kRejected;
}

/// A register: the state is its value.
struct Register {
  Constants constants;

  [[nodiscard]] static State hopeless() { return kUnseen; }

  [[nodiscard]] static State state(std::span<const std::int64_t> content) { return static_cast<State>(content[0]); }

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

  /// An optional operation that leaves an unobserved value never helps: whatever follows it overwrites the value first.
  /// That does not hold if a compare-and-set failed, or may have, since this very value may have caused the failure.
  void find_idle(std::span<const Instruction> exact, std::span<const Instruction> loose,
                 std::vector<Trait>& traits) const {
    std::vector<std::int32_t> looked_for;
    for (const Instruction& op : exact) {
      if (op.code == Code::kCas && op.want != constants.yes) return;
      if (op.code == Code::kRead || op.code == Code::kSwap) looked_for.push_back(op.want);
      if (op.code == Code::kCas) looked_for.push_back(op.first);
    }
    std::unordered_multimap<std::int32_t, std::size_t> leaving;  // by the value they leave
    for (std::size_t i = 0; i < loose.size(); ++i)
      if (loose[i].code == Code::kWrite || loose[i].code == Code::kSwap || loose[i].code == Code::kCas)
        leaving.emplace(loose[i].code == Code::kCas ? loose[i].second : loose[i].first, i);
    std::vector<bool> kept(loose.size());
    while (!looked_for.empty()) {
      const auto [first, last] = leaving.equal_range(looked_for.back());
      looked_for.pop_back();
      for (auto found = first; found != last; ++found) {
        kept[found->second] = true;  // and a compare-and-set that is kept observes its old value
        if (loose[found->second].code == Code::kCas) looked_for.push_back(loose[found->second].first);
      }
      leaving.erase(first, last);
    }
    for (std::size_t i = 0; i < loose.size(); ++i) traits[exact.size() + i].idle = !kept[i];
  }
};

/// One entry of a map: 0 when absent, else its value plus one.
struct Entry {
  static constexpr State kAbsent = 0;
  Constants constants;

  [[nodiscard]] static State hopeless() { return kUnseen + 1; }

  [[nodiscard]] static State state(std::span<const std::int64_t> content) {
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

  [[nodiscard]] static State state(std::span<const std::int64_t> content) { return content.empty() ? 0 : 1; }

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

  [[nodiscard]] static State state(std::span<const std::int64_t> content) { return static_cast<State>(content[0]); }

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

/// A semaphore, or one element of a multiset: the number of permits or copies.
struct Permits {
  Constants constants;

  [[nodiscard]] static State state(std::span<const std::int64_t> content) {
    return content.empty() ? 0 : static_cast<State>(content[0]);
  }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    const State fewer = state > 0 ? state - 1 : kRejected;
    switch (op.code) {
      case Code::kRelease:
      case Code::kAdd:
        return state + 1;
      case Code::kAcquire:
        return fewer;
      case Code::kTryAcquire:
      case Code::kRemove:
        return state > 0 ? keep_if(op, constants.yes, fewer) : keep_if(op, constants.no, state);
      case Code::kReadCount:
        return op.want == kAny || op.wanted == state ? state : kRejected;
      default:
        return kRejected;
    }
  }

  [[nodiscard]] Trait trait(const Instruction& op) const {
    if (op.code == Code::kReadCount) return {.reads = true, .determines = op.want != kAny};
    const bool failed = (op.code == Code::kTryAcquire || op.code == Code::kRemove) && op.want == constants.no;
    return {.reads = failed, .determines = failed};
  }
};

}  // namespace linpoint::specs
