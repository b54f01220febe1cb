// SPDX-License-Identifier: Apache-2.0
// Step functions of objects whose states are numbered as they appear: counter, queue, stack, deque, priority queue, map
// with append. Not thread-safe: sharing one requires a lock.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "specs/content_states.hpp"
#include "specs/plain_state_rules.hpp"

namespace linpoint::specs {

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
    if (op.code != Code::kCount && op.want != kAny && op.wanted != value) return kRejected;
    if (op.code == Code::kCount || op.code == Code::kFetchAdd) return number(value + op.amount);
    return op.code == Code::kReadCount ? state : kRejected;
  }

  [[nodiscard]] static Trait trait(const Instruction& op) {
    return {.reads = op.code == Code::kReadCount, .determines = op.code != Code::kCount && op.want != kAny};
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
        if (capacity && std::cmp_greater_equal(items.size(), *capacity)) return keep_if(op, constants.no, state);
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

/// A deque: values are added and removed at both ends.
struct Deque {
  Constants constants;
  mutable Sequences contents;

  [[nodiscard]] std::size_t bytes() const { return contents.bytes(); }

  [[nodiscard]] State state(std::span<const std::int64_t> content) const {
    const std::vector<std::int32_t> items(content.begin(), content.end());
    return contents.number(items);
  }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    const auto items = contents.content(state);
    const bool front = op.code == Code::kPushFront || op.code == Code::kDequeue;
    if (op.code == Code::kPush || op.code == Code::kPushFront) {
      std::vector<std::int32_t> longer(items.begin(), items.end());
      longer.insert(front ? longer.begin() : longer.end(), op.first);
      return contents.number(longer);
    }
    if (op.code != Code::kPop && op.code != Code::kDequeue) return kRejected;
    if (items.empty()) return keep_if(op, constants.null, state);
    if (!op.allows(front ? items.front() : items.back())) return kRejected;
    return contents.number(front ? items.subspan(1) : items.first(items.size() - 1));
  }

  [[nodiscard]] static Trait trait(const Instruction& /*op*/) { return {}; }
};

/// The largest comes out first. Values are ranked by priority, and a state is a multiset of ranks.
struct PriorityQueue {
  Constants constants;
  std::vector<std::int32_t> rank;     // of each value
  std::vector<std::int32_t> by_rank;  // values
  mutable Multisets contents;

  PriorityQueue(const Constants& given, std::span<const std::int64_t> priorities)
      : constants(given), rank(priorities.size()), by_rank(priorities.size()), contents(priorities.size()) {
    for (std::size_t i = 0; i < by_rank.size(); ++i) by_rank[i] = static_cast<std::int32_t>(i);
    std::ranges::stable_sort(by_rank, {},
                             [&](std::int32_t value) { return priorities[static_cast<std::size_t>(value)]; });
    for (std::size_t i = 0; i < by_rank.size(); ++i)
      rank[static_cast<std::size_t>(by_rank[i])] = static_cast<std::int32_t>(i);
  }

  [[nodiscard]] std::size_t bytes() const { return contents.bytes(); }

  [[nodiscard]] State state(std::span<const std::int64_t> content) const {
    State state = Multisets::kEmpty;
    for (const std::int64_t item : content) state = contents.change(state, rank[static_cast<std::size_t>(item)], 1);
    return state;
  }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    const std::int32_t largest = contents.largest(state);
    const bool empty = largest == Multisets::kNothing;
    const std::int32_t value = empty ? constants.null : by_rank[static_cast<std::size_t>(largest)];
    switch (op.code) {
      case Code::kPush:
        return contents.change(state, rank[static_cast<std::size_t>(op.first)], 1);
      case Code::kPop:
        if (!op.allows(value)) return kRejected;
        return empty ? state : contents.change(state, largest, -1);
      case Code::kTop:
        return keep_if(op, value, state);
      default:
        return kRejected;
    }
  }

  [[nodiscard]] Trait trait(const Instruction& op) const {
    return {.reads = op.code == Code::kTop || (op.code == Code::kPop && op.want == constants.null)};
  }
};

/// A map entry with strings that can grow. Strings created on the way get numbers after the history's values. Those
/// that are not a prefix of any observed string are identified: whatever is appended, no operation can distinguish
/// them.
struct GrowingEntry {
  Entry entry;
  mutable std::vector<std::optional<std::string>> strings;
  mutable std::unordered_map<std::string, std::int32_t> numbers;
  mutable std::size_t written = 0;
  std::vector<std::string> seen;  // sorted
  std::int32_t unseen;

  GrowingEntry(const Constants& constants, std::vector<std::optional<std::string>> known, const ValueSet& values)
      : entry{constants}, strings(std::move(known)), unseen(static_cast<std::int32_t>(strings.size())) {
    for (std::size_t i = 0; i < strings.size(); ++i) {
      const auto& text = strings[i];
      if (!text) continue;
      numbers.emplace(*text, static_cast<std::int32_t>(i));
      if (values.contains(static_cast<std::int32_t>(i))) seen.push_back(*text);
    }
    std::sort(seen.begin(), seen.end());
    strings.emplace_back("");
  }

  [[nodiscard]] std::size_t bytes() const { return written; }
  [[nodiscard]] State hopeless() const { return unseen + 1; }

  [[nodiscard]] static State state(std::span<const std::int64_t> content) { return Entry::state(content); }

  [[nodiscard]] Trait trait(const Instruction& op) const { return entry.trait(op); }

  [[nodiscard]] State apply(State state, const Instruction& op) const {
    if (op.code != Code::kAppend) return entry.apply(state, op);
    if (state == hopeless()) return state;
    std::string text;
    if (state != Entry::kAbsent) {
      const auto& before = strings[static_cast<std::size_t>(state - 1)];
      if (!before) return kRejected;
      text = *before;
    }
    const auto& more = strings[static_cast<std::size_t>(op.first)];
    if (!more) return kRejected;
    text += *more;
    if (!may_be_seen(text)) return hopeless();
    const auto [found, fresh] = numbers.try_emplace(text, static_cast<std::int32_t>(strings.size()));
    if (fresh) {
      written += 2 * text.size() + 2 * kMapEntry;
      strings.emplace_back(std::move(text));
    }
    return found->second + 1;
  }

  [[nodiscard]] bool may_be_seen(const std::string& text) const {
    const auto next = std::lower_bound(seen.begin(), seen.end(), text);
    return next != seen.end() && next->starts_with(text);
  }
};

}  // namespace linpoint::specs
