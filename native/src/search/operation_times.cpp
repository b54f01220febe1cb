// SPDX-License-Identifier: Apache-2.0
#include "search/operation_times.hpp"

#include <algorithm>

namespace linpoint::search {

using histories::Columns;
using histories::Crash;
using histories::kNone;
using histories::Span;

OperationTimes::OperationTimes(const Columns& columns, const Part& part, Condition condition)
    : columns_(columns), part_(part), condition_(condition) {
  if (condition != Condition::kLinearizable) {
    for (const Crash& crash : columns.crashes)
      if (crash.of_everything()) system_.push_back(crash.time);
    system_.erase(std::unique(system_.begin(), system_.end()), system_.end());
  }
  if (condition == Condition::kBufferedDurable) collect_ends();
}

void OperationTimes::collect_ends() {
  for (const Crash& crash : columns_.crashes) {
    if (!crash.ends_era()) continue;
    if (ends_.empty() || ends_.back().time != crash.time)
      ends_.push_back(crash);
    else if (crash.of_everything())
      ends_.back() = crash;
  }
}

/// Whether the process of an operation crashes at a time, alone or with everything.
bool OperationTimes::crashes_at(std::int64_t time, std::size_t op) const {
  const auto& crashes = columns_.crashes;
  auto at_once = std::lower_bound(crashes.begin(), crashes.end(), time,
                                  [](const Crash& each, std::int64_t other) { return each.time < other; });
  for (; at_once != crashes.end() && at_once->time == time; ++at_once)
    if (at_once->covers(columns_.process[op])) return true;
  return false;
}

Span OperationTimes::span(std::size_t op) const {
  Span span{columns_.process[op], columns_.call[op], columns_.skewed_return(op)};
  const bool certain = columns_.certain(op) && !open(static_cast<std::int32_t>(op));
  if (!certain) span.ret = kNever;
  if (condition_ == Condition::kBufferedDurable) {  // these eras stay as recorded, whatever the clocks
    const auto next = std::upper_bound(system_.begin(), system_.end(), span.call);
    if (next != system_.end() && span.ret >= *next) {
      span.ret = *next;
      span.return_phase = histories::kEarlyReturn;
      return span;
    }
  }
  if (certain) {
    const bool orders = condition_ != Condition::kLinearizable && !columns_.skewed;
    if (orders && columns_.ret[op] != columns_.call[op] && crashes_at(columns_.ret[op], op))
      span.return_phase = histories::kEarlyReturn;
  } else if (const Crash* crash = interruption(op)) {
    span.ret = crash->end;
    if (!columns_.skewed && crashes_at(crash->time, op)) span.return_phase = histories::kEarlyReturn;
  }
  return span;
}

/// The crash that ends an operation with an unknown outcome under strict linearizability; null if there is none.
const Crash* OperationTimes::interruption(std::size_t op) const {
  if (condition_ != Condition::kStrict) return nullptr;
  const auto crash = std::find_if(columns_.crashes.begin(), columns_.crashes.end(), [&](const Crash& each) {
    return each.of_object() ? each.begin > columns_.call[op]
                            : each.time > columns_.call[op] && each.covers(columns_.process[op]);
  });
  return crash == columns_.crashes.end() ? nullptr : &*crash;
}

std::int32_t OperationTimes::only_era(std::size_t op) const {
  const Span mine = span(op);
  std::int32_t first = 0;
  auto last = static_cast<std::int32_t>(ends_.size());
  for (std::int32_t era = 0; era < static_cast<std::int32_t>(ends_.size()); ++era) {
    const Crash& end = ends_[static_cast<std::size_t>(era)];
    if (end.of_object() ? end.end < mine.call : end.time <= mine.call) first = era + 1;
    if (end.of_object() ? mine.ret < end.time : mine.call < end.time) last = std::min(last, era);
  }
  return first == last ? first : kNone;
}

std::int64_t OperationTimes::in_turn_since(std::size_t op) const {
  if (columns_.certain(op) || condition_ == Condition::kRecoverable || condition_ == Condition::kSequential)
    return kStart;
  const Crash* crash = interruption(op);
  return crash == nullptr ? kNever : crash->time;
}

bool OperationTimes::open(std::int32_t position) const {
  return std::binary_search(part_.open.begin(), part_.open.end(), position);
}

}  // namespace linpoint::search
