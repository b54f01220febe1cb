// SPDX-License-Identifier: Apache-2.0
// Wing and Gong's search and Lowe's DFS: one walk over the linked history, without and with a table of what was seen.
// With the operation first that has to return first, it is Linear depth-first, which Lowe asked for.
//
// Where we differ from the papers: operations may be optional (unknown outcomes, crashes), and an optional
// operation that would not change the state is never taken, because leaving it out is at least as good. And the DFS
// takes at once an operation that is due, matches, and never changes any state (a read): whatever order succeeds
// with it later also succeeds with it now, so such a node has one child and no alternatives. Two counterexamples
// keep the rule that narrow. A write that would not change *this* state may be needed later: x = 1, p: write(1),
// read()->1; q: write(2). And taking a read may rule out an optional operation, as under `recoverable` with
// p: write(1) cut off, crash, p: read()->null; q: read()->1.
// A configuration is remembered when it is refuted, not when it is entered: a search that is never wrong keeps no
// table. Not so where operations may stay out for ever: there one that is still being explored is worth knowing too,
// because nothing below it need use more of those to come back to it. Such a table cannot be shared. In a state that
// nobody looks for the walk turns back at once if somebody must look before anything changes it. Past an operation that
// settles the state (nothing overlaps it, one state follows it) the walk never goes back.
#include <algorithm>
#include <limits>
#include <utility>

#include "linpoint/search/search.hpp"
#include "search/linearized_set.hpp"
#include "search/linked_history.hpp"
#include "search/order_pairs.hpp"
#include "search/refuted_table.hpp"

namespace linpoint::search {
namespace {

constexpr std::size_t kNoOperation = std::numeric_limits<std::size_t>::max();

class Walk final : public Search {
 public:
  Walk(const Problem& problem, std::unique_ptr<specs::Steps> steps, StopToken& stop, std::shared_ptr<SeenTable> seen,
       Order order)
      : Search(stop),
        problem_(problem),
        steps_(std::move(steps)),
        seen_(std::move(seen)),
        order_(order),
        events_(problem),
        linearized_(problem),
        before_(awaited(problem)),
        excluded_(forbidden(problem)),
        rival_(rivals(problem)),
        rules_out_(problem.size()),
        on_entry_(!linearized_.lasting().empty()),
        state_(problem.initial) {
    for (const Pair& pair : problem.excluded) rules_out_[static_cast<std::size_t>(pair.second)] = true;
    // Where nothing returns, each candidate would be looked at for nothing.
    const bool returns = std::ranges::any_of(problem.ret, [](std::int64_t ret) { return ret != kNever; });
    if (order_ == Order::kFirstReturned && !returns) order_ = Order::kFirstCalled;
  }

  [[nodiscard]] std::vector<std::int32_t> order() const override { return longest_; }

 protected:
  Status walk(std::uint64_t most) override {
    const Status status = try_orders(most);
    keep_longest();  // it may have been stopped on its way further
    return status;
  }

  [[nodiscard]] std::uint64_t placed() const override { return std::max(longest_count_, linearized_.count()); }

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

  Status try_orders(std::uint64_t most) {
    while (linearized_.count() < linearized_.mandatories()) {
      if (interrupted(kPollInterval)) return Status::kStopped;
      if (configurations_ >= most) return Status::kPaused;
      const bool forward = retry_ == kNoOperation ? descend() : sidestep();
      if (forward) {
        retry_ = kNoOperation;
        continue;
      }
      keep_longest();
      if (stop_.stopped()) return Status::kStopped;  // a step that failed for want of memory refutes nothing
      while (stack_.size() > floor_ && stack_.back().only_child) undo();
      if (stack_.size() == floor_) return Status::kViolation;
      const Frame frame = undo();
      retry_ = frame.op;
      alternative_ = frame.alternative + 1;
    }
    if (stop_.stopped()) return Status::kStopped;
    keep_longest();
    return Status::kLinearizable;
  }

  /// Takes a first operation from here; false when there is none.
  bool descend() {
    lost_ = state_ == problem_.hopeless && is_lost();
    if (lost_) return false;
    if (seen_ != nullptr) {
      const std::size_t op = due_read();
      if (op != kNoOperation) return enter(op, state_, 0, true);
    }
    return take(first_candidate(), 0);
  }

  /// Takes the next operation after one that has failed; false when there is none.
  bool sidestep() { return take(LinkedHistory::call_of(static_cast<std::uint32_t>(retry_)), alternative_); }

  /// Takes the next operation that can take effect at or behind `cursor`; false when there is none.
  bool take(LinkedHistory::Node cursor, std::size_t alternative) {
    for (; cursor != events_.end(); cursor = following(cursor), alternative = 0) {
      const std::size_t op = LinkedHistory::operation(cursor);
      if (LinkedHistory::is_return(cursor)) {
        if (problem_.optional[op] != 0) continue;  // left out: what follows need not wait for it
        return false;
      }
      if (!may_come_next(op)) continue;
      const auto states = steps_->step(state_, problem_.symbol[op]);
      for (; alternative < states.size(); ++alternative)
        if (enter(op, states[alternative], alternative, false)) return true;
      if (stop_.stopped()) return false;
    }
    return false;
  }

  /// Whether, in the hopeless state, one that it does not allow must take effect before anything can lead out of it.
  [[nodiscard]] bool is_lost() const {
    for (auto node = events_.first(); node != events_.end(); node = events_.next(node)) {
      const std::size_t op = LinkedHistory::operation(node);
      if (!LinkedHistory::is_return(node) && problem_.revives[op] != 0) return false;
      if (LinkedHistory::is_return(node) && problem_.despairs[op] != 0 && problem_.optional[op] == 0) return true;
    }
    return false;
  }

  [[nodiscard]] LinkedHistory::Node first_candidate() const {
    if (order_ == Order::kFirstReturned) return first_returned_after(std::numeric_limits<std::int64_t>::min(), 0);
    return order_ == Order::kLastCalled ? last_candidate() : events_.first();
  }

  [[nodiscard]] LinkedHistory::Node following(LinkedHistory::Node node) const {
    if (order_ == Order::kFirstReturned) {
      const std::size_t op = LinkedHistory::operation(node);
      return first_returned_after(problem_.ret[op], op + 1);
    }
    return order_ == Order::kLastCalled ? events_.previous(node) : events_.next(node);
  }

  /// Of the calls before the first return that must be waited for, the one that returns first, but not before `ret`; of
  /// those that return then (or never), the first operation from `least` on.
  [[nodiscard]] LinkedHistory::Node first_returned_after(std::int64_t ret, std::size_t least) const {
    LinkedHistory::Node best = events_.end();
    for (auto node = events_.first(); node != events_.end(); node = events_.next(node)) {
      const std::size_t op = LinkedHistory::operation(node);
      if (LinkedHistory::is_return(node)) {
        if (problem_.optional[op] == 0) break;
        continue;
      }
      if (std::pair(problem_.ret[op], op) < std::pair(ret, least)) continue;
      if (best == events_.end()) {
        best = node;
        continue;
      }
      const std::size_t other = LinkedHistory::operation(best);
      if (std::pair(problem_.ret[op], op) < std::pair(problem_.ret[other], other)) best = node;
    }
    return best;
  }

  /// The last call before the first return that must be waited for.
  [[nodiscard]] LinkedHistory::Node last_candidate() const {
    LinkedHistory::Node node = events_.first();
    while (node != events_.end() &&
           (!LinkedHistory::is_return(node) || problem_.optional[LinkedHistory::operation(node)] != 0))
      node = events_.next(node);
    return events_.previous(node);
  }

  /// A read that may come next, matches and rules nothing out, or kNoOperation.
  std::size_t due_read() {
    for (auto node = events_.first(); node != events_.end(); node = events_.next(node)) {
      const std::size_t op = LinkedHistory::operation(node);
      if (LinkedHistory::is_return(node)) break;  // what is called after an optional return rules that one out
      if (problem_.reads[op] == 0 || problem_.optional[op] != 0 || rules_out_[op] || !may_come_next(op)) continue;
      if (!steps_->step(state_, problem_.symbol[op]).empty()) return op;
    }
    return kNoOperation;
  }

  [[nodiscard]] bool may_come_next(std::size_t op) const {
    if (problem_.optional[op] != 0 && problem_.ret[op] < latest_call_)
      return false;  // something called after its end is in already
    if (rival_[op] != kNoRival && !linearized_.contains(static_cast<std::size_t>(rival_[op]))) return false;
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
    if (seen_ != nullptr && is_known(after)) {
      linearized_.unexpire(expired);
      linearized_.erase(op, optional);
      return false;
    }
    ++configurations_;
    stack_.push_back({op, alternative, state_, latest_call_, expired, only_child});
    events_.lift(static_cast<std::uint32_t>(op));
    state_ = after;
    latest_call_ = latest_call;
    if (problem_.settles[op] != 0) {
      floor_ = stack_.size();
      if (seen_ != nullptr && seen_.use_count() == 1) seen_->clear();
    }
    return true;
  }

  bool is_known(State after) {
    if (on_entry_) return remember(after) != SeenTable::Insertion::kNew;
    if (!seen_->may_know(linearized_.first_word(after))) return false;
    linearized_.key(after, key_);
    return seen_->contains(key_, linearized_.lasting());
  }

  SeenTable::Insertion remember(State state) {
    linearized_.key(state, key_);
    const auto insertion = seen_->insert(key_, linearized_.lasting());
    if (insertion == SeenTable::Insertion::kNoMemory) stop_.stop(StopReason::kMemory);
    return insertion;
  }

  /// Goes back from a configuration that nothing can follow.
  Frame undo() {
    const Frame frame = stack_.back();
    if (seen_ != nullptr && !on_entry_ && !lost_) remember(state_);
    lost_ = false;
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

  const Problem& problem_;
  std::unique_ptr<specs::Steps> steps_;
  std::shared_ptr<SeenTable> seen_;
  Order order_;
  LinkedHistory events_;
  LinearizedSet linearized_;
  Adjacency before_;
  Adjacency excluded_;
  std::vector<std::int32_t> rival_;
  std::vector<bool> rules_out_;  // taking it excludes another operation
  bool lost_ = false;            // what it stands on is refuted at a glance, and not worth remembering
  bool on_entry_;                // configurations are remembered when they are entered
  SeenTable::Words key_;
  std::vector<Frame> stack_;
  State state_;
  std::int64_t latest_call_ = std::numeric_limits<std::int64_t>::min();
  std::size_t retry_ = kNoOperation;  // the operation whose place another is to take
  std::size_t alternative_ = 0;
  std::size_t floor_ = 0;  // frames below it are settled
  std::vector<std::int32_t> longest_;
  std::size_t longest_count_ = 0;
  std::size_t unchanged_ = 0;  // leading frames that longest_ shares with the stack
  bool kept_ = false;
};

}  // namespace

std::unique_ptr<Search> wing_gong(const Problem& problem, std::unique_ptr<specs::Steps> steps, StopToken& stop) {
  return std::make_unique<Walk>(problem, std::move(steps), stop, nullptr, Order::kFirstCalled);
}

std::shared_ptr<SeenTable> seen_table(const Problem& problem, StopToken& stop, bool shared) {
  return std::make_shared<SeenTable>(LinearizedSet(problem).lasting().size(), stop, shared);
}

std::unique_ptr<Search> depth_first(const Problem& problem, std::unique_ptr<specs::Steps> steps, StopToken& stop,
                                    std::shared_ptr<SeenTable> seen, Order order) {
  return std::make_unique<Walk>(problem, std::move(steps), stop, std::move(seen), order);
}

}  // namespace linpoint::search
