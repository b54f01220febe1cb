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

/// By instant and process: a run of operations of which each returns when the next one calls.
using Touching = std::map<std::int64_t, std::map<std::int32_t, Chain>>;

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
      if (other.ret == span.call && other.return_phase == kReturn) {
        Chain& chain = found[span.call][span.process];
        if (chain.empty()) chain.push_back(previous);
        chain.push_back(op);
      }
    }
    previous = op;
  }
  return found;
}

/// Puts the events of the one process that touches itself at `time` in its own order. Everyone else's calls at that
/// instant come before them and everyone else's returns after, so all still overlap.
void separate(std::vector<Event>& events, std::int64_t time, const Chain& chain) {
  const auto first =
      std::lower_bound(events.begin(), events.end(), time, [](const Event& e, std::int64_t t) { return e.time < t; });
  const auto last =
      std::upper_bound(first, events.end(), time, [](std::int64_t t, const Event& e) { return t < e.time; });
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
  for (auto event = first; event != last; ++event) {
    const bool mine = std::any_of(own.begin(), own.end(),
                                  [&](const Event& e) { return e.op == event->op && e.is_return == event->is_return; });
    if (event->phase != kCall && event->phase != kReturn)
      head.push_back(*event);
    else if (!mine)
      (event->is_return ? returns : calls).push_back(*event);
  }
  auto out = std::copy(head.begin(), head.end(), first);
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

template <typename Spans>
Order ranked(const Spans& spans) {
  Order order;
  order.calls.resize(spans.size());
  order.returns.resize(spans.size(), kNever);
  std::int64_t next = 0;
  const auto note = [&](const Event& event) {
    (event.is_return ? order.returns : order.calls)[static_cast<std::size_t>(event.op)] = next++;
  };
  const std::vector<Event> calls = calls_of(spans);
  const std::vector<Event> returns = returns_of(spans);
  Touching touches = touching(spans, calls);
  const bool one_alone =
      std::any_of(touches.begin(), touches.end(), [](const auto& each) { return each.second.size() == 1; });
  if (one_alone) {
    std::vector<Event> events(calls.size() + returns.size());
    std::merge(calls.begin(), calls.end(), returns.begin(), returns.end(), events.begin(), earlier);
    for (const auto& [time, found] : touches)
      if (found.size() == 1) separate(events, time, found.begin()->second);
    std::for_each(events.begin(), events.end(), note);
  } else {  // without a list of all events, which for long histories takes longer to fill than to walk
    auto call = calls.begin();
    for (const Event& event : returns) {
      for (; call != calls.end() && earlier(*call, event); ++call) note(*call);
      note(event);
    }
    std::for_each(call, calls.end(), note);
  }
  for (auto& [time, found] : touches)
    if (found.size() > 1)
      for (auto& [process, chain] : found) order.chains.push_back(std::move(chain));
  return order;
}

}  // namespace

Order rank(std::span<const Span> spans) { return ranked(spans); }

Order rank(const Columns& columns, std::span<const std::int32_t> positions) {
  return ranked(Recorded{columns, positions});
}

}  // namespace linpoint::histories
