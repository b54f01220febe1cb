// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/ranking.hpp"

#include <algorithm>
#include <map>

#include "linpoint/histories/columns.hpp"

namespace linpoint::histories {
namespace {

struct Event {
  std::int64_t time;
  std::int32_t op;
  Phase phase;
  bool is_return;
};

bool earlier(const Event& a, const Event& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.phase != b.phase) return a.phase < b.phase;
  if (a.is_return != b.is_return) return b.is_return;
  return a.op < b.op;
}

/// Logs are nearly in order of calls or of returns: there insertion moves each event a few places, where sorting would
/// compare it with twenty others. Whatever is not like that is sorted.
void sort_events(std::vector<Event>& events) {
  std::size_t moves = 16 * events.size();
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (!earlier(events[i], events[i - 1])) continue;
    const Event event = events[i];
    std::size_t place = i;
    for (; place > 0 && earlier(event, events[place - 1]) && moves > 0; --place, --moves)
      events[place] = events[place - 1];
    events[place] = event;
    if (moves > 0) continue;
    std::sort(events.begin(), events.end(), earlier);
    return;
  }
}

/// The calls in their order.
template <typename Spans>
std::vector<Event> calls_of(const Spans& spans) {
  std::vector<Event> calls;
  calls.reserve(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span span = spans[i];
    calls.push_back({span.call, static_cast<std::int32_t>(i), span.call_phase, false});
  }
  sort_events(calls);
  return calls;
}

/// The returns in their order.
template <typename Spans>
std::vector<Event> returns_of(const Spans& spans) {
  std::vector<Event> returns;
  returns.reserve(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span span = spans[i];
    if (span.ret == kNever) continue;
    returns.push_back({span.ret, static_cast<std::int32_t>(i), span.return_phase, true});
  }
  sort_events(returns);
  return returns;
}

/// An operation that is called when the one before it in its process returns.
struct Touch {
  std::int64_t time;
  std::int32_t process;
  std::int32_t before;
  std::int32_t op;
};
/// By time.
using Touching = std::vector<Touch>;

template <typename Spans>
Touching touching(const Spans& spans, const std::vector<Event>& calls) {
  std::vector<std::int32_t> by_call;
  by_call.reserve(calls.size());
  for (const Event& event : calls) by_call.push_back(event.op);
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const Span x = spans[static_cast<std::size_t>(a)];
    const Span y = spans[static_cast<std::size_t>(b)];
    if (x.call != y.call) return x.call < y.call;
    return x.ret != y.ret ? x.ret < y.ret : a < b;
  };
  for (std::size_t from = 0; from < calls.size();) {  // only calls at one instant can be out of order
    std::size_t to = from + 1;
    while (to < calls.size() && calls[to].time == calls[from].time) ++to;
    if (to > from + 1)
      std::sort(by_call.begin() + static_cast<std::ptrdiff_t>(from), by_call.begin() + static_cast<std::ptrdiff_t>(to),
                before);
    from = to;
  }
  std::int32_t most = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) most = std::max(most, spans[i].process);
  std::vector<std::int32_t> last(static_cast<std::size_t>(most) + 1, kNone);
  Touching found;
  for (const std::int32_t op : by_call) {
    const Span span = spans[static_cast<std::size_t>(op)];
    if (span.process == kNone) continue;
    std::int32_t& previous = last[static_cast<std::size_t>(span.process)];
    if (previous != kNone) {
      const Span other = spans[static_cast<std::size_t>(previous)];
      if (other.ret == span.call && other.return_phase == kReturn)
        found.push_back({span.call, span.process, previous, op});
    }
    previous = op;
  }
  return found;
}

/// Runs of operations of one process of which each returns when the next one calls; there may be several at one time.
std::vector<Chain> chains_of(std::span<const Touch> touches) {
  std::map<std::int32_t, Chain> chains;
  for (const Touch& touch : touches) {
    Chain& chain = chains[touch.process];
    if (chain.empty()) chain.push_back(touch.before);
    chain.push_back(touch.op);
  }
  std::vector<Chain> all;
  for (auto& [process, chain] : chains) all.push_back(std::move(chain));
  return all;
}

/// Puts the events of the one process that touches itself at an instant, of which these are all, in its own order.
/// Everyone else's calls at that instant come before them and everyone else's returns after, so all still overlap.
void separate(std::vector<Event>& events, const Chain& chain) {
  const std::int64_t time = events.front().time;
  std::vector<Event> head;
  std::vector<Event> calls;
  std::vector<Event> own;
  std::vector<Event> returns;
  // The first returns, those between call and return, the last one calls.
  own.push_back({time, chain.front(), kReturn, true});
  for (std::size_t i = 1; i + 1 < chain.size(); ++i) {
    own.push_back({time, chain[i], kCall, false});
    own.push_back({time, chain[i], kReturn, true});
  }
  own.push_back({time, chain.back(), kCall, false});
  for (const Event& event : events) {
    const bool mine = std::any_of(own.begin(), own.end(),
                                  [&](const Event& e) { return e.op == event.op && e.is_return == event.is_return; });
    if (event.phase != kCall && event.phase != kReturn)
      head.push_back(event);
    else if (!mine)
      (event.is_return ? returns : calls).push_back(event);
  }
  auto out = std::copy(head.begin(), head.end(), events.begin());
  out = std::copy(calls.begin(), calls.end(), out);
  out = std::copy(own.begin(), own.end(), out);
  std::copy(returns.begin(), returns.end(), out);
}

/// Spans as they were recorded, made when they are asked for.
struct Recorded {
  const Columns& columns;
  std::span<const std::int32_t> positions;

  [[nodiscard]] std::size_t size() const { return positions.size(); }
  Span operator[](std::size_t index) const {
    const auto op = static_cast<std::size_t>(positions[index]);
    return {columns.process[op], columns.call[op], columns.certain(op) ? columns.ret[op] : kNever};
  }
};

/// Gives ranks to calls and returns, which are walked together: for long histories a list of both takes longer to fill
/// than to walk.
class Ranks {
 public:
  Ranks(const std::vector<Event>& calls, const std::vector<Event>& returns, std::size_t size)
      : call_(calls.begin()), last_call_(calls.end()), return_(returns.begin()), last_return_(returns.end()) {
    order_.calls.resize(size);
    order_.returns.resize(size, kNever);
  }

  /// What happens before the instant of some touches, and at it.
  void walk(std::span<const Touch> touches) {
    const std::int64_t time = touches.front().time;
    while (event_before(time)) note(next());
    const bool only_two = call_ != last_call_ && (call_ + 1 == last_call_ || call_[1].time != time) &&
                          return_ != last_return_ && (return_ + 1 == last_return_ || return_[1].time != time);
    if (only_two) {
      note(*return_++);
      note(*call_++);
      return;
    }
    std::vector<Event> events;
    while (call_ != last_call_ && call_->time == time) events.push_back(*call_++);
    while (return_ != last_return_ && return_->time == time) events.push_back(*return_++);
    std::sort(events.begin(), events.end(), earlier);
    std::vector<Chain> chains = chains_of(touches);
    if (chains.size() == 1) separate(events, chains.front());
    for (const Event& event : events) note(event);
    if (chains.size() == 1) return;
    for (Chain& chain : chains) order_.chains.push_back(std::move(chain));
  }

  Order rest() {
    for (; return_ != last_return_; ++return_) {
      for (; call_ != last_call_ && earlier(*call_, *return_); ++call_) note(*call_);
      note(*return_);
    }
    for (; call_ != last_call_; ++call_) note(*call_);
    return std::move(order_);
  }

 private:
  using Place = std::vector<Event>::const_iterator;

  void note(const Event& event) {
    (event.is_return ? order_.returns : order_.calls)[static_cast<std::size_t>(event.op)] = rank_++;
  }
  [[nodiscard]] bool event_before(std::int64_t time) const {
    return (call_ != last_call_ && call_->time < time) || (return_ != last_return_ && return_->time < time);
  }
  Event next() {
    const bool calls = call_ != last_call_ && (return_ == last_return_ || earlier(*call_, *return_));
    return calls ? *call_++ : *return_++;
  }

  Order order_;
  std::int64_t rank_ = 0;
  Place call_;
  Place last_call_;
  Place return_;
  Place last_return_;
};

template <typename Spans>
Order ranked(const Spans& spans) {
  const std::vector<Event> calls = calls_of(spans);
  const std::vector<Event> returns = returns_of(spans);
  const Touching touches = touching(spans, calls);
  Ranks ranks(calls, returns, spans.size());
  for (std::size_t from = 0; from < touches.size();) {
    std::size_t to = from + 1;
    while (to < touches.size() && touches[to].time == touches[from].time) ++to;
    ranks.walk(std::span(touches).subspan(from, to - from));
    from = to;
  }
  return ranks.rest();
}

}  // namespace

Order rank(std::span<const Span> spans) { return ranked(spans); }

Order rank(const Columns& columns, std::span<const std::int32_t> positions) {
  return ranked(Recorded{columns, positions});
}

}  // namespace linpoint::histories
