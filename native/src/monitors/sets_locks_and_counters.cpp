// SPDX-License-Identifier: Apache-2.0
// Lazy greedy procedures: nothing takes effect before a return demands it; of the operations that qualify, the one that
// must return first is used. Operations with an unknown outcome never have to return, so they come last.
#include "monitors/sets_locks_and_counters.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace linpoint::monitors {
namespace {

using histories::kNever;
using histories::kNone;

/// Calls and returns in order: 2 * index for a call, 2 * index + 1 for a return. Ranks are distinct and dense.
template <typename Operation>
std::vector<std::int32_t> events_of(const search::Problem& problem, std::span<const Operation> operations) {
  std::int64_t latest = -1;
  for (const Operation& each : operations) {
    latest = std::max(latest, problem.call[at(each.op)]);
    if (problem.ret[at(each.op)] != kNever) latest = std::max(latest, problem.ret[at(each.op)]);
  }
  std::vector<std::int32_t> at_rank(static_cast<std::size_t>(latest + 1), kNone);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const std::size_t op = at(operations[i].op);
    at_rank[static_cast<std::size_t>(problem.call[op])] = static_cast<std::int32_t>(2 * i);
    if (problem.ret[op] != kNever)
      at_rank[static_cast<std::size_t>(problem.ret[op])] = static_cast<std::int32_t>(2 * i + 1);
  }
  std::erase(at_rank, kNone);
  return at_rank;
}

/// Open operations, the one that must return first on top.
class Open {
 public:
  void push(std::int64_t ret, std::int32_t operation) { heap_.emplace(ret, operation); }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  std::int32_t pop() {
    const std::int32_t operation = heap_.top().second;
    heap_.pop();
    return operation;
  }

 private:
  using Entry = std::pair<std::int64_t, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

class Bits {
 public:
  Bits(const search::Problem& problem, std::span<const BitOperation> operations, std::vector<bool> on)
      : problem_(problem), operations_(operations), done_(operations.size()) {
    bits_.resize(on.size());
    for (std::size_t i = 0; i < on.size(); ++i) bits_[i].on = on[i];
    order_.reserve(operations.size());
  }

  Found decide() {
    for (const std::int32_t event : events_of(problem_, operations_)) {
      const BitOperation& each = operations_[at(event / 2)];
      if (event % 2 == 0)
        call(each, event / 2);
      else if (!done_[at(event / 2)] && !each.optional && !finish(each))
        return stuck(each);
    }
    return Found::linearizable(std::move(order_));
  }

 private:
  struct Bit {
    bool on = false;
    std::int32_t last_turn = kNone;  // the operation that last changed it to this state
    Open turning_on;
    Open turning_off;
    std::vector<std::int32_t> waiting_on;  // observations that wait for the bit to be on
    std::vector<std::int32_t> waiting_off;
  };

  void call(const BitOperation& each, std::int32_t index) {
    Bit& bit = bits_[at(each.bit)];
    const std::int64_t ret = each.optional ? kNever : problem_.ret[at(each.op)];
    switch (each.touch) {
      case Touch::kTurnsOn:
        bit.turning_on.push(ret, index);
        break;
      case Touch::kTurnsOff:
        bit.turning_off.push(ret, index);
        break;
      case Touch::kSawOn:
      case Touch::kSawOff:
        if (bit.on == (each.touch == Touch::kSawOn))
          place(index);
        else
          (bit.on ? bit.waiting_off : bit.waiting_on).push_back(index);
        break;
    }
  }

  /// Handles the return of an operation that has not taken effect.
  bool finish(const BitOperation& each) {
    Bit& bit = bits_[at(each.bit)];
    const bool turns = each.touch == Touch::kTurnsOn || each.touch == Touch::kTurnsOff;
    // Before it turns the bit on, the bit must be off. Among those that turn it on, it has to return first, so it is
    // next.
    const bool other_way = turns && bit.on == (each.touch == Touch::kTurnsOn);
    return (!other_way || turn(bit)) && turn(bit);
  }

  bool turn(Bit& bit) {
    Open& open = bit.on ? bit.turning_off : bit.turning_on;
    if (open.empty()) return false;
    const std::int32_t index = open.pop();
    place(index);
    bit.last_turn = index;
    bit.on = !bit.on;
    std::vector<std::int32_t>& waiting = bit.on ? bit.waiting_on : bit.waiting_off;
    for (const std::int32_t reader : waiting) place(reader);
    waiting.clear();
    return true;
  }

  void place(std::int32_t index) {
    done_[at(index)] = true;
    order_.push_back(operations_[at(index)].op);
  }

  [[nodiscard]] Found stuck(const BitOperation& each) const {
    std::vector<std::int32_t> evidence{each.op};
    const std::int32_t last = bits_[at(each.bit)].last_turn;
    if (last != kNone) evidence.push_back(operations_[at(last)].op);
    std::vector<std::int32_t> scope;
    for (const BitOperation& other : operations_)
      if (other.bit == each.bit) scope.push_back(other.op);
    return Found::violation({Reason::kNobodyFlips, std::move(evidence), std::move(scope)});
  }

  const search::Problem& problem_;
  std::span<const BitOperation> operations_;
  std::vector<Bit> bits_;
  std::vector<bool> done_;
  std::vector<std::int32_t> order_;
};

/// A counter: the state is the number of steps that took effect.
class Counter {
 public:
  Counter(const search::Problem& problem, std::span<const CountOperation> operations)
      : problem_(problem), operations_(operations), done_(operations.size()) {
    std::int64_t steps = 0;
    for (const CountOperation& each : operations)
      if (!each.reads) ++steps;
    first_waiting_.assign(static_cast<std::size_t>(steps + 1), kNone);
    next_waiting_.assign(operations.size(), kNone);
    order_.reserve(operations.size());
  }

  Found decide() {
    for (const std::int32_t event : events_of(problem_, operations_)) {
      const std::int32_t index = event / 2;
      const bool fits =
          event % 2 == 0 ? call(index) : done_[at(index)] || operations_[at(index)].optional || finish(index);
      if (!fits) return std::move(refuted_);
    }
    return Found::linearizable(std::move(order_));
  }

 private:
  bool call(std::int32_t index) {
    const CountOperation& each = operations_[at(index)];
    if (!each.reads) {
      open_.push(each.optional ? kNever : problem_.ret[at(each.op)], index);
    } else if (each.value < count_) {
      refuted_ = too_low(each);
      return false;
    } else if (std::cmp_greater_equal(each.value, first_waiting_.size())) {
      refuted_ = refuted(Reason::kCountTooHigh, {each.op});
      return false;
    } else if (each.value == count_) {
      place(index);
    } else {
      wait(index);
    }
    return true;
  }

  /// Handles the return of an operation that has not taken effect.
  bool finish(std::int32_t index) {
    const CountOperation& each = operations_[at(index)];
    if (!each.reads) return step();
    while (count_ < each.value)
      if (!step()) {
        refuted_ = refuted(Reason::kCountTooHigh, {each.op});
        return false;
      }
    return true;
  }

  bool step() {
    if (open_.empty()) return false;
    place(open_.pop());
    ++count_;
    for (std::int32_t each = first_waiting_[static_cast<std::size_t>(count_)]; each != kNone;
         each = next_waiting_[at(each)])
      place(each);
    return true;
  }

  void wait(std::int32_t index) {
    std::int32_t& first = first_waiting_[static_cast<std::size_t>(operations_[at(index)].value)];
    next_waiting_[at(index)] = first;
    first = index;
  }

  void place(std::int32_t index) {
    done_[at(index)] = true;
    order_.push_back(operations_[at(index)].op);
  }

  /// Too many steps returned before the call of a read, or lie between it and an earlier read. That need not be the
  /// last read that demanded steps: those may have had to return anyway, while an earlier read demanded optional steps.
  [[nodiscard]] Found too_low(const CountOperation& read) const {
    const std::int64_t called = problem_.call[at(read.op)];
    std::vector<std::int64_t> calls;  // of the steps that returned before
    for (const CountOperation& each : operations_)
      if (!each.reads && !each.optional && problem_.ret[at(each.op)] < called)
        calls.push_back(problem_.call[at(each.op)]);
    if (std::cmp_greater(calls.size(), read.value)) return refuted(Reason::kCountTooLow, {read.op});
    std::sort(calls.begin(), calls.end());
    std::int64_t most = read.value;
    std::int32_t earlier = kNone;
    for (const CountOperation& each : operations_) {
      const std::int64_t returned = problem_.ret[at(each.op)];
      if (!each.reads || each.optional || returned >= called) continue;
      const std::int64_t count = each.value + (calls.end() - std::upper_bound(calls.begin(), calls.end(), returned));
      if (count <= most) continue;
      most = count;
      earlier = each.op;
    }
    if (earlier == kNone) return refuted(Reason::kCountTooLow, {read.op});
    return refuted(Reason::kCountTooLow, {earlier, read.op});
  }

  [[nodiscard]] Found refuted(Reason reason, std::vector<std::int32_t> evidence) const {
    std::vector<std::int32_t> scope;
    for (const CountOperation& each : operations_)
      if (!each.reads || std::find(evidence.begin(), evidence.end(), each.op) != evidence.end())
        scope.push_back(each.op);
    return Found::violation({reason, std::move(evidence), std::move(scope)});
  }

  const search::Problem& problem_;
  std::span<const CountOperation> operations_;
  std::vector<bool> done_;
  std::vector<std::int32_t> first_waiting_;  // reads by the count that they observed, linked
  std::vector<std::int32_t> next_waiting_;
  std::vector<std::int32_t> order_;
  Open open_;
  std::int64_t count_ = 0;
  Found refuted_;
};

/// Every operation is given the count before its step; those with an unknown outcome fill the gaps, by their calls.
class FetchAdd {
 public:
  FetchAdd(const search::Problem& problem, std::span<const CountOperation> operations)
      : problem_(problem), operations_(operations), given_(operations.size(), kNone) {}

  Found decide() {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const CountOperation& each = operations_[i];
      if (each.optional) {
        unknown_.push_back(static_cast<std::int32_t>(i));  // by call, as all operations are
        continue;
      }
      if (each.value < 0) return refuted(Reason::kCountTooLow, {each.op});
      if (std::cmp_greater_equal(each.value, operations_.size())) return refuted(Reason::kCountTooHigh, {each.op});
      std::int32_t& slot = given_[static_cast<std::size_t>(each.value)];
      if (slot != kNone) return refuted(Reason::kSameCount, {operations_[at(slot)].op, each.op});
      slot = static_cast<std::int32_t>(i);
      most_ = std::max(most_, each.value);
    }
    return in_order();
  }

 private:
  [[nodiscard]] Found in_order() const {
    std::vector<std::int32_t> order;
    std::size_t next = 0;
    std::int32_t latest = kNone;  // among those so far: the one called last
    for (std::int64_t count = 0; count <= most_; ++count) {
      std::int32_t index = given_[static_cast<std::size_t>(count)];
      if (index == kNone && next == unknown_.size()) return refuted(Reason::kCountTooHigh, {given_after(count)});
      if (index == kNone) index = unknown_[next++];
      const CountOperation& each = operations_[at(index)];
      if (latest != kNone && problem_.ret[at(each.op)] < problem_.call[at(operations_[at(latest)].op)]) {
        if (operations_[at(latest)].optional) return refuted(Reason::kCountTooHigh, {each.op});
        return refuted(Reason::kCountsInverted, {operations_[at(latest)].op, each.op});
      }
      if (latest == kNone || problem_.call[at(each.op)] > problem_.call[at(operations_[at(latest)].op)]) latest = index;
      order.push_back(each.op);
    }
    return Found::linearizable(std::move(order));
  }

  /// The first operation that was given more than a count that no operation has: too few steps precede it.
  [[nodiscard]] std::int32_t given_after(std::int64_t count) const {
    auto slot = given_.begin() + count;
    while (*slot == kNone) ++slot;
    return operations_[at(*slot)].op;
  }

  [[nodiscard]] Found refuted(Reason reason, std::vector<std::int32_t> evidence) const {
    std::vector<std::int32_t> scope;
    for (const CountOperation& each : operations_) scope.push_back(each.op);
    return Found::violation({reason, std::move(evidence), std::move(scope)});
  }

  const search::Problem& problem_;
  std::span<const CountOperation> operations_;
  std::vector<std::int32_t> given_;  // operations by the count they were given
  std::vector<std::int32_t> unknown_;
  std::int64_t most_ = -1;
};

}  // namespace

Found decide_bits(const search::Problem& problem, std::span<const BitOperation> operations, std::vector<bool> on) {
  return Bits(problem, operations, std::move(on)).decide();
}

Found decide_counter(const search::Problem& problem, std::span<const CountOperation> operations) {
  return Counter(problem, operations).decide();
}

Found decide_fetch_add(const search::Problem& problem, std::span<const CountOperation> operations) {
  return FetchAdd(problem, operations).decide();
}

}  // namespace linpoint::monitors
