// SPDX-License-Identifier: Apache-2.0
// Step functions of objects whose states are numbered as they are met: counter, queue, stack, map with append.
// Not thread-safe: whoever shares one asks it under a lock.
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

/// An entry of a map whose strings grow. Strings that are made on the way get numbers behind the history's values, but
/// those that are no beginning of any string seen are one: whatever is appended, nobody can tell them apart.
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
