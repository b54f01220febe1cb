// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/time_ranking.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "linpoint/histories/integer_columns.hpp"

namespace linpoint::histories {
namespace {

/// A call or a return at an instant.
struct Event {
  std::int32_t op;
  Phase phase;
  bool is_return;
};

bool earlier(const Event& a, const Event& b) {
  if (a.phase != b.phase) return a.phase < b.phase;
  if (a.is_return != b.is_return) return b.is_return;
  return a.op < b.op;
}

/// Sorts operations by call, or by return. Logs are nearly in one of these orders: insertion then moves each operation
/// a few places, where sorting would compare it with twenty others. Other inputs are sorted.
template <typename Before>
void sort_operations(std::vector<std::int32_t>& operations, const Before& before) {
  std::size_t moves = 16 * operations.size();
  for (std::size_t i = 1; i < operations.size(); ++i) {
    if (!before(operations[i], operations[i - 1])) continue;
    const std::int32_t operation = operations[i];
    std::size_t place = i;
    for (; place > 0 && before(operation, operations[place - 1]) && moves > 0; --place, --moves)
      operations[place] = operations[place - 1];
    operations[place] = operation;
    if (moves > 0) continue;
    std::sort(operations.begin(), operations.end(), before);
    return;
  }
}

/// Spans as recorded, created on demand.
struct Recorded {
  const Columns& columns;
  std::span<const std::int32_t> positions;

  [[nodiscard]] std::size_t size() const { return positions.size(); }
  Span operator[](std::size_t index) const {
    const auto op = static_cast<std::size_t>(positions[index]);
    return {columns.process[op], columns.call[op], columns.certain(op) ? columns.ret[op] : kNever};
  }
};

/// Runs of operations of one process, among those that are called or return at one instant, in which each returns when
/// the next one is called.
template <typename Spans>
std::vector<Chain> touching(const Spans& spans, const std::vector<Event>& events) {
  std::map<std::int32_t, Chain> members;  // by process
  for (const Event& event : events) {
    members[spans[static_cast<std::size_t>(event.op)].process].push_back(event.op);
  }
  members.erase(kNone);
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const Span x = spans[static_cast<std::size_t>(a)];
    const Span y = spans[static_cast<std::size_t>(b)];
    if (x.call != y.call) return x.call < y.call;
    return x.ret != y.ret ? x.ret < y.ret : a < b;
  };
  std::vector<Chain> chains;
  for (auto& [process, mine] : members) {
    std::sort(mine.begin(), mine.end(), before);
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());  // an operation that both calls and returns is in it
                                                                    // twice
    Chain chain;
    for (std::size_t i = 1; i < mine.size(); ++i) {
      const Span first = spans[static_cast<std::size_t>(mine[i - 1])];
      const Span second = spans[static_cast<std::size_t>(mine[i])];
      if (first.ret != second.call || first.return_phase != kReturn) continue;
      if (chain.empty()) chain.push_back(mine[i - 1]);
      chain.push_back(mine[i]);
    }
    if (!chain.empty()) chains.push_back(std::move(chain));
  }
  return chains;
}

/// Orders the events of the single process that touches itself at an instant; these are all events of the instant.
/// Calls of other processes at that instant come first and their returns last, so that all still overlap. A crash of
/// the object begins before them and ends after them.
void separate(std::vector<Event>& events, const Chain& chain) {
  std::vector<Event> head;
  std::vector<Event> calls;
  std::vector<Event> own;
  std::vector<Event> opened;  // the end of a crash of the object
  std::vector<Event> returns;
  // The first one returns, those between call and return, the last one calls.
  own.push_back({chain.front(), kReturn, true});
  for (std::size_t i = 1; i + 1 < chain.size(); ++i) {
    own.push_back({chain[i], kCall, false});
    own.push_back({chain[i], kReturn, true});
  }
  own.push_back({chain.back(), kCall, false});
  const std::unordered_set<std::int32_t> members(chain.begin(), chain.end());
  for (const Event& event : events) {
    const std::int32_t other_end = event.is_return ? chain.back() : chain.front();  // the other end is at another time
    const bool mine = members.contains(event.op) && event.op != other_end;
    const bool crash = event.phase == kObjectCrash;
    if (event.phase < kCall)
      head.push_back(event);
    else if (event.phase == kObjectSaved || (crash && !event.is_return))
      calls.push_back(event);
    else if (event.phase == kObjectRecovery || crash)
      opened.push_back(event);
    else if (!mine)
      (event.is_return ? returns : calls).push_back(event);
  }
  auto out = std::copy(head.begin(), head.end(), events.begin());
  out = std::copy(calls.begin(), calls.end(), out);
  out = std::copy(own.begin(), own.end(), out);
  out = std::copy(opened.begin(), opened.end(), out);
  std::copy(returns.begin(), returns.end(), out);
}

/// Walks calls and returns together, instant by instant: filling a list of both would take longer than walking them.
template <typename Spans>
class Ranking {
 public:
  explicit Ranking(const Spans& spans) : spans_(spans) {
    order_.calls.resize(spans.size());
    order_.returns.resize(spans.size(), kNever);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const auto op = static_cast<std::int32_t>(i);
      in_call_order_ = in_call_order_ && (i == 0 || spans[i - 1].call <= spans[i].call);
      if (spans[i].ret != kNever) returns_.push_back(op);
    }
    if (!in_call_order_) {
      calls_.resize(spans.size());
      std::iota(calls_.begin(), calls_.end(), 0);
      sort_operations(calls_,
                      [&](std::int32_t a, std::int32_t b) { return std::pair(call(a), a) < std::pair(call(b), b); });
    }
    sort_operations(returns_,
                    [&](std::int32_t a, std::int32_t b) { return std::pair(ret(a), a) < std::pair(ret(b), b); });
  }

  Order run() {
    const std::size_t size = spans_.size();
    while (next_call_ < size || next_return_ < returns_.size()) {
      const bool calls = next_call_ < size;
      const bool returns = next_return_ < returns_.size();
      const std::int64_t called = calls ? call(caller(next_call_)) : kNever;
      const std::int64_t returned = returns ? ret(returns_[next_return_]) : kNever;
      if (called == returned)
        instant(called);
      else if (called < returned)
        order_.calls[place(caller(next_call_++))] = rank_++;
      else
        order_.returns[place(returns_[next_return_++])] = rank_++;
    }
    return std::move(order_);
  }

 private:
  static std::size_t place(std::int32_t op) { return static_cast<std::size_t>(op); }
  [[nodiscard]] std::int64_t call(std::int32_t op) const { return spans_[place(op)].call; }
  [[nodiscard]] std::int64_t ret(std::int32_t op) const { return spans_[place(op)].ret; }
  [[nodiscard]] std::int32_t caller(std::size_t index) const {
    return in_call_order_ ? static_cast<std::int32_t>(index) : calls_[index];
  }

  void note(const Event& event) { (event.is_return ? order_.returns : order_.calls)[place(event.op)] = rank_++; }

  /// The events at a time with both calls and returns.
  void instant(std::int64_t time) {
    std::vector<Event>& events = events_;
    events.clear();
    for (; next_call_ < spans_.size() && call(caller(next_call_)) == time; ++next_call_)
      events.push_back({caller(next_call_), spans_[place(caller(next_call_))].call_phase, false});
    for (; next_return_ < returns_.size() && ret(returns_[next_return_]) == time; ++next_return_)
      events.push_back({returns_[next_return_], spans_[place(returns_[next_return_])].return_phase, true});
    if (events.size() == 2 && one_touches_itself(events)) {
      note(events[1]);
      note(events[0]);
      return;
    }
    std::sort(events.begin(), events.end(), earlier);
    std::vector<Chain> chains = touching(spans_, events);
    if (chains.size() == 1) separate(events, chains.front());
    for (const Event& event : events) note(event);
    if (chains.size() == 1) return;
    for (Chain& chain : chains) order_.chains.push_back(std::move(chain));
  }

  /// Whether a call and a return are of one process, which is the usual case where one clock reading serves both.
  [[nodiscard]] bool one_touches_itself(const std::vector<Event>& events) const {
    const Span second = spans_[place(events[0].op)];
    const Span first = spans_[place(events[1].op)];
    return events[0].op != events[1].op && first.process == second.process && first.process != kNone &&
           events[0].phase == kCall && events[1].phase == kReturn;
  }

  const Spans& spans_;
  bool in_call_order_ = true;
  std::vector<std::int32_t> calls_;
  std::vector<std::int32_t> returns_;
  std::vector<Event> events_;
  std::size_t next_call_ = 0;
  std::size_t next_return_ = 0;
  std::int64_t rank_ = 0;
  Order order_;
};

}  // namespace

Order rank(std::span<const Span> spans) { return Ranking(spans).run(); }

Order rank(const Columns& columns, std::span<const std::int32_t> positions) {
  const Recorded spans{columns, positions};
  return Ranking(spans).run();
}

}  // namespace linpoint::histories
