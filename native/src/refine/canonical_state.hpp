// SPDX-License-Identifier: Apache-2.0
// One state for all that differ only in what nodes are numbered, which processes are which, and what nobody can reach.
//
// Nodes are numbered as they are found, from the cells first and then from the processes in their order; what is not
// found is gone. Processes of one group are sorted by their blocks, in which nodes that no cell leads to count alike;
// where that leaves a choice, every order is tried and the least state taken. What the specification allows is permuted
// with them: with processes sorted and the specification left as it is, verdicts would be wrong. Cost: O(slots), times
// the orders tried.
#pragma once

#include <array>
#include <vector>

#include "linpoint/refine/allowed_configuration_sets.hpp"
#include "refine/model_heap.hpp"

namespace linpoint::refine {

class Canonical {
 public:
  /// Without `sets` what the specification allows stays as it is.
  Canonical(const Program& program, SpecSets* sets);

  /// Makes `s` the one that stands for all; `process` has made the last step.
  void apply(Slot* s, unsigned process);
  /// Only says whose it is to give back nodes, and forgets those that nobody can reach; all keep their numbers.
  void settle(Slot* s, unsigned process);
  /// Which process of the state before is now at each place.
  [[nodiscard]] const std::array<std::uint8_t, kMostProcesses>& order() const { return order_; }

 private:
  using Order = std::array<std::uint8_t, kMostProcesses>;

  enum class Part : std::uint8_t { kShared, kOthers };

  template <bool kOneClass, Part kPart>
  void find(const Slot* s, const Order& order);
  void find_shared(const Slot* s);
  void sort(const Slot* s);
  bool map_block(Slot* block) const;
  void build(const Slot* s, const Order& order, Slot* out);
  void build_heap(const Slot* s, const Order& order, Slot* out) const;
  void rename(Slot* s);
  void try_orders(Slot* s);
  void number_from(const Slot* s, const Order& order);
  [[nodiscard]] bool is_in_place(const Slot* s) const;
  [[nodiscard]] Slot mapped(Slot value) const;
  [[nodiscard]] Slot mapped_address(Slot address) const;
  [[nodiscard]] int compare(unsigned one, unsigned other) const;
  [[nodiscard]] bool same_group(unsigned one, unsigned other) const;
  [[nodiscard]] Slot permuted(Slot set, const Order& order);

  const Program& p_;
  SpecSets* sets_;
  Memory memory_;
  bool heap_;
  bool symmetric_;
  bool simple_;  // nodes are of one class, and only cells, fields and registers lead to them
  Order order_{};
  bool ties_ = false;
  std::array<std::uint8_t, kMostNodes> number_{};  // of each node within its class, plus 1; 0 for one not found
  std::array<std::uint8_t, kMostNodes> found_{};   // nodes in the order in which they were found
  std::uint32_t found_count_ = 0;
  std::uint32_t worked_ = 0;         // of those, so many were looked through
  std::vector<std::uint32_t> next_;  // of each class
  std::vector<std::uint32_t> class_of_;
  std::vector<Slot> keys_;
  std::vector<Slot> made_;
  std::vector<Slot> best_;
};

}  // namespace linpoint::refine
