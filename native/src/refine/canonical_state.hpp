// SPDX-License-Identifier: Apache-2.0
// Represents all states by one that differ only in the numbering of nodes, the order of processes, and unreachable
// nodes.
//
// Nodes are numbered as they are found, from the cells first and then from the processes in order; nodes not found are
// removed. Processes of one group are sorted by their blocks, in which all nodes that no cell leads to count as equal.
// If that leaves a choice, every order is tried and the smallest state is taken. The allowed configurations are
// permuted with the processes: sorting the processes alone would give wrong verdicts. Cost: O(slots), times the orders
// tried.
#pragma once

#include <array>
#include <vector>

#include "linpoint/refine/allowed_configuration_sets.hpp"
#include "refine/model_heap.hpp"

namespace linpoint::refine {

class Canonical {
 public:
  /// Without `sets` the allowed configurations stay unchanged.
  Canonical(const Program& program, SpecSets* sets);

  /// Replaces `s` by its representative; `process` has made the last step.
  void apply(Slot* s, unsigned process);
  /// Only determines which process may free each node, and removes unreachable nodes; all others keep their numbers.
  void settle(Slot* s, unsigned process);
  /// For each place, the process of the previous state that is now there.
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
  bool simple_;  // there is one class of nodes, and only cells, fields and registers lead to them
  Order order_{};
  bool ties_ = false;
  std::array<std::uint8_t, kMostNodes> number_{};  // of each node within its class, plus 1; 0 if not found
  std::array<std::uint8_t, kMostNodes> found_{};   // nodes in the order in which they were found
  std::uint32_t found_count_ = 0;
  std::uint32_t worked_ = 0;         // number of nodes already scanned
  std::vector<std::uint32_t> next_;  // of each class
  std::vector<std::uint32_t> class_of_;
  std::vector<Slot> keys_;
  std::vector<Slot> made_;
  std::vector<Slot> best_;
};

}  // namespace linpoint::refine
