// SPDX-License-Identifier: Apache-2.0
// First in, first out, with values that occur more than once: two orders instead of contents.
//
// The i-th add meets the i-th removal, so the contents are never stored. Orders of adds and of fronts (removals and
// looks that saw a value) are chosen independently, in turns, and can be merged iff at every point the latest call of
// the adds that are in comes before the first return of the fronts that are out: both are interval orders, so every
// cycle shrinks to such a pair. An operation that found nothing needs a *cut*: nothing is inside, and all that is in
// was called before all that is out returns.
//
// A state is a frontier of adds, one of fronts with as many removals, and one of empties. Looks that match are taken
// for nothing, unless an empty is out: then one that is called late may spoil a cut, and so may a removal. There x
// makes y needless only if it is also called before y, or before an add that is out returns. What is refuted ends with
// the first return that no state gets past. That takes no second search: all that is pruned depends on operations
// called before it alone.
#include <algorithm>
#include <utility>

#include "frontiers/frontier_searches.hpp"

namespace linpoint::frontiers {
namespace {

using histories::kNone;
using search::Status;

class Queue final : public FrontierSearch {
 public:
  Queue(Recording recording, StopToken& stop)
      : FrontierSearch(stop),
        operations_(std::move(recording.operations)),
        adds_(operations_, members([](const Operation& each) { return each.role == Role::kAdd; }), stop),
        fronts_(operations_, members([](const Operation& each) {
                  return each.role == Role::kRemove || (each.role == Role::kLook && each.value != kNothing);
                }),
                stop),
        empties_(operations_,
                 members([](const Operation& each) { return each.role == Role::kLook && each.value == kNothing; }),
                 stop),
        adds_names_(stop),
        fronts_names_(stop),
        empties_names_(stop),
        pair_names_(stop),
        seen_(stop),
        choices_(stop),
        frames_(stop),
        log_(stop),
        longest_(stop) {}

  [[nodiscard]] std::vector<std::int32_t> order() const override {
    return done_ ? merged({log_.data(), log_.size()}, true) : merged(longest_.operations(), false);
  }

  [[nodiscard]] std::int32_t last() const override { return operations_[at(furthest_)].op; }

 protected:
  [[nodiscard]] std::uint64_t placed() const override { return longest_.operations().size(); }

 private:
  static constexpr std::uint64_t kPollInterval = 1024;

  struct Node {
    Frontier adds;
    Frontier fronts;
    Frontier empties;
    std::int32_t add_call = kNone;  // the latest among those that are in
    std::int32_t front_call = kNone;
    std::int32_t front = kNothing;  // the value that was added and not yet removed
  };
  struct Choice {
    std::int32_t operation;
    std::int32_t due;
  };
  struct Frame {
    Node node;
    std::uint32_t first;  // its choices end where those of the next frame begin
    std::uint32_t next;
    std::uint32_t log;
  };

  template <typename Member>
  [[nodiscard]] std::vector<std::int32_t> members(Member member) const {
    std::vector<std::int32_t> chosen;
    for (std::size_t i = 0; i < operations_.size(); ++i)
      if (member(operations_[i])) chosen.push_back(number(i));
    return chosen;
  }

  [[nodiscard]] const Operation& operation(std::int32_t index) const { return operations_[at(index)]; }

  Status walk(std::uint64_t most) override {
    if (!began_) {
      if (!adds_.fits() || !fronts_.fits() || !empties_.fits()) return Status::kStopped;
      began_ = true;
      if (arrive(Node())) return Status::kLinearizable;
    }
    while (!frames_.empty()) {
      if (interrupted(kPollInterval)) return Status::kStopped;
      if (configurations_ >= most) return Status::kPaused;
      Frame& frame = frames_.back();
      take_back(frame.log);
      if (frame.next == choices_.size()) {
        choices_.truncate(frame.first);
        frames_.truncate(frames_.size() - 1);
        continue;
      }
      Node node = frame.node;
      if (!take(node, choices_[frame.next++].operation)) return Status::kStopped;
      if (arrive(node)) return Status::kLinearizable;
    }
    return stop_.stopped() ? Status::kStopped : Status::kViolation;
  }

  void take_back(std::size_t log) {
    log_.truncate(log);
    longest_.taken_back(log);
  }

  bool take(Node& node, std::int32_t index) {
    const Operation& each = operation(index);
    if (each.role == Role::kAdd) {
      adds_.insert(node.adds, index);
      node.add_call = std::max(node.add_call, each.call);
      node.front = each.value;
    } else {
      fronts_.insert(node.fronts, index);
      node.front_call = std::max(node.front_call, each.call);
      if (each.role == Role::kRemove) node.front = kNothing;
    }
    return log_.push(index);
  }

  /// Takes what costs nothing, and makes a frame with the choices that are left. True when everything is in.
  bool arrive(Node node) {
    if (node.front == kNothing && !empties_.complete(node.empties) && !take_empties(node)) return false;
    const std::int32_t first_empty = empties_.first_return(node.empties);
    const std::int32_t first_add = adds_.first_return(node.adds);
    if (node.front != kNothing && !take_looks(node, first_empty, first_add)) return false;
    const std::int32_t first_front = fronts_.first_return(node.fronts);
    const std::int32_t due = std::min(first_front, first_empty);
    if (node.add_call >= due || node.front_call >= first_empty) return false;
    done_ = due == kNoReturn;
    if (done_) {
      ++configurations_;
      return true;
    }
    if (furthest_ == kNone || due > operation(furthest_).ret) {
      furthest_ = first_front < first_empty ? fronts_.due(node.fronts.row) : empties_.due(node.empties.row);
      if (!longest_.keep(log_)) return false;
    }
    if (!is_new(node, first_empty)) return false;
    const std::size_t first = choices_.size();
    if (node.front == kNothing ? !choose_add(node, due) : !choose_front(node, first_empty, first_add)) return false;
    std::sort(choices_.begin() + static_cast<std::ptrdiff_t>(first), choices_.end(),
              [](const Choice& a, const Choice& b) { return a.due < b.due; });
    if (choices_.size() > first) {
      const auto begin = static_cast<std::uint32_t>(first);
      std::ignore = frames_.push({node, begin, begin, static_cast<std::uint32_t>(log_.size())});
    }
    return false;
  }

  /// Between an add and its removal there is one way on, unless looks may be taken or left.
  bool is_new(const Node& node, std::int32_t first_empty) {
    if (node.front != kNothing && first_empty == kNoReturn) return true;
    std::uint64_t key = key_of(adds_names_(node.adds), fronts_names_(node.fronts));
    if (empties_.rows() > 0)
      key = key_of(pair_names_({adds_names_(node.adds), low_of(key)}), empties_names_(node.empties));
    const bool fresh = seen_.insert(key);
    if (fresh && node.front == kNothing) ++configurations_;
    return fresh;
  }

  static Mask low_of(std::uint64_t key) { return key & 0xffffffffU; }

  /// At a cut, everything that found nothing and was called before anything that is out returns.
  bool take_empties(Node& node) {
    const std::int32_t soonest = std::min(adds_.first_return(node.adds), fronts_.first_return(node.fronts));
    if (std::max(node.add_call, node.front_call) >= soonest) return true;
    return take_all(empties_, node.empties, [&](const Operation& each) { return each.call < soonest; });
  }

  /// Looks that saw the front and spoil no cut.
  bool take_looks(Node& node, std::int32_t first_empty, std::int32_t first_add) {
    const std::int32_t latest = first_empty == kNoReturn ? kNoReturn : std::min(first_empty, first_add);
    return take_all(fronts_, node.fronts, [&](const Operation& each) {
      if (each.role != Role::kLook || each.value != node.front || each.call >= latest) return false;
      node.front_call = std::max(node.front_call, each.call);
      return true;
    });
  }

  /// Takes the candidates that are wanted, also those that become candidates by that. False without memory.
  template <typename Wanted>
  bool take_all(const Timeline& timeline, Frontier& frontier, Wanted wanted) {
    for (bool again = true; again;) {
      again = false;
      for (const std::size_t slot : Bits(timeline.candidates(frontier))) {
        const std::int32_t index = timeline.at_slot(frontier, slot);
        if (!wanted(operation(index))) continue;
        timeline.insert(frontier, index);
        if (!log_.push(index)) return false;
        again = true;
        break;
      }
    }
    return true;
  }

  /// Of each value that can be seen next, the add that returns first; those that are due first come first.
  bool choose_add(const Node& node, std::int32_t before) {
    const std::size_t first = choices_.size();
    constexpr std::int32_t kLate = kNoReturn - 1;
    std::int32_t whatever = kNoReturn;  // when a removal that may take any value returns
    for (const std::size_t slot : Bits(fronts_.candidates(node.fronts)))
      if (operation(fronts_.at_slot(node.fronts, slot)).value == kAnything) whatever = kLate;
    for (const std::size_t slot : Bits(adds_.candidates(node.adds))) {
      const std::int32_t index = adds_.at_slot(node.adds, slot);
      const Operation& each = operation(index);
      if (each.call >= before) continue;
      const auto equal =
          std::find_if(choices_.begin() + static_cast<std::ptrdiff_t>(first), choices_.end(),
                       [&](const Choice& other) { return operation(other.operation).value == each.value; });
      if (equal != choices_.end()) {
        if (each.sooner_than(operation(equal->operation))) equal->operation = index;
        continue;
      }
      std::int32_t due = whatever;
      for (const std::size_t other : Bits(fronts_.candidates(node.fronts))) {
        const Operation& front = operation(fronts_.at_slot(node.fronts, other));
        if (front.value == each.value) due = std::min({due, front.ret, kLate});
      }
      if (due != kNoReturn && !choices_.push({index, due})) return false;
    }
    return true;
  }

  /// What may take or see the front: of alike operations one, unless another may spare a cut.
  bool choose_front(const Node& node, std::int32_t first_empty, std::int32_t first_add) {
    const Mask candidates = fronts_.candidates(node.fronts);
    const auto fits = [&](const Operation& each) {
      return (each.value == node.front || each.value == kAnything) && each.call < first_empty;
    };
    for (const std::size_t slot : Bits(candidates)) {
      const std::int32_t index = fronts_.at_slot(node.fronts, slot);
      const Operation& each = operation(index);
      if (!fits(each)) continue;
      bool needless = false;
      for (const std::size_t other : Bits(candidates)) {
        const Operation& rival = operation(fronts_.at_slot(node.fronts, other));
        if (other == slot || rival.role != each.role || rival.value != each.value || !fits(rival)) continue;
        const bool spares = first_empty == kNoReturn || rival.call <= each.call || rival.call < first_add;
        needless = needless || (spares && rival.sooner_than(each));
      }
      if (!needless && !choices_.push({index, each.role == Role::kLook ? -1 : each.ret})) return false;
    }
    return true;
  }

  /// One order of the two: between cuts the next front as soon as its add is in and no add that is left returns before
  /// its call, else the next add. If `whole`, the adds that are left follow in the order of their calls.
  [[nodiscard]] std::vector<std::int32_t> merged(std::span<const std::int32_t> log, bool whole) const {
    std::vector<std::int32_t> order;
    order.reserve(operations_.size());
    std::vector<std::int32_t> adds;
    std::vector<std::int32_t> fronts;
    std::vector<std::int32_t> first_return;  // of this add and those behind it
    const auto keep = [&](std::int32_t index) {
      if (operation(index).op != kNone) order.push_back(operation(index).op);
    };
    const auto flush = [&] {
      first_return.assign(adds.size() + 1, kNoReturn);
      for (std::size_t i = adds.size(); i-- > 0;)
        first_return[i] = std::min(first_return[i + 1], operation(adds[i]).ret);
      std::size_t removed = 0;
      for (std::size_t i = 0, j = 0; i < adds.size() || j < fronts.size();) {
        const bool front = j < fronts.size() && removed < i && first_return[i] > operation(fronts[j]).call;
        if (front && operation(fronts[j]).role == Role::kRemove) ++removed;
        keep(front ? fronts[j++] : adds[i++]);
      }
      adds.clear();
      fronts.clear();
    };
    std::vector<bool> in(operations_.size());
    for (const std::int32_t index : log) {
      in[at(index)] = true;
      const Operation& each = operation(index);
      if (each.role == Role::kAdd) {
        adds.push_back(index);
      } else if (each.value != kNothing) {
        fronts.push_back(index);
      } else {
        flush();
        keep(index);
      }
    }
    if (whole) {
      std::vector<std::int32_t> left =
          members([](const Operation& each) { return each.role == Role::kAdd && each.ret != kNoReturn; });
      std::erase_if(left, [&](std::int32_t index) { return in[at(index)]; });
      std::sort(left.begin(), left.end(),
                [&](std::int32_t a, std::int32_t b) { return operation(a).call < operation(b).call; });
      adds.insert(adds.end(), left.begin(), left.end());
    }
    flush();
    return order;
  }

  const std::vector<Operation> operations_;
  Timeline adds_;
  Timeline fronts_;
  Timeline empties_;
  Numbering adds_names_;
  Numbering fronts_names_;
  Numbering empties_names_;
  Numbering pair_names_;
  KeySet seen_;
  AccountedVector<Choice> choices_;
  AccountedVector<Frame> frames_;
  AccountedVector<std::int32_t> log_;
  LongestLog longest_;
  std::int32_t furthest_ = kNone;  // the front or empty that returns first, of what is out in the furthest state
  bool began_ = false;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<FrontierSearch> queue_search(Recording recording, StopToken& stop) {
  return std::make_unique<Queue>(std::move(recording), stop);
}

}  // namespace linpoint::frontiers
