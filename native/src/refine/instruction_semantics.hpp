// SPDX-License-Identifier: Apache-2.0
// The effect of instructions on values and places, independent of who runs them.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "refine/model_heap.hpp"

namespace linpoint::refine {

class Meaning {
 public:
  explicit Meaning(const Program& program) : p_(program), memory_(program) {}

  static Slot truth(bool value) { return value ? kTrue : kFalse; }
  [[nodiscard]] bool is_true(Slot value) const {
    value = memory_.strip(value);
    return value != kNone && value != kFalse && value != p_.zero;
  }
  /// The result of an instruction on two integers.
  [[nodiscard]] Fault compute(Frame& f, const Instruction& i) const {
    if (f.r[i.b] < p_.first_integer || f.r[i.c] < p_.first_integer) return Fault::kNotInteger;
    const std::int64_t x = std::int64_t{f.r[i.b]} - p_.zero;
    const std::int64_t y = std::int64_t{f.r[i.c]} - p_.zero;
    std::int64_t result = 0;
    switch (i.code) {
      case Code::kAdd:
        result = x + y;
        break;
      case Code::kSubtract:
        result = x - y;
        break;
      case Code::kMultiply:
        result = x * y;
        break;
      default: {
        if (y == 0) return Fault::kDivision;
        std::int64_t quotient = x / y;
        if (x % y != 0 && (x < 0) != (y < 0)) --quotient;
        result = i.code == Code::kDivide ? quotient : x - quotient * y;
      }
    }
    return coded(result, f.r[i.a]);
  }
  /// The code of an integer, if there is room for it.
  [[nodiscard]] Fault coded(std::int64_t value, Slot& out) const {
    const std::int64_t code = value + p_.zero;
    if (std::cmp_less(code, p_.first_integer) || std::cmp_greater(code, p_.highest)) return Fault::kRoomForValues;
    out = static_cast<Slot>(code);
    return Fault::kNothing;
  }

  [[nodiscard]] bool is_local(const Slot* s, const Frame& f, const Instruction& i) const {
    if (i.where < 0) return false;
    // With store buffers, every access except loads and stores is also a fence, whatever its place.
    if (p_.store_buffers && i.code != Code::kLoad && i.code != Code::kStore) return false;
    const bool one = is_local(s, f, p_.places[static_cast<unsigned>(i.where)]);
    return i.other < 0 ? one : one && is_local(s, f, p_.places[static_cast<unsigned>(i.other)]);
  }
  [[nodiscard]] bool is_local(const Slot* s, const Frame& f, const Place& place) const {
    if (place.local) return true;
    if (place.kind != PlaceKind::kField || !p_.local_steps) return false;
    const Slot node = memory_.strip(f.r[place.reg]);
    return !p_.is_node(node) || memory_.is_private(s, node - p_.first_node);
  }

  Fault resolve(const Frame& f, const Place& place, std::uint32_t& address, bool& published, const Slot* s) const {
    published = true;
    address = place.base;
    if (place.kind == PlaceKind::kElement) {
      const Slot index = f.r[place.reg];
      if (index < p_.first_integer) return Fault::kNotInteger;
      if (index < p_.zero || index - p_.zero >= place.size) return Fault::kOutOfRange;
      address += (index - p_.zero) * place.width;
    } else if (place.kind == PlaceKind::kField) {
      const Slot value = memory_.strip(f.r[place.reg]);
      if (!p_.is_node(value)) return Fault::kNoNode;
      const std::uint32_t node = value - p_.first_node;
      const NodeClass& c = p_.classes[place.node_class];
      if (node - c.first >= c.capacity) return Fault::kWrongNode;
      address += (node - c.first) * place.stride;
      // A reused node may be known to other processes although no cell leads to it.
      published = p_.heap == Heap::kCollected ? !memory_.is_private(s, node) : s[p_.owner_base + node] == 1;
    }
    return Fault::kNothing;
  }

  [[nodiscard]] bool holds(const Slot* s, std::uint32_t address, const Slot* expected, std::uint32_t width) const {
    for (std::uint32_t k = 0; k < width; ++k)
      if (!memory_.agrees(s[address + k], expected[k])) return false;
    return true;
  }

  void fill(Slot* s, std::uint32_t node, const Frame& f, const Instruction& i) const {
    const NodeClass& c = p_.classes[i.c];
    Slot* fields = s + Program::fields_of(c, node);
    for (std::uint32_t k = 0; k < c.stride; ++k) fields[k] = memory_.counted(fields[k], f.r[i.b + k]);
  }

  /// Whether a live register holds the node.
  [[nodiscard]] bool held(const Frame& f, const Instruction& i, std::uint32_t node) const {
    for (std::uint64_t left = i.live; left != 0; left &= left - 1)
      if (memory_.strip(f.r[static_cast<unsigned>(std::countr_zero(left))]) == p_.first_node + node) return true;
    return false;
  }

 private:
  const Program& p_;
  Memory memory_;
};

}  // namespace linpoint::refine
