// SPDX-License-Identifier: Apache-2.0
// Lowe's Linear: just-in-time linearization.
//
// The walk goes through the calls and returns once and keeps the set of configurations that are possible so far: the
// state, which open operations have taken effect, and which of the operations that may stay out for ever have. At the
// return of an operation it must have taken effect in every configuration that is kept; where it has not, others that
// are open may go first, in every order.
//
// Where we differ: an open read that matches takes effect at once (see wing_gong_and_dfs.cpp for why, and for the
// exceptions); of equal open operations only the one that returns first is tried; an operation that may stay out never
// takes effect without changing the state; of configurations that differ only in how many of those were used, the one
// with fewer is kept. An optional operation that ends is tried at its end, and left out as well.
// Cost: the sum over all returns of the configurations then possible. Memory: the most at any one time.
#include <algorithm>
#include <utility>

#include "linpoint/search/search.hpp"
#include "search/linear_configurations.hpp"
#include "search/linearized_set.hpp"
#include "search/order_pairs.hpp"

namespace linpoint::search {
namespace {

struct Event {
  std::int64_t rank;
  std::int32_t op;
  bool is_return;
};

/// Calls and returns in their order; what must take effect and never returns does so at the end.
std::vector<Event> events_of(const Problem& problem) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const auto op = static_cast<std::int32_t>(i);
    events.push_back({problem.call[i], op, false});
    if (problem.ret[i] != kNever || problem.optional[i] == 0) events.push_back({problem.ret[i], op, true});
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.rank != b.rank ? a.rank < b.rank : a.op < b.op; });
  return events;
}

/// The most operations, other than lasting ones, that are ever open at once.
std::size_t widest(const std::vector<Event>& events, const std::vector<bool>& lasting) {
  std::size_t open = 0;
  std::size_t most = 0;
  for (const Event& event : events) {
    if (lasting[static_cast<std::size_t>(event.op)]) continue;
    open += event.is_return ? std::size_t{0} - 1 : 1;
    most = std::max(most, open);
  }
  return most;
}

class Linear final : public Search {
 public:
  Linear(const Problem& problem, std::unique_ptr<specs::Steps> steps, StopToken& stop)
      : Search(stop),
        problem_(problem),
        steps_(std::move(steps)),
        events_(events_of(problem)),
        lasting_(lasting_operations(problem)),
        bit_(problem.size()),
        before_(awaited(problem)),
        excluded_(forbidden(problem)),
        lasting_rival_(rivals(problem)),
        rival_(problem.size(), kNoRival),
        tied_(tied_operations(problem)),
        rules_out_(problem.size()),
        phase_(problem.size(), Phase::kFuture),
        layout_(layout()),
        past_(stop),
        current_(layout_, past_, stop),
        reached_(layout_, past_, stop),
        following_(layout_, past_, stop),
        record_(layout_.size()),
        source_(layout_.size()) {
    for (const Pair& pair : problem.excluded) rules_out_[at(pair.second)] = true;
    free_.reserve(layout_.open * 64);
    for (std::size_t bit = layout_.open * 64; bit-- > 0;) free_.push_back(static_cast<std::uint32_t>(bit));
    set(record_.data(), problem.initial, Past::kRoot);
    ready_ = past_.ready() && current_.insert(record_.data(), false) == Insertion::kNew;
  }

  /// After a violation the furthest configuration of the last return, else the furthest of those alive.
  [[nodiscard]] std::vector<std::int32_t> order() const override {
    std::uint32_t best = Past::kRoot;
    std::uint32_t depth = 0;
    for (const Configurations* set : {&current_, &reached_, &following_})
      for (std::size_t i = 0; i < set->size(); ++i) {
        const std::uint32_t past = past_of((*set)[i]);
        if (best != Past::kRoot && past_.depth(past) <= depth) continue;
        best = past;
        depth = past_.depth(past);
      }
    return past_.order(best);
  }

 protected:
  Status walk(std::uint64_t most) override { return ready_ ? pass_events(most) : Status::kStopped; }

  [[nodiscard]] std::uint64_t placed() const override { return placed_; }

 private:
  using Insertion = Configurations::Insertion;
  enum class Phase : std::uint8_t { kFuture, kOpen, kReturned };
  static constexpr std::uint64_t kPollInterval = 256;

  static std::size_t at(std::int32_t op) { return static_cast<std::size_t>(op); }

  [[nodiscard]] Layout layout() const {
    const auto lasting = static_cast<std::size_t>(std::count(lasting_.begin(), lasting_.end(), true));
    return {(widest(events_, lasting_) + 63) / 64, (lasting + 63) / 64};
  }

  Status pass_events(std::uint64_t most) {
    while (event_ < events_.size()) {
      const Event& event = events_[event_];
      const std::size_t op = at(event.op);
      if (!event.is_return) {
        call(op);
      } else if (!expanding_ && all_taken(op)) {
        for (std::size_t i = 0; i < current_.size(); ++i) flip(current_[i], op);
        close(op);
      } else if (const Status status = pass_return(op, most); status != Status::kLinearizable) {
        return status;
      }
      ++event_;
      if (interrupted(kPollInterval)) return Status::kStopped;
    }
    return Status::kLinearizable;
  }

  /// Lets `op` take effect wherever it has not yet: kLinearizable when that is done and something is possible still.
  Status pass_return(std::size_t op, std::uint64_t most) {
    if (!expanding_ && !begin_return(op)) return Status::kStopped;
    while (next_reached_ < reached_.size()) {
      if (interrupted(kPollInterval)) return Status::kStopped;
      if (configurations_ >= most) return Status::kPaused;
      if (!expand(next_reached_, op)) return Status::kStopped;
      ++next_reached_;
    }
    if (following_.size() == 0) return Status::kViolation;
    end_return(op);
    return Status::kLinearizable;
  }

  void call(std::size_t op) {
    phase_[op] = Phase::kOpen;
    if (lasting_[op]) {
      bit_[op] = static_cast<std::uint32_t>(layout_.open * 64 + lastings_++);
      open_lasting_.push_back(op);
      return;
    }
    bit_[op] = free_.back();
    free_.pop_back();
    const auto sooner = [&](std::size_t a, std::size_t b) { return problem_.ret[a] < problem_.ret[b]; };
    const auto place = open_.insert(std::upper_bound(open_.begin(), open_.end(), op, sooner), op);
    add_rival(static_cast<std::size_t>(place - open_.begin()));
    if (absorbable(op))
      for (std::size_t i = 0; i < current_.size(); ++i)
        if (absorb_one(current_[i], op) && tied_[op]) absorb(current_[i]);  // another may have waited for it
  }

  /// Sorts the configurations: those in which `op` has taken effect follow, from the others one is to be reached
  /// in which it has. False when there is no memory.
  bool begin_return(std::size_t op) {
    expanding_ = true;
    next_reached_ = 0;
    for (std::size_t i = 0; i < current_.size(); ++i) {
      const bool done = taken(current_[i], op);
      if (!done) {
        past_.keep(past_of(current_[i]));
        if (reached_.insert(current_[i], false) == Insertion::kNoMemory) return false;
      }
      if (done || problem_.optional[op] != 0) {
        past_.keep(past_of(current_[i]));
        if (!follow(current_[i], op)) return false;
      }
    }
    return true;
  }

  /// Whether nothing is to be done at the return of `op` but to free its bit.
  [[nodiscard]] bool all_taken(std::size_t op) const {
    if (lasting_[op]) return false;
    for (std::size_t i = 0; i < current_.size(); ++i)
      if (!taken(current_[i], op)) return false;
    return true;
  }

  void end_return(std::size_t op) {
    close(op);
    current_.clear();
    reached_.clear();
    current_.swap(following_);
    expanding_ = false;
  }

  void close(std::size_t op) {
    phase_[op] = Phase::kReturned;
    if (lasting_[op]) {
      std::erase(open_lasting_, op);
    } else {
      std::erase(open_, op);
      free_.push_back(bit_[op]);
      remove_rival(op);
    }
    placed_ += problem_.optional[op] == 0 ? 1 : 0;
  }

  /// Lets every operation that may come next take effect in the record reached at `index`.
  bool expand(std::size_t index, std::size_t returning) {
    std::copy_n(reached_[index], layout_.size(), source_.data());
    for (const auto* candidates : {&open_, &open_lasting_})
      for (const std::size_t op : *candidates) {
        if (!may_come_next(source_.data(), op)) continue;
        const State state = state_of(source_.data());
        const auto states = steps_->step(state, problem_.symbol[op]);
        successors_.assign(states.begin(), states.end());  // absorbing takes steps too
        for (const State after : successors_) {
          if (problem_.optional[op] != 0 && after == state) continue;
          if (!reach(op, after, returning)) return false;
        }
      }
    return !stop_.stopped();  // a step that failed refutes nothing
  }

  bool reach(std::size_t op, State after, std::size_t returning) {
    ++configurations_;
    record_ = source_;
    const std::uint32_t past = past_.extend(past_of(source_.data()), static_cast<std::int32_t>(op), counts(op));
    if (past == Past::kRoot) return false;
    set(record_.data(), after, past);
    flip(record_.data(), op);
    if (!absorb(record_.data())) return false;
    if (taken(record_.data(), returning)) return follow(record_.data(), returning);
    if (after == problem_.hopeless && is_lost(record_.data(), returning)) {
      past_.drop(past_of(record_.data()));
      return true;
    }
    return reached_.insert(record_.data(), false) != Insertion::kNoMemory;
  }

  /// Whether, in the hopeless state, `returning` cannot take effect because nothing open leads out of it.
  [[nodiscard]] bool is_lost(const std::uint64_t* record, std::size_t returning) const {
    if (problem_.despairs[returning] == 0) return false;
    for (const auto* candidates : {&open_, &open_lasting_})
      for (const std::size_t op : *candidates)
        if (problem_.revives[op] != 0 && !taken(record, op)) return false;
    return true;
  }

  /// Keeps a record for what comes after the return of `op`, whose bit is free from then on.
  bool follow(const std::uint64_t* record, std::size_t op) {
    if (record != record_.data()) std::copy_n(record, layout_.size(), record_.data());
    if (!lasting_[op] && taken(record_.data(), op)) flip(record_.data(), op);
    return following_.insert(record_.data(), true) != Insertion::kNoMemory;
  }

  [[nodiscard]] bool counts(std::size_t op) const { return problem_.optional[op] == 0; }

  [[nodiscard]] bool absorbable(std::size_t op) const {
    return problem_.reads[op] != 0 && problem_.optional[op] == 0 && !rules_out_[op];
  }

  /// Lets the open reads that match take effect; again where one may have waited for another.
  bool absorb(Record record) {
    for (bool again = true; again;) {
      again = false;
      for (const std::size_t op : open_)
        if (absorbable(op) && absorb_one(record, op)) again = again || tied_[op];
      if (stop_.stopped()) return false;
    }
    return true;
  }

  bool absorb_one(Record record, std::size_t op) {
    if (taken(record, op) || !in_order(record, op)) return false;
    if (steps_->step(state_of(record), problem_.symbol[op]).empty()) return false;
    const std::uint32_t before = past_of(record);
    const std::uint32_t past = past_.extend(before, static_cast<std::int32_t>(op), true);
    if (past == Past::kRoot) return false;
    past_.drop(before);
    set(record, state_of(record), past);
    flip(record, op);
    return true;
  }

  [[nodiscard]] bool may_come_next(const std::uint64_t* record, std::size_t op) const {
    if (taken(record, op) || absorbable(op)) return false;
    const std::int32_t rival = lasting_[op] ? lasting_rival_[op] : rival_[op];
    if (rival != kNoRival && !taken(record, at(rival))) return false;
    return in_order(record, op);
  }

  [[nodiscard]] bool in_order(const std::uint64_t* record, std::size_t op) const {
    for (const std::size_t other : before_.of(op))
      if (!took_effect(record, other)) return false;
    for (const std::size_t other : excluded_.of(op))
      if (took_effect(record, other)) return false;
    return true;
  }

  /// Whether an operation of any time has taken effect; not asked of optional ones that have ended and do not last.
  [[nodiscard]] bool took_effect(const std::uint64_t* record, std::size_t op) const {
    if (phase_[op] == Phase::kFuture) return false;
    if (phase_[op] == Phase::kReturned && !lasting_[op]) return true;
    return taken(record, op);
  }

  [[nodiscard]] bool taken(const std::uint64_t* record, std::size_t op) const {
    return ((record[1 + bit_[op] / 64] >> (bit_[op] % 64)) & 1U) != 0;
  }
  void flip(Record record, std::size_t op) const { record[1 + bit_[op] / 64] ^= std::uint64_t{1} << (bit_[op] % 64); }

  /// Whether an operation that is alike may stand for `op`, or it for that one.
  [[nodiscard]] bool has_rivals(std::size_t op) const { return !tied_[op] && problem_.optional[op] == 0; }

  /// Of open operations that are alike the one that returns first is tried first: notes a new one at `place`.
  void add_rival(std::size_t place) {
    const std::size_t op = open_[place];
    rival_[op] = kNoRival;
    if (!has_rivals(op)) return;
    const auto alike = [&](std::size_t other) {
      return problem_.symbol[other] == problem_.symbol[op] && has_rivals(other);
    };
    for (std::size_t i = place; i-- > 0 && rival_[op] == kNoRival;)
      if (alike(open_[i])) rival_[op] = static_cast<std::int32_t>(open_[i]);
    const auto later = std::find_if(open_.begin() + static_cast<std::ptrdiff_t>(place) + 1, open_.end(), alike);
    if (later != open_.end()) rival_[*later] = static_cast<std::int32_t>(op);
  }

  /// Forgets one that has returned.
  void remove_rival(std::size_t op) {
    for (const std::size_t other : open_)
      if (std::cmp_equal(rival_[other], op)) rival_[other] = rival_[op];
  }

  const Problem& problem_;
  std::unique_ptr<specs::Steps> steps_;
  std::vector<Event> events_;
  std::vector<bool> lasting_;
  std::vector<std::uint32_t> bit_;  // of each open or lasting operation
  Adjacency before_;
  Adjacency excluded_;
  std::vector<std::int32_t> lasting_rival_;
  std::vector<std::int32_t> rival_;
  std::vector<bool> tied_;       // in a pair
  std::vector<bool> rules_out_;  // taking it excludes another operation
  std::vector<Phase> phase_;
  Layout layout_;
  Past past_;
  Configurations current_;    // possible before the event; its bits are flipped in place, so it is never inserted into
  Configurations reached_;    // on the way: the returning operation has not taken effect yet
  Configurations following_;  // possible after it
  std::vector<std::uint64_t> record_;
  std::vector<std::uint64_t> source_;
  std::vector<State> successors_;
  std::vector<std::uint32_t> free_;        // bits
  std::vector<std::size_t> open_;          // by return
  std::vector<std::size_t> open_lasting_;  // by call
  std::size_t lastings_ = 0;
  std::size_t event_ = 0;
  std::size_t next_reached_ = 0;
  bool expanding_ = false;
  bool ready_ = false;
  std::uint64_t placed_ = 0;
};

}  // namespace

std::unique_ptr<Search> linear(const Problem& problem, std::unique_ptr<specs::Steps> steps, StopToken& stop) {
  return std::make_unique<Linear>(problem, std::move(steps), stop);
}

}  // namespace linpoint::search
