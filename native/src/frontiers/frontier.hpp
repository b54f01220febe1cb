// SPDX-License-Identifier: Apache-2.0
// Frontiers: sets of operations that are closed under the order of time, in 96 bits.
//
// A row begins with each return. In each row, an operation that is open there has a slot, from its call to its return;
// one that never returns keeps its slot. Consider a set that contains, with each operation, all operations that had
// returned before its call. It corresponds to a row and the slots of the open operations it contains: the two determine
// each other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "hashing.hpp"
#include "linpoint/histories/integer_columns.hpp"
#include "search/accounted_vector.hpp"

namespace linpoint::frontiers {

using search::AccountedVector;
using search::StopToken;
using Mask = std::uint64_t;

inline constexpr std::size_t kMostSlots = 64;

/// The rank of a return that never comes.
inline constexpr std::int32_t kNoReturn = std::numeric_limits<std::int32_t>::max();

inline std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
inline std::int32_t number(std::size_t size) { return static_cast<std::int32_t>(size); }

enum class Role : std::uint8_t { kAdd, kRemove, kLook };

/// What an empty result observed, and (`kAnything`) what a removal with an unknown result took.
inline constexpr std::int32_t kNothing = -1;
inline constexpr std::int32_t kAnything = -2;

struct Operation {
  Role role;
  std::int32_t value;
  std::int32_t call;  // ranks: a precedes b iff a.ret < b.call
  std::int32_t ret;
  std::int32_t op;  // of the problem; kNone for initial content

  /// Whether it must return before `other`, or is called first where neither must return.
  [[nodiscard]] bool sooner_than(const Operation& other) const {
    return ret != other.ret ? ret < other.ret : call < other.call;
  }
};

struct Frontier {
  std::int32_t row = 0;
  Mask mask = 0;
  bool operator==(const Frontier&) const = default;
};

/// The indices of the set bits, in ascending order.
class Bits {
 public:
  explicit Bits(Mask mask) : mask_(mask) {}
  struct Iterator {
    Mask left;
    std::size_t operator*() const { return static_cast<std::size_t>(std::countr_zero(left)); }
    Iterator& operator++() {
      left &= left - 1;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return left != other.left; }
  };
  [[nodiscard]] Iterator begin() const { return {mask_}; }
  [[nodiscard]] Iterator end() const { return {0}; }

 private:
  Mask mask_;
};

/// The indices 0, 1, ... of all operations.
std::vector<std::int32_t> everything(std::span<const Operation> operations);

/// The rows of some of the operations.
class Timeline {
 public:
  /// For the operations at `members`. `fits()` is false afterwards if more than 64 are open concurrently, or if there
  /// is no memory; then the token is stopped.
  Timeline(std::span<const Operation> operations, const std::vector<std::int32_t>& members, StopToken& stop);

  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] std::int32_t rows() const { return number(ends_.size()); }
  [[nodiscard]] bool complete(const Frontier& f) const { return f.row == rows(); }
  /// The operation that returns at the end of a row.
  [[nodiscard]] std::int32_t due(std::int32_t row) const { return ends_[at(row)]; }
  /// The first return of an operation that is not in the set.
  [[nodiscard]] std::int32_t first_return(const Frontier& f) const {
    return complete(f) ? kNoReturn : operations_[at(ends_[at(f.row)])].ret;
  }
  /// The slots of the operations that can come next.
  [[nodiscard]] Mask candidates(const Frontier& f) const { return open_[at(f.row)] & ~f.mask; }
  [[nodiscard]] Mask open(std::int32_t row) const { return open_[at(row)]; }
  [[nodiscard]] std::int32_t at_slot(std::int32_t row, std::size_t slot) const {
    return table_[at(row) * width_ + slot];
  }
  [[nodiscard]] std::int32_t at_slot(const Frontier& f, std::size_t slot) const { return at_slot(f.row, slot); }

  /// Whether an operation that was called before the end of the row is in the set.
  [[nodiscard]] bool contains(const Frontier& f, std::int32_t operation) const {
    if (operations_[at(operation)].ret < first_return(f)) return true;
    const std::size_t slot = slot_[at(operation)];
    return ((f.mask >> slot) & 1U) != 0 && at_slot(f, slot) == operation;
  }

  void insert(Frontier& f, std::int32_t operation) const {
    f.mask |= Mask{1} << slot_[at(operation)];
    while (f.row < rows()) {
      const Mask due = Mask{1} << slot_[at(ends_[at(f.row)])];
      if ((f.mask & due) == 0) return;
      f.mask &= ~due;
      ++f.row;
    }
  }

  /// The maximum number of concurrently open operations.
  static std::size_t width(std::span<const Operation> operations);

 private:
  std::span<const Operation> operations_;
  std::size_t width_ = 0;
  bool fits_ = true;
  std::vector<std::int32_t> ends_;       // of each row
  std::vector<std::uint8_t> slot_;       // of each operation
  std::vector<Mask> open_;               // in each row
  AccountedVector<std::int32_t> table_;  // the operation of each row and slot
};

/// A set of 64-bit keys, stored completely; the key ~0 does not occur. Without memory nothing is new, and the token is
/// stopped.
class KeySet {
 public:
  explicit KeySet(StopToken& stop) : stop_(stop), slots_(stop) {}

  /// Whether the key is new.
  bool insert(std::uint64_t key) {
    if ((size_ + 1) * 5 > slots_.size() * 3 && !grow()) return false;
    if (!place(key)) return false;
    ++size_;
    return true;
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr std::size_t kFirstSlots = 64;

  bool place(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = mix(key) & mask;; i = (i + 1) & mask) {
      if (slots_[i] == key) return false;
      if (slots_[i] != kFree) continue;
      slots_[i] = key;
      return true;
    }
  }

  bool grow() {
    AccountedVector<std::uint64_t> larger(stop_);
    if (!larger.refill(std::max(kFirstSlots, slots_.size() * 2), kFree)) return false;
    slots_.swap(larger);
    for (std::size_t i = 0; i < larger.size(); ++i)
      if (larger[i] != kFree) place(larger[i]);
    return true;
  }

  StopToken& stop_;
  AccountedVector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

/// Numbers for frontiers, or for other pairs of a small and a large integer; equal pairs get equal numbers.
class Numbering {
 public:
  explicit Numbering(StopToken& stop) : items_(stop), slots_(stop) {}

  /// The number of a pair; any number if there is no memory, and then the token is stopped.
  std::int32_t operator()(const Frontier& item) {
    if ((items_.size() + 1) * 2 > slots_.size() && !grow()) return 0;
    const std::size_t slot = find(item);
    if (slots_[slot] < 0) {
      if (!items_.push(item)) return 0;
      slots_[slot] = number(items_.size()) - 1;
    }
    return slots_[slot];
  }

  const Frontier& operator[](std::int32_t number) const { return items_[at(number)]; }
  [[nodiscard]] std::size_t size() const { return items_.size(); }

 private:
  static constexpr std::size_t kFirstSlots = 64;

  [[nodiscard]] std::size_t find(const Frontier& item) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = mix(mix(item.mask) + static_cast<std::uint32_t>(item.row)) & mask;
    while (slots_[i] >= 0 && items_[at(slots_[i])] != item) i = (i + 1) & mask;
    return i;
  }

  bool grow() {
    if (!slots_.refill(std::max(kFirstSlots, slots_.size() * 2), -1)) return false;
    for (std::size_t i = 0; i < items_.size(); ++i) slots_[find(items_[i])] = number(i);
    return true;
  }

  AccountedVector<Frontier> items_;
  AccountedVector<std::int32_t> slots_;
};

/// Combines two numbers into one key.
inline std::uint64_t key_of(std::int32_t high, std::int32_t low) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32U) | static_cast<std::uint32_t>(low);
}

}  // namespace linpoint::frontiers
