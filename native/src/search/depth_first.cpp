// SPDX-License-Identifier: Apache-2.0
// Wing and Gong's search and Lowe's DFS: one walk over the linked history, without and with a table of what was seen.
//
// Where we differ from the papers: operations may be optional (unknown outcomes, crashes), and an optional
// operation that would not change the state is never taken, because leaving it out is at least as good. And the DFS
// takes at once an operation that is due, matches, and never changes any state (a read): whatever order succeeds
// with it later also succeeds with it now, so such a node has one child and no alternatives. Two counterexamples
// keep the rule that narrow. A write that would not change *this* state may be needed later: x = 1, p: write(1),
// read()->1; q: write(2). And taking a read may rule out an optional operation, as under `recoverable` with
// p: write(1) cut off, crash, p: read()->null; q: read()->1.
#include <algorithm>
#include <limits>
#include <optional>

#include "linpoint/search/search.hpp"
#include "search/linearized_set.hpp"
#include "search/linked_history.hpp"
#include "search/seen_table.hpp"

namespace linpoint::search {
namespace {

/// For each operation the partners of the pairs it is in, as one flat array with offsets.
class Adjacency {
 public:
  template <typename Owner, typename Partner>
  Adjacency(std::size_t operations, std::span<const Pair> pairs, Owner owner, Partner partner)
      : offset_(operations + 1) {
    for (const Pair& pair : pairs) ++offset_[static_cast<std::size_t>(owner(pair)) + 1];
    for (std::size_t i = 1; i < offset_.size(); ++i) offset_[i] += offset_[i - 1];
    partner_.resize(pairs.size());
    std::vector<std::size_t> next(offset_.begin(), offset_.end() - 1);
    for (const Pair& pair : pairs)
      partner_[next[static_cast<std::size_t>(owner(pair))]++] = static_cast<std::size_t>(partner(pair));
  }
  [[nodiscard]] std::span<const std::size_t> of(std::size_t op) const {
    return std::span(partner_).subspan(offset_[op], offset_[op + 1] - offset_[op]);
  }

 private:
  std::vector<std::size_t> offset_;
  std::vector<std::size_t> partner_;
};

constexpr std::int32_t kNone = -1;
constexpr std::size_t kNoOperation = std::numeric_limits<std::size_t>::max();

/// Of unknown operations that are alike only the first called need be tried while it is open: whatever a later
/// one could do, it could do. Gives for each such operation the one to try before it.
std::vector<std::int32_t> rivals(const Problem& problem) {
  std::vector<std::int32_t> rival(problem.symbol.size(), kNone);
  std::vector<bool> tied(problem.symbol.size());
  for (const Pair& pair : problem.before) tied[static_cast<std::size_t>(pair.second)] = true;
  for (const Pair& pair : problem.excluded) tied[static_cast<std::size_t>(pair.first)] = true;
  std::vector<std::pair<Symbol, std::int32_t>> last;
  for (std::size_t op = 0; op < problem.symbol.size(); ++op) {
    if (problem.optional[op] == 0 || problem.ret[op] != kNever || tied[op]) continue;
    last.emplace_back(problem.symbol[op], static_cast<std::int32_t>(op));
  }
  std::sort(last.begin(), last.end());
  for (std::size_t i = 1; i < last.size(); ++i)
    if (last[i].first == last[i - 1].first) rival[static_cast<std::size_t>(last[i].second)] = last[i - 1].second;
  return rival;
}

class Walk {
 public:
  Walk(const Problem& problem, TransitionTable& table, StopToken& stop, bool remember)
      : problem_(problem),
        table_(table),
        stop_(stop),
        events_(problem),
        linearized_(problem),
        before_(
            problem.symbol.size(), problem.before, [](const Pair& p) { return p.second; },
            [](const Pair& p) { return p.first; }),
        excluded_(
            problem.symbol.size(), problem.excluded, [](const Pair& p) { return p.first; },
            [](const Pair& p) { return p.second; }),
        rival_(rivals(problem)),
        rules_out_(problem.symbol.size()),
        state_(problem.initial) {
    for (const Pair& pair : problem.excluded) rules_out_[static_cast<std::size_t>(pair.second)] = true;
    if (remember) seen_.emplace(stop);
  }

  Result run() {
    Result result;
    LinkedHistory::Node cursor = events_.first();
    std::size_t alternative = 0;
    if (!stop_.poll()) {
      while (linearized_.count() < linearized_.mandatories()) {
        if (interrupted()) break;
        if (advance(cursor, alternative)) {
          cursor = events_.first();
          alternative = 0;
          continue;
        }
        keep_longest();
        if (stop_.stopped()) break;  // a step that failed for want of memory refutes nothing
        while (!stack_.empty() && stack_.back().only_child) undo();
        if (stack_.empty()) {
          result.status = Status::kViolation;
          break;
        }
        const Frame frame = undo();
        cursor = LinkedHistory::call_of(static_cast<std::uint32_t>(frame.op));
        alternative = frame.alternative + 1;
      }
    }
    if (linearized_.count() == linearized_.mandatories() && !stop_.stopped()) {
      result.status = Status::kLinearizable;
      keep_longest();
    }
    report();
    result.order = longest_;
    result.configurations = configurations_;
    return result;
  }

 private:
  struct Frame {
    std::size_t op;
    std::size_t alternative;
    State state;               // before the operation
    std::int64_t latest_call;  // before the operation
    std::size_t expired;       // how many optional operations had expired before it
    bool only_child;           // nothing else need be tried in its place
  };
  static constexpr std::uint64_t kPollInterval = 1024;

  /// Takes the next operation that can take effect at or behind `cursor`; false when there is none.
  bool advance(LinkedHistory::Node cursor, std::size_t alternative) {
    if (seen_ && cursor == events_.first() && alternative == 0) {
      const std::size_t op = due_read();
      if (op != kNoOperation) return enter(op, state_, 0, true);
    }
    for (; cursor != events_.end(); cursor = events_.next(cursor), alternative = 0) {
      const std::size_t op = LinkedHistory::operation(cursor);
      if (LinkedHistory::is_return(cursor)) {
        if (problem_.optional[op] != 0) continue;  // left out: what follows need not wait for it
        return false;
      }
      if (!may_come_next(op)) continue;
      const auto states = table_.step(state_, problem_.symbol[op]);
      for (; alternative < states.size(); ++alternative)
        if (enter(op, states[alternative], alternative, false)) return true;
      if (stop_.stopped()) return false;
    }
    return false;
  }

  /// A read that may come next, matches and rules nothing out, or kNoOperation.
  std::size_t due_read() {
    for (auto node = events_.first(); node != events_.end(); node = events_.next(node)) {
      const std::size_t op = LinkedHistory::operation(node);
      if (LinkedHistory::is_return(node)) break;  // what is called after an optional return rules that one out
      if (problem_.reads[op] == 0 || problem_.optional[op] != 0 || rules_out_[op] || !may_come_next(op)) continue;
      if (!table_.step(state_, problem_.symbol[op]).empty()) return op;
    }
    return kNoOperation;
  }

  [[nodiscard]] bool may_come_next(std::size_t op) const {
    if (problem_.optional[op] != 0) {
      if (problem_.ret[op] < latest_call_) return false;  // something called after its end is in already
      if (rival_[op] != kNone && !linearized_.contains(static_cast<std::size_t>(rival_[op]))) return false;
    }
    for (const std::size_t other : before_.of(op))
      if (!linearized_.contains(other)) return false;
    for (const std::size_t other : excluded_.of(op))
      if (linearized_.contains(other)) return false;
    return true;
  }

  bool enter(std::size_t op, State after, std::size_t alternative, bool only_child) {
    if (problem_.optional[op] != 0 && after == state_) return false;
    const bool optional = problem_.optional[op] != 0;
    const std::int64_t latest_call = std::max(latest_call_, problem_.call[op]);
    linearized_.insert(op, optional);
    const std::size_t expired = linearized_.expire(latest_call);
    if (seen_) {
      linearized_.key(after, key_);
      if (seen_->insert(key_) != SeenTable::Insertion::kNew) {
        linearized_.unexpire(expired);
        linearized_.erase(op, optional);
        return false;
      }
    }
    ++configurations_;
    stack_.push_back({op, alternative, state_, latest_call_, expired, only_child});
    events_.lift(static_cast<std::uint32_t>(op));
    state_ = after;
    latest_call_ = latest_call;
    return true;
  }

  Frame undo() {
    const Frame frame = stack_.back();
    stack_.pop_back();
    unchanged_ = std::min(unchanged_, stack_.size());
    events_.unlift(static_cast<std::uint32_t>(frame.op));
    linearized_.unexpire(frame.expired);
    linearized_.erase(frame.op, problem_.optional[frame.op] != 0);
    state_ = frame.state;
    latest_call_ = frame.latest_call;
    return frame;
  }

  /// Remembers the stack when it is the longest so far; copies only what changed since the last time.
  void keep_longest() {
    if (linearized_.count() < longest_count_ || (linearized_.count() == longest_count_ && kept_)) return;
    longest_count_ = linearized_.count();
    kept_ = true;
    longest_.resize(unchanged_);
    for (std::size_t i = unchanged_; i < stack_.size(); ++i)
      longest_.push_back(static_cast<std::int32_t>(stack_[i].op));
    unchanged_ = stack_.size();
  }

  bool interrupted() {
    if (++polls_ % kPollInterval != 0) return stop_.stopped();
    report();
    return stop_.poll();
  }

  void report() {
    stop_.configurations.fetch_add(configurations_ - reported_, std::memory_order_relaxed);
    reported_ = configurations_;
    if (longest_count_ > reported_longest_) {
      stop_.linearized.fetch_add(longest_count_ - reported_longest_, std::memory_order_relaxed);
      reported_longest_ = longest_count_;
    }
  }

  const Problem& problem_;
  TransitionTable& table_;
  StopToken& stop_;
  LinkedHistory events_;
  LinearizedSet linearized_;
  Adjacency before_;
  Adjacency excluded_;
  std::vector<std::int32_t> rival_;
  std::vector<bool> rules_out_;  // taking it excludes another operation
  std::optional<SeenTable> seen_;
  std::vector<std::uint64_t> key_;
  std::vector<Frame> stack_;
  State state_;
  std::int64_t latest_call_ = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int32_t> longest_;
  std::size_t longest_count_ = 0;
  std::size_t unchanged_ = 0;  // leading frames that longest_ shares with the stack
  bool kept_ = false;
  std::uint64_t polls_ = 0;
  std::uint64_t configurations_ = 0;
  std::uint64_t reported_ = 0;
  std::uint64_t reported_longest_ = 0;
};

}  // namespace

Result wing_gong(const Problem& problem, TransitionTable& table, StopToken& stop) {
  return Walk(problem, table, stop, false).run();
}

Result depth_first(const Problem& problem, TransitionTable& table, StopToken& stop) {
  return Walk(problem, table, stop, true).run();
}

}  // namespace linpoint::search
