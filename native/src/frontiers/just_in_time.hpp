// SPDX-License-Identifier: Apache-2.0
// Depth-first over frontiers, for objects whose state the set of operations determines, or that is small.
//
// The operation whose return comes first is *due*. Others take effect before it only where it needs them, or where they
// must be done or seen before it makes that impossible: which, is for the object to say. Of alike operations (they
// share a label) the one that returns first is tried, since their places can be exchanged; one that only looks is taken
// as soon as it matches. Objects apply and undo operations in place, and a state is a frontier with the object's key,
// if it has one. What is refuted ends with the return of the furthest row that was reached.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "frontiers/frontier_searches.hpp"

namespace linpoint::frontiers {

/// An Object has, for operations by their place:
///   legal, looks (it changes nothing, and whether it is legal is all there is to it), apply, undo, changes (applying
///   it would change something), is_immediate (if it is legal and due, nothing else need come first),
///   precedes(x, due, any): whether x may have to come before `due`; `any(test)` asks for an open operation,
///   key: what the set of operations does not determine of the state; kKeyed: whether there is such a thing.
template <typename Object>
class JustInTime final : public FrontierSearch {
 public:
  /// `labels` is how many values operations have that tell them apart.
  JustInTime(std::vector<Operation> operations, std::vector<std::int32_t> labels, Object object, StopToken& stop)
      : FrontierSearch(stop),
        operations_(std::move(operations)),
        labels_(std::move(labels)),
        object_(std::move(object)),
        timeline_(operations_, everything(operations_), stop),
        frontiers_(stop),
        states_(stop),
        seen_(stop),
        choices_(stop),
        frames_(stop),
        log_(stop),
        longest_(stop) {
    std::int32_t most = -1;
    for (const std::int32_t label : labels_) most = std::max(most, label);
    stamps_.resize(at(most + 1));
  }

  [[nodiscard]] std::vector<std::int32_t> order() const override {
    std::vector<std::int32_t> order;
    const auto keep = [&](std::int32_t index) {
      if (operations_[at(index)].op != histories::kNone) order.push_back(operations_[at(index)].op);
    };
    if (done_)
      std::for_each(log_.data(), log_.data() + log_.size(), keep);
    else
      std::ranges::for_each(longest_.operations(), keep);
    return order;
  }

  [[nodiscard]] std::int32_t last() const override { return operations_[at(timeline_.due(furthest_))].op; }

 protected:
  [[nodiscard]] std::uint64_t placed() const override { return longest_.operations().size(); }

 private:
  static constexpr std::uint64_t kPollInterval = 1024;

  struct Frame {
    Frontier frontier;
    std::uint32_t first;  // its choices end where those of the next frame begin
    std::uint32_t next;
    std::uint32_t log;
  };
  struct Stamp {
    std::uint64_t turn = 0;
    std::size_t choice = 0;
  };

  search::Status walk(std::uint64_t most) override {
    if (!began_) {
      if (!timeline_.fits()) return search::Status::kStopped;
      began_ = true;
      if (arrive(Frontier())) return search::Status::kLinearizable;
    }
    while (!frames_.empty()) {
      if (interrupted(kPollInterval)) return search::Status::kStopped;
      if (configurations_ >= most) return search::Status::kPaused;
      Frame& frame = frames_.back();
      take_back(frame.log);
      if (frame.next == choices_.size()) {
        choices_.truncate(frame.first);
        frames_.truncate(frames_.size() - 1);
        continue;
      }
      Frontier frontier = frame.frontier;
      if (!take(frontier, choices_[frame.next++])) return search::Status::kStopped;
      if (arrive(frontier)) return search::Status::kLinearizable;
    }
    return stop_.stopped() ? search::Status::kStopped : search::Status::kViolation;
  }

  bool take(Frontier& frontier, std::int32_t index) {
    timeline_.insert(frontier, index);
    object_.apply(index);
    return log_.push(index);
  }

  void take_back(std::size_t size) {
    while (log_.size() > size) {
      object_.undo(log_.back());
      log_.truncate(log_.size() - 1);
    }
    longest_.taken_back(size);
  }

  /// Takes the looks that match, and makes a frame with the choices that are left. True when everything is in.
  bool arrive(Frontier frontier) {
    if (!take_looks(frontier)) return false;
    done_ = timeline_.complete(frontier);
    if (frontier.row > furthest_) {
      furthest_ = frontier.row;
      if (!longest_.keep(log_)) return false;
    }
    if (done_) {
      ++configurations_;
      return true;
    }
    const std::int32_t state = Object::kKeyed ? states_({0, object_.key()}) : 0;
    if (!seen_.insert(key_of(frontiers_(frontier), state))) return false;
    ++configurations_;
    const auto first = static_cast<std::uint32_t>(choices_.size());
    if (!choose(frontier) || choices_.size() == first) return false;
    std::ignore = frames_.push({frontier, first, first, static_cast<std::uint32_t>(log_.size())});
    return false;
  }

  bool take_looks(Frontier& frontier) {
    for (bool again = true; again;) {
      again = false;
      for (const std::size_t slot : Bits(timeline_.candidates(frontier))) {
        const std::int32_t index = timeline_.at_slot(frontier, slot);
        if (!object_.looks(index) || !object_.legal(index)) continue;
        if (!take(frontier, index)) return false;
        again = true;
        break;
      }
    }
    return true;
  }

  /// What is due comes first, the others by their returns.
  bool choose(const Frontier& frontier) {
    const std::size_t first = choices_.size();
    const std::int32_t due = timeline_.due(frontier.row);
    const bool legal = object_.legal(due);
    if (legal && !choices_.push(due)) return false;
    if (legal && object_.is_immediate(due)) return true;
    ++turn_;
    if (legal) stamp(due) = {turn_, first};
    const Mask open = timeline_.candidates(frontier);
    const auto any = [&](auto test) {
      for (const std::size_t slot : Bits(open))
        if (test(timeline_.at_slot(frontier, slot))) return true;
      return false;
    };
    for (const std::size_t slot : Bits(open)) {
      const std::int32_t index = timeline_.at_slot(frontier, slot);
      const Operation& each = operations_[at(index)];
      Stamp& last = stamp(index);
      if (last.turn == turn_) {
        std::int32_t& other = choices_[last.choice];
        if (each.sooner_than(operations_[at(other)])) other = index;
        continue;
      }
      if (index == due || object_.looks(index) || !object_.legal(index)) continue;
      if (each.ret == kNoReturn && !object_.changes(index)) continue;
      if (!object_.precedes(index, due, any)) continue;
      last = {turn_, choices_.size()};
      if (!choices_.push(index)) return false;
    }
    std::sort(choices_.begin() + static_cast<std::ptrdiff_t>(first) + (legal ? 1 : 0), choices_.end(),
              [&](std::int32_t a, std::int32_t b) { return operations_[at(a)].ret < operations_[at(b)].ret; });
    return true;
  }

  Stamp& stamp(std::int32_t index) { return stamps_[at(labels_[at(index)])]; }

  const std::vector<Operation> operations_;
  const std::vector<std::int32_t> labels_;
  Object object_;
  Timeline timeline_;
  std::vector<Stamp> stamps_;  // by label: where among the choices of this turn
  std::uint64_t turn_ = 0;
  Numbering frontiers_;
  Numbering states_;
  KeySet seen_;
  AccountedVector<std::int32_t> choices_;
  AccountedVector<Frame> frames_;
  AccountedVector<std::int32_t> log_;
  LongestLog longest_;
  std::int32_t furthest_ = 0;
  bool began_ = false;
  bool done_ = false;
};

}  // namespace linpoint::frontiers
