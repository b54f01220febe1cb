// SPDX-License-Identifier: Apache-2.0
// A priority queue, the largest value first, with values that occur more than once. The set of operations that took
// effect determines the contents, except for what removals with unknown results took, which is then part of the key.
//
// Which operations may come before the due one:
// - before a removal, a look or an empty result that finds a larger value: removals; that finds a smaller value: adds
//   of the value it needs. Both are forced.
// - before an add (or a look that needs one): removals of values that are not larger, since after it they must wait;
//   also of equal ones, which another removal may need. And adds of values that it will cover, if an open operation is
//   to observe or take those first.
#include <map>
#include <tuple>

#include "frontiers/just_in_time.hpp"

namespace linpoint::frontiers {
namespace {

/// Values with counts. Cost: O(1), apart from the levels of a tree with 64 branches.
class Contents {
 public:
  explicit Contents(std::int32_t values) : count_(at(values)) {
    std::size_t size = count_.size();
    do {
      size = std::max<std::size_t>(1, (size + 63) / 64);
      levels_.emplace_back(size);
    } while (size > 1);
  }
  /// The largest value; kNothing if it is empty.
  [[nodiscard]] std::int32_t largest() const {
    if (levels_.back().front() == 0) return kNothing;
    std::size_t place = 0;
    for (std::size_t level = levels_.size(); level-- > 0;)
      place = place * 64 + 63 - static_cast<std::size_t>(std::countl_zero(levels_[level][place]));
    return number(place);
  }
  void add(std::int32_t value) {
    if (count_[at(value)]++ > 0) return;
    std::size_t place = at(value);
    for (auto& level : levels_) {
      const bool known = level[place / 64] != 0;
      level[place / 64] |= std::uint64_t{1} << (place % 64);
      if (known) return;
      place /= 64;
    }
  }
  void remove(std::int32_t value) {
    if (--count_[at(value)] > 0) return;
    std::size_t place = at(value);
    for (auto& level : levels_) {
      level[place / 64] &= ~(std::uint64_t{1} << (place % 64));
      if (level[place / 64] != 0) return;
      place /= 64;
    }
  }

 private:
  std::vector<std::int32_t> count_;
  std::vector<std::vector<std::uint64_t>> levels_;
};

/// `kUnknown`: there are removals with unknown results.
template <bool kUnknown>
class PriorityQueue {
 public:
  static constexpr bool kKeyed = kUnknown;

  PriorityQueue(std::vector<Operation> operations, std::int32_t values)
      : operations_(std::move(operations)), contents_(values) {}

  [[nodiscard]] bool looks(std::int32_t index) const { return of(index).role == Role::kLook; }
  [[nodiscard]] bool legal(std::int32_t index) const {
    const Operation& each = of(index);
    if (each.role == Role::kAdd) return true;
    const std::int32_t largest = contents_.largest();
    return each.value == kAnything ? largest != kNothing : each.value == largest;
  }
  [[nodiscard]] static bool changes(std::int32_t /*index*/) { return true; }
  [[nodiscard]] bool is_immediate(std::int32_t index) const { return of(index).role != Role::kAdd; }

  void apply(std::int32_t index) {
    const Operation& each = of(index);
    if (each.role == Role::kAdd) contents_.add(each.value);
    if (each.role != Role::kRemove) return;
    const std::int32_t value = contents_.largest();
    contents_.remove(value);
    if (each.value == kAnything) take(value);
  }
  void undo(std::int32_t index) {
    const Operation& each = of(index);
    if (each.role == Role::kAdd) contents_.remove(each.value);
    if (each.role == Role::kRemove) contents_.add(each.value == kAnything ? untake() : each.value);
  }

  /// The number of the multiset that removals with unknown results took.
  [[nodiscard]] std::uint64_t key() const { return static_cast<std::uint64_t>(taken_.empty() ? 0 : taken_.back().set); }

  template <typename Any>
  [[nodiscard]] bool precedes(std::int32_t index, std::int32_t due_index, Any any) const {
    const Operation& each = of(index);
    const Operation& due = of(due_index);
    const std::int32_t largest = contents_.largest();
    if (due.role == Role::kRemove || largest > due.value || due.value < 0) {
      if (each.role == Role::kRemove) return largest > due.value;
      return largest < due.value && each.value == due.value;
    }
    if (each.role == Role::kRemove) return largest <= due.value;
    if (due.role == Role::kLook && each.value == due.value) return true;
    if (each.value <= largest || each.value >= due.value) return false;
    return any([&](std::int32_t other) {
      const Operation& seer = of(other);
      return seer.role != Role::kAdd && (seer.value == each.value || seer.value == kAnything);
    });
  }

 private:
  struct Taken {
    std::int32_t value;
    std::int32_t set;
  };
  [[nodiscard]] const Operation& of(std::int32_t index) const { return operations_[at(index)]; }

  void take(std::int32_t value) {
    taken_.push_back({value, 0});
    std::vector<std::int32_t> sorted;
    sorted.reserve(taken_.size());
    for (const Taken& each : taken_) sorted.push_back(each.value);
    std::sort(sorted.begin(), sorted.end());
    const auto next = static_cast<std::int32_t>(sets_.size()) + 1;
    taken_.back().set = sets_.try_emplace(std::move(sorted), next).first->second;
  }
  std::int32_t untake() {
    const std::int32_t value = taken_.back().value;
    taken_.pop_back();
    return value;
  }

  std::vector<Operation> operations_;
  Contents contents_;
  std::vector<Taken> taken_;
  std::map<std::vector<std::int32_t>, std::int32_t> sets_;
};

template <bool kUnknown>
std::unique_ptr<FrontierSearch> search_of(Recording recording, StopToken& stop) {
  std::map<std::pair<Role, std::int32_t>, std::int32_t> numbers;
  std::vector<std::int32_t> labels;
  labels.reserve(recording.operations.size());
  for (const Operation& each : recording.operations)
    labels.push_back(numbers.try_emplace({each.role, each.value}, number(numbers.size())).first->second);
  PriorityQueue<kUnknown> object(recording.operations, recording.values);
  return std::make_unique<JustInTime<PriorityQueue<kUnknown>>>(std::move(recording.operations), std::move(labels),
                                                               std::move(object), stop);
}

}  // namespace

std::unique_ptr<FrontierSearch> priority_queue_search(Recording recording, StopToken& stop) {
  const bool unknown = std::ranges::any_of(recording.operations, [](const Operation& each) {
    return each.role == Role::kRemove && each.value == kAnything;
  });
  return unknown ? search_of<true>(std::move(recording), stop) : search_of<false>(std::move(recording), stop);
}

}  // namespace linpoint::frontiers
