// SPDX-License-Identifier: Apache-2.0
// The memory of a state: the contents of addresses, who can see them, and which nodes are in use. Guarantee: a write
// preserves every invariant of the layout (links broken, nodes published, changes counted).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "linpoint/refine/model_program.hpp"

namespace linpoint::refine {

/// Values of one process during a step.
struct Frame {
  std::array<Slot, kMostRegisters + 8> r;
};

enum class Fault : std::uint8_t {
  kNothing = 0,
  kNoNode = 1,
  kWrongNode = 2,
  kOutOfRange = 3,
  kNotInteger = 4,
  kDivision = 5,
  kNotHeld = 6,
  kAssertion = 7,
  kEndless = 8,
  kReturnsNode = 9,
  // Not a fault of the model: there is too little room, and the search restarts with more.
  kRoomForNodes = 16,
  kRoomForValues = 17,
  kRoomForStores = 18,
};

constexpr bool is_for_room(Fault fault) { return fault >= Fault::kRoomForNodes; }

class Memory {
 public:
  explicit Memory(const Program& program) : p_(program) {}

  [[nodiscard]] Slot strip(Slot code) const {
    return p_.counted_bits == 0 ? code : code & ((Slot{1} << p_.counted_bits) - 1);
  }
  [[nodiscard]] bool is_private(const Slot* s, std::uint32_t node) const {
    return (s[p_.private_base + node / 8] >> (node % 8) & 1U) != 0;
  }
  void set_private(Slot* s, std::uint32_t node) const { s[p_.private_base + node / 8] |= Slot{1} << (node % 8); }
  void clear_private(Slot* s, std::uint32_t node) const { s[p_.private_base + node / 8] &= ~(Slot{1} << (node % 8)); }

  /// Makes everything that `value` leads to visible to other processes.
  void publish(Slot* s, Slot value) const {
    value = strip(value);
    if (!p_.is_node(value)) return;
    const std::uint32_t node = value - p_.first_node;
    const bool owned = p_.heap != Heap::kCollected && s[p_.owner_base + node] >= 2;
    if (!owned && !is_private(s, node)) return;
    clear_private(s, node);
    if (owned) s[p_.owner_base + node] = 1;
    const NodeClass& c = p_.classes[p_.class_of(node)];
    const Slot* fields = s + Program::fields_of(c, node);
    for (std::uint32_t i = 0; i < c.stride; ++i) publish(s, fields[i]);
  }

  /// The stored form of `value` when it replaces `old`, if changes of pointers are counted.
  [[nodiscard]] Slot counted(Slot old, Slot value) const {
    if (p_.counted_bits == 0) return value;
    const Slot plain = strip(value);
    const Slot count = old >> p_.counted_bits;
    if (plain != kNone && !p_.is_node(plain) && count == 0) return plain;
    return plain | ((count + 1) << p_.counted_bits);
  }
  /// Whether a compare-and-swap that expects `expected` succeeds. A pointer that was never loaded has no count.
  [[nodiscard]] bool agrees(Slot found, Slot expected) const {
    if (found == expected) return true;
    return p_.counted_bits != 0 && expected >> p_.counted_bits == 0 && strip(found) == expected;
  }
  [[nodiscard]] bool equal(Slot one, Slot other) const {
    if (one == other || p_.counted_bits == 0) return one == other;
    const bool both = one >> p_.counted_bits != 0 && other >> p_.counted_bits != 0;
    return strip(one) == strip(other) && (!both || strip(one) == kNone);
  }

  /// Writes to memory and breaks links to the address. `published`: other processes can see the place.
  void write(Slot* s, std::uint32_t address, const Slot* values, std::uint32_t width, bool published) const {
    for (std::uint32_t i = 0; i < width; ++i) {
      if (published) publish(s, values[i]);
      s[address + i] = counted(s[address + i], values[i]);
    }
    if (p_.link_slot != 0)
      for (unsigned q = 0; q < p_.processes; ++q) {
        Slot& link = p_.block(s, q)[p_.link_slot];
        if (link == address + 1) link = 0;
      }
  }

  // Store buffers: a count, then entries of an address and values, the oldest first.
  [[nodiscard]] Slot waiting(const Slot* s, unsigned process) const {
    return p_.store_buffers ? p_.block(s, process)[p_.buffer_slot] : 0;
  }
  [[nodiscard]] const Slot* entry(const Slot* s, unsigned process, Slot number) const {
    return p_.block(s, process) + p_.buffer_slot + 1 + std::size_t{number} * (1 + p_.buffer_width);
  }
  /// Where a process reads an address: its newest buffered store, or memory.
  [[nodiscard]] const Slot* seen(const Slot* s, unsigned process, std::uint32_t address) const {
    for (Slot i = waiting(s, process); i > 0; --i) {
      const Slot* one = entry(s, process, i - 1);
      if (one[0] == address) return one + 1;
    }
    return s + address;
  }
  /// Buffers a store; false if there is no room.
  bool delay(Slot* s, unsigned process, std::uint32_t address, const Slot* values, std::uint32_t width) const {
    Slot* block = p_.block(s, process);
    const Slot count = block[p_.buffer_slot];
    if (count == p_.buffer_entries) return false;
    Slot* one = block + p_.buffer_slot + 1 + std::size_t{count} * (1 + p_.buffer_width);
    one[0] = address;
    for (std::uint32_t i = 0; i < width; ++i) {
      publish(s, values[i]);
      one[1 + i] = values[i];
    }
    block[p_.buffer_slot] = count + 1;
    return true;
  }
  /// The oldest store reaches memory.
  void drain(Slot* s, unsigned process) const {
    Slot* block = p_.block(s, process);
    Slot* first = block + p_.buffer_slot + 1;
    const std::uint32_t size = 1 + p_.buffer_width;
    std::array<Slot, 64> values{};
    const std::uint32_t address = first[0];
    const std::uint32_t width = width_at(address);
    for (std::uint32_t i = 0; i < width; ++i) values[i] = first[1 + i];
    const Slot count = --block[p_.buffer_slot];
    for (std::uint32_t i = 0; i < count * size; ++i) first[i] = first[i + size];
    for (std::uint32_t i = 0; i < size; ++i) first[count * size + i] = 0;
    write(s, address, values.data(), width, true);
  }
  [[nodiscard]] std::uint32_t width_at(std::uint32_t address) const { return p_.widths[address]; }

  // Where memory is reused, each node has an owner: 0 if it is free, 1 if cells lead to it, else 2 plus the process
  // that may free it: the one that allocated it or detached it from the cells.

  /// Nodes that a step detached from the cells now belong to its process; buffered stores still lead to their nodes.
  void retire(Slot* s, unsigned process) const {
    std::vector<bool> shared(p_.nodes);
    const auto mark = [&](auto&& self, Slot value) -> void {
      value = strip(value);
      if (!p_.is_node(value) || shared[value - p_.first_node]) return;
      const std::uint32_t node = value - p_.first_node;
      shared[node] = true;
      const NodeClass& c = p_.classes[p_.class_of(node)];
      for (std::uint32_t i = 0; i < c.stride; ++i) self(self, s[Program::fields_of(c, node) + i]);
    };
    for (std::uint32_t i = 1; i < 1 + p_.cells; ++i) mark(mark, s[i]);
    for (unsigned q = 0; q < p_.processes; ++q)
      for (Slot i = 0; i < waiting(s, q); ++i)
        for (std::uint32_t k = 0; k < width_at(entry(s, q, i)[0]); ++k) mark(mark, entry(s, q, i)[1 + k]);
    for (std::uint32_t node = 0; node < p_.nodes; ++node) {
      Slot& owner = s[p_.owner_base + node];
      if (owner == 0) continue;
      if (shared[node])
        owner = 1;
      else if (owner == 1)
        owner = 2 + process;
    }
  }
  /// The operation of the process has ended: the nodes it may free are free.
  void free_retired(Slot* s, unsigned process) const {
    retire(s, process);
    for (std::uint32_t node = 0; node < p_.nodes; ++node)
      if (s[p_.owner_base + node] == 2 + process) {
        s[p_.owner_base + node] = 0;
        clear_private(s, node);
      }
  }

  /// Whether any slot of `s` holds a pointer to the node.
  [[nodiscard]] bool is_referenced(const Slot* s, std::uint32_t node) const {
    const Slot code = p_.first_node + node;
    for (std::uint32_t i = 1; i < p_.private_base; ++i)
      if (strip(s[i]) == code) return true;
    for (unsigned q = 0; q < p_.processes; ++q) {
      const Slot* block = p_.block(s, q);
      for (std::uint32_t i = p_.registers_slot; i < p_.registers_slot + p_.registers; ++i)
        if (strip(block[i]) == code) return true;
      for (Slot i = 0; i < waiting(s, q); ++i) {
        const Slot* one = entry(s, q, i);
        if (node_at(one[0]) == node) return true;
        for (std::uint32_t k = 0; k < width_at(one[0]); ++k)
          if (strip(one[1 + k]) == code) return true;
      }
    }
    return false;
  }
  /// The node of an address; the number of nodes or more for a cell.
  [[nodiscard]] std::uint32_t node_at(std::uint32_t address) const {
    for (const NodeClass& c : p_.classes)
      if (address - c.base < c.capacity * c.stride) return c.first + (address - c.base) / c.stride;
    return p_.nodes;
  }

 private:
  const Program& p_;
};

}  // namespace linpoint::refine
