// SPDX-License-Identifier: Apache-2.0
// Maps configurations of one layer to numbers: an open-addressing table that is cleared in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashing.hpp"
#include "linpoint/specs/integer_spec.hpp"

namespace linpoint::eras {

/// Which of the open operations took effect, and the resulting state.
struct Node {
  std::uint64_t mask;
  specs::State state;
  friend bool operator==(const Node&, const Node&) = default;
};

class NodeTable {
 public:
  static constexpr std::size_t kAbsent = ~std::size_t{0};

  void clear() {
    ++round_;
    size_ = 0;
  }

  /// The number of a node; kAbsent if there is none.
  [[nodiscard]] std::size_t find(const Node& node) const {
    if (slots_.empty()) return kAbsent;
    for (std::size_t at = place(node);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].round != round_) return kAbsent;
      if (slots_[at].node == node) return slots_[at].number;
    }
  }

  /// Adds a node with its number; false if it is already there.
  bool insert(const Node& node, std::size_t number) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    std::size_t at = place(node);
    for (; slots_[at].round == round_; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].node == node) return false;
    slots_[at] = {node, number, round_};
    ++size_;
    return true;
  }

 private:
  struct Slot {
    Node node{};
    std::size_t number = 0;
    std::uint64_t round = 0;
  };

  [[nodiscard]] std::size_t place(const Node& node) const {
    return mix(node.mask ^ mix(static_cast<std::uint32_t>(node.state) + 0x9e3779b97f4a7c15ULL)) & (slots_.size() - 1);
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    size_ = 0;
    for (const Slot& slot : old)
      if (slot.round == round_) insert(slot.node, slot.number);
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  std::uint64_t round_ = 1;
};

}  // namespace linpoint::eras
