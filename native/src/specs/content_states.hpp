// SPDX-License-Identifier: Apache-2.0
// States that are contents, numbered: equal contents have equal numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "hashing.hpp"
#include "linpoint/specs/integer_spec.hpp"

namespace linpoint::specs {

/// Approximate overhead of one entry of a standard hash map.
inline constexpr std::size_t kMapEntry = 48;

/// Sequences of values. Cost: O(length) time and memory for each new one. They are never moved.
class Sequences {
 public:
  Sequences() { number({}); }

  State number(std::span<const std::int32_t> content) {
    std::uint64_t hash = content.size();
    for (const std::int32_t value : content)
      hash = mix(hash ^ static_cast<std::uint32_t>(value)) + 0x9e3779b97f4a7c15ULL;
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto found = first; found != last; ++found)
      if (std::ranges::equal(content, this->content(found->second))) return found->second;
    const auto state = static_cast<State>(contents_.size());
    contents_.push_back(store(content));
    by_hash_.emplace(hash, state);
    return state;
  }

  [[nodiscard]] std::span<const std::int32_t> content(State state) const {
    return contents_[static_cast<std::size_t>(state)];
  }

  [[nodiscard]] std::size_t bytes() const {
    return stored_ + contents_.capacity() * sizeof(std::span<const std::int32_t>) + contents_.size() * kMapEntry;
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 14U;

  std::span<const std::int32_t> store(std::span<const std::int32_t> content) {
    if (content.size() > left_) {
      left_ = std::max(kBlock, content.size());
      blocks_.push_back(std::make_unique_for_overwrite<std::int32_t[]>(left_));
      next_ = blocks_.back().get();
      stored_ += left_ * sizeof(std::int32_t);
    }
    std::int32_t* const begin = next_;
    next_ = std::ranges::copy(content, begin).out;
    left_ -= content.size();
    return {begin, content.size()};
  }

  std::vector<std::unique_ptr<std::int32_t[]>> blocks_;
  std::int32_t* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t stored_ = 0;
  std::vector<std::span<const std::int32_t>> contents_;
  std::unordered_multimap<std::uint64_t, State> by_hash_;
};

/// Stacks that share everything below their tops. Cost: O(1) for each new one.
class Stacks {
 public:
  static constexpr State kEmpty = 0;

  State push(State below, std::int32_t value) {
    const std::uint64_t key =
        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(below)) << 32U) | static_cast<std::uint32_t>(value);
    const auto [found, fresh] = numbers_.try_emplace(key, static_cast<State>(cells_.size()));
    if (fresh) cells_.push_back({below, value});
    return found->second;
  }
  [[nodiscard]] State below(State state) const { return cells_[static_cast<std::size_t>(state)].below; }
  [[nodiscard]] std::int32_t top(State state) const { return cells_[static_cast<std::size_t>(state)].value; }
  [[nodiscard]] std::size_t bytes() const { return cells_.capacity() * sizeof(Cell) + numbers_.size() * kMapEntry; }

 private:
  struct Cell {
    State below;
    std::int32_t value;
  };
  std::vector<Cell> cells_{{kEmpty, -1}};
  std::unordered_map<std::uint64_t, State> numbers_;
};

/// Multisets of small numbers as binary tries that share nodes; the lowest level holds counts. Cost: logarithmic in the
/// number of distinct numbers, for each new one.
class Multisets {
 public:
  static constexpr State kEmpty = 0;
  static constexpr std::int32_t kNothing = -1;

  /// `numbers` is the exclusive bound of the members.
  explicit Multisets(std::size_t numbers) {
    while ((std::size_t{2} << levels_) < numbers) ++levels_;
  }

  /// The multiset with one more of `number`, or one fewer.
  State change(State state, std::int32_t number, std::int32_t by) { return change(state, levels_, number, by); }

  [[nodiscard]] std::int32_t largest(State state) const {
    if (state == kEmpty) return kNothing;
    std::int32_t number = 0;
    for (int level = levels_; level >= 0; --level) {
      const Node& node = nodes_[static_cast<std::size_t>(state)];
      number = 2 * number + (node.high != 0 ? 1 : 0);
      state = node.high != 0 ? node.high : node.low;
    }
    return number;
  }

  [[nodiscard]] std::size_t bytes() const { return nodes_.capacity() * sizeof(Node) + numbers_.size() * kMapEntry; }

 private:
  struct Node {
    std::int32_t low;
    std::int32_t high;
  };

  State change(State state, int level, std::int32_t number, std::int32_t by) {
    Node node = nodes_[static_cast<std::size_t>(state)];
    std::int32_t& part = ((number >> level) & 1) != 0 ? node.high : node.low;
    part = level == 0 ? part + by : change(part, level - 1, number, by);
    if (node.low == 0 && node.high == 0) return kEmpty;
    const std::uint64_t key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(node.high)) << 32U) |
                              static_cast<std::uint32_t>(node.low);
    const auto [found, fresh] = numbers_.try_emplace(key, static_cast<State>(nodes_.size()));
    if (fresh) nodes_.push_back(node);
    return found->second;
  }

  int levels_ = 0;
  std::vector<Node> nodes_{{0, 0}};
  std::unordered_map<std::uint64_t, State> numbers_;
};

}  // namespace linpoint::specs
