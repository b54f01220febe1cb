// SPDX-License-Identifier: Apache-2.0
// Numbers nodes as they are found, in packed rows: the equivalent of `Canonical` for states whose processes keep their
// places, and whose slots fit into one word with one bit each. A single vector comparison of the row then finds the
// slots that hold nodes, and only those are visited.
//
// Guarantee: gives the row of the state that `Canonical::apply` makes. Cost: O(slots that hold nodes). Thread-safe.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "linpoint/refine/model_program.hpp"

namespace linpoint::refine {

class PackedHeap {
 public:
  explicit PackedHeap(const Program& program)
      : applies_(program.canonical_heap && program.nodes > 0 && (!program.symmetric || program.processes == 1) &&
                 program.heap == Heap::kCollected && program.classes.size() == 1 && !program.store_buffers &&
                 program.link_slot == 0 && program.slot_bytes == 1 && program.slots <= kMostSlots) {
    if (!applies_) return;
    const NodeClass& c = program.classes[0];
    slots_ = program.slots - 1;
    first_ = static_cast<std::uint8_t>(program.first_node);
    nodes_ = program.nodes;
    fields_ = c.base - 1;
    stride_ = c.stride;
    used_ = c.used - 1;
    private_ = program.private_base - 1;
    private_bytes_ = (nodes_ + 7) / 8;
    cells_ = bits(program.cells);
    for (unsigned i = 0; i < program.processes; ++i)
      registers_ |= bits(program.registers)
                    << (program.process_base - 1 + i * program.process_slots + program.registers_slot);
    values_ = cells_ | registers_ | bits(nodes_ * stride_) << fields_;
  }

  [[nodiscard]] bool applies() const { return applies_; }

  /// Rows are read up to this number of bytes beyond their end.
  static constexpr std::size_t kBeyond = 64;
  /// Renumbers the nodes of a row; whether the row changed.
  bool apply(std::uint8_t* row) const {
    const std::uint64_t pointers = holds_nodes(row) & values_;
    if (is_in_place(row, pointers)) return false;
    rename(row, pointers);
    return true;
  }

 private:
  static constexpr std::uint32_t kMostSlots = 65;  // the first one is not packed

  struct Found {
    std::uint64_t seen = 0;
    std::uint32_t count = 0;
    std::uint32_t worked = 0;
    std::array<std::uint8_t, 64> node;
    std::array<std::uint8_t, 64> code;
  };

  static std::uint64_t bits(std::uint32_t count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }

  /// One bit for each slot that may hold a node, judged by its value.
  [[nodiscard]] std::uint64_t holds_nodes(const std::uint8_t* row) const {
    std::uint64_t found = 0;
#ifdef __SSE2__
    const __m128i first = _mm_set1_epi8(static_cast<char>(first_));
    const __m128i last = _mm_set1_epi8(static_cast<char>(nodes_ - 1));
    for (std::uint32_t i = 0; i < slots_; i += 16) {
      const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + i));  // NOLINT: required by intrinsics
      const __m128i node = _mm_sub_epi8(all, first);   // NOLINT(portability-simd-intrinsics): there is a portable
                                                       // alternative
      const __m128i least = _mm_min_epu8(node, last);  // NOLINT(portability-simd-intrinsics): there is a portable
                                                       // alternative
      const int some = _mm_movemask_epi8(_mm_cmpeq_epi8(least, node));
      found |= std::uint64_t{static_cast<std::uint32_t>(some)} << i;
    }
#else
    for (std::uint32_t i = 0; i < slots_; ++i)
      found |= std::uint64_t{static_cast<std::uint8_t>(row[i] - first_) < nodes_} << i;
#endif
    return found;
  }

  /// Whether nodes already have their numbers, as after most steps: each node found was found before, or is the next
  /// one.
  [[nodiscard]] bool is_in_place(const std::uint8_t* row, std::uint64_t pointers) const {
    std::uint32_t count = 0;
    bool in_order = true;
    const auto visit = [&](std::uint64_t left) {
      const auto node = static_cast<std::uint8_t>(row[std::countr_zero(left)] - first_);
      in_order = in_order && node <= count;
      count += node == count ? 1 : 0;
    };
    std::uint64_t fields = pointers & ~(cells_ | registers_);
    const auto follow = [&] {
      for (; fields != 0 && std::cmp_less(std::countr_zero(fields), fields_ + count * stride_); fields &= fields - 1)
        visit(fields);
    };
    for (std::uint64_t left = pointers & cells_; left != 0; left &= left - 1) visit(left);
    follow();
    for (std::uint64_t left = pointers & registers_; left != 0; left &= left - 1) visit(left);
    follow();
    return in_order && count == row[used_];
  }

  void visit(const std::uint8_t* row, std::uint64_t pointers, Found& found) const {
    for (; pointers != 0; pointers &= pointers - 1) {
      const auto node = static_cast<std::uint8_t>(row[std::countr_zero(pointers)] - first_);
      if ((found.seen >> node & 1U) != 0) continue;
      found.seen |= std::uint64_t{1} << node;
      found.node[found.count] = node;
      found.code[node] = static_cast<std::uint8_t>(first_ + found.count++);
    }
  }
  void follow(const std::uint8_t* row, std::uint64_t pointers, Found& found) const {
    for (; found.worked < found.count; ++found.worked)
      visit(row, pointers & bits(stride_) << (fields_ + found.node[found.worked] * stride_), found);
  }

  void rename(std::uint8_t* row, std::uint64_t pointers) const {
    Found found;
    visit(row, pointers & cells_, found);
    follow(row, pointers, found);
    visit(row, pointers & registers_, found);
    follow(row, pointers, found);
    std::array<std::uint8_t, kBeyond> old;
    std::memcpy(old.data(), row, old.size());
    for (std::uint64_t left = pointers & (cells_ | registers_); left != 0; left &= left - 1) {
      std::uint8_t& slot = row[std::countr_zero(left)];
      slot = found.code[slot - first_];
    }
    std::uint64_t hidden = 0;
    std::memcpy(&hidden, row + private_, private_bytes_);
    std::uint64_t now = 0;
    for (std::uint32_t k = 0; k < found.count; ++k) {
      const std::uint32_t from = fields_ + found.node[k] * stride_;
      std::uint8_t* const to = row + fields_ + std::size_t{k} * stride_;
      for (std::uint32_t i = 0; i < stride_; ++i) {
        const std::uint8_t value = old[from + i];
        to[i] = (pointers >> (from + i) & 1U) != 0 ? found.code[value - first_] : value;
      }
      now |= (hidden >> found.node[k] & 1U) << k;
    }
    for (std::uint32_t i = found.count * stride_; i < row[used_] * stride_; ++i) row[fields_ + i] = 0;
    std::memcpy(row + private_, &now, private_bytes_);
    row[used_] = static_cast<std::uint8_t>(found.count);
  }

  bool applies_;
  std::uint32_t slots_ = 0;
  std::uint8_t first_ = 0;
  std::uint32_t nodes_ = 0;
  std::uint32_t fields_ = 0;
  std::uint32_t stride_ = 0;
  std::uint32_t used_ = 0;
  std::uint32_t private_ = 0;
  std::uint32_t private_bytes_ = 0;
  // One bit per slot: cells, registers of processes, and all slots that may hold a value.
  std::uint64_t cells_ = 0;
  std::uint64_t registers_ = 0;
  std::uint64_t values_ = 0;
};

}  // namespace linpoint::refine
