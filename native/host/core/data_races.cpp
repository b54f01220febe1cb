// SPDX-License-Identifier: Apache-2.0
#include "host/core/data_races.hpp"

#include <algorithm>
#include <span>

namespace linpoint::runtime {

namespace {

constexpr std::uint64_t kUnit = 8;

/// The bytes of a unit that lie in [begin, end), as a mask.
std::uint8_t bytes_within(std::uint64_t unit, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t from = std::max(begin, unit * kUnit) - unit * kUnit;
  const std::uint64_t to = std::min(end, (unit + 1) * kUnit) - unit * kUnit;
  return static_cast<std::uint8_t>(((1U << to) - 1U) & ~((1U << from) - 1U));
}

/// The values for the bytes of a unit that lie in [begin, end).
template <typename Value>
std::span<Value> part_of(std::array<Value, kUnit>& all, std::uint64_t unit, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t from = std::max(begin, unit * kUnit) - unit * kUnit;
  const std::uint64_t to = std::min(end, (unit + 1) * kUnit) - unit * kUnit;
  return std::span(all).subspan(from, to - from);
}

}  // namespace

void RaceDetector::restart() {
  for (std::uint32_t thread = 0; thread < width_; ++thread) {
    threads_[thread].fill(0);
    released_[thread] = 0;
    seen_[thread] = 0;
    last_[thread] = 0;
  }
  width_ = 1;
  threads_[0][0] = 1;
  used_ = 1;
  published_.clear();
  objects_.clear();
  accesses_.clear();
  records_.clear();
}

RaceDetector::Clock RaceDetector::fresh() {
  if (clocks_.size() <= used_) clocks_.resize(2 * used_ + 16);
  clocks_[used_].fill(0);
  return used_++;
}

void RaceDetector::join_times(Times& into, const Times& from) const {
  for (std::uint32_t thread = 0; thread < width_; ++thread) into[thread] = std::max(into[thread], from[thread]);
}

void RaceDetector::begin(Thread child, Thread parent) {
  width_ = std::max(width_, child + 1);
  threads_[child] = threads_[parent];
  threads_[child][child] = 1;
  released_[child] = 0;
  seen_[child] = 0;
  last_[child] = 0;
  ++threads_[parent][parent];
}

void RaceDetector::join(Thread thread, Thread other) { join_times(threads_[thread], threads_[other]); }

void RaceDetector::release(Thread thread, std::uint64_t object) {
  const Clock clock = objects_.at(object, 0) == 0 ? fresh() : objects_.at(object, 0);
  objects_.at(object, 0) = clock;
  join_times(clocks_[clock], threads_[thread]);
  ++threads_[thread][thread];
}

void RaceDetector::acquire(Thread thread, std::uint64_t object) {
  const Clock* clock = objects_.find(object);
  if (clock != nullptr) join_times(threads_[thread], clocks_[*clock]);
}

RaceDetector::Clock RaceDetector::message(Thread thread, bool release) {
  if (!release) return released_[thread];
  const Clock clock = fresh();
  join_times(clocks_[clock], threads_[thread]);
  ++threads_[thread][thread];
  return clock;
}

void RaceDetector::publish(std::uint64_t address, std::size_t size, Clock message) {
  const std::uint64_t end = address + size;
  for (std::uint64_t unit = address / kUnit; unit * kUnit < end; ++unit) {
    if (message == 0 && published_.find(unit) == nullptr) continue;
    for (Clock& each : part_of(published_.at(unit, {}), unit, address, end)) each = message;
  }
}

void RaceDetector::publish_further(std::uint64_t address, std::size_t size, Clock message) {
  if (message == 0) return;
  const std::uint64_t end = address + size;
  Clock before = 0;
  Clock both = message;
  for (std::uint64_t unit = address / kUnit; unit * kUnit < end; ++unit) {
    for (Clock& each : part_of(published_.at(unit, {}), unit, address, end)) {
      if (each != before) {
        before = each;
        both = before == 0 ? message : fresh();
        if (before != 0) join_times(clocks_[both], clocks_[before]);
        if (before != 0) join_times(clocks_[both], clocks_[message]);
      }
      each = both;
    }
  }
}

/// Only what a thread did is news to others, not how often it published it: otherwise the attempts of threads that wait
/// for a lock would inform each other forever.
bool RaceDetector::would_tell(Thread thread, std::uint64_t address, std::size_t size, bool release) {
  if (!release && released_[thread] == 0) return false;
  Times passed_on = release ? threads_[thread] : clocks_[released_[thread]];
  passed_on[thread] = std::min(passed_on[thread], last_[thread]);
  const auto is_news = [&](Clock before) {
    if (before == 0) return true;
    const Times& known = clocks_[before];
    for (std::uint32_t each = 0; each < width_; ++each)
      if (passed_on[each] > known[each]) return true;
    return false;
  };
  const std::uint64_t end = address + size;
  for (std::uint64_t unit = address / kUnit; unit * kUnit < end; ++unit) {
    Published* found = published_.find(unit);
    if (found == nullptr) return true;
    const auto part = part_of(*found, unit, address, end);
    if (std::any_of(part.begin(), part.end(), is_news)) return true;
  }
  return false;
}

void RaceDetector::load(Thread thread, std::uint64_t address, std::size_t size, bool acquire) {
  const std::uint64_t end = address + size;
  Clock last = 0;
  for (std::uint64_t unit = address / kUnit; unit * kUnit < end; ++unit) {
    Published* found = published_.find(unit);
    if (found == nullptr) continue;
    for (const Clock clock : part_of(*found, unit, address, end)) {
      if (clock == 0 || clock == last) continue;
      last = clock;
      if (acquire) {
        join_times(threads_[thread], clocks_[clock]);
      } else {
        if (seen_[thread] == 0) seen_[thread] = fresh();
        join_times(clocks_[seen_[thread]], clocks_[clock]);
      }
    }
  }
}

void RaceDetector::fence(Thread thread, bool acquire, bool release) {
  if (acquire && seen_[thread] != 0) join_times(threads_[thread], clocks_[seen_[thread]]);
  if (!release) return;
  released_[thread] = fresh();
  join_times(clocks_[released_[thread]], threads_[thread]);
  ++threads_[thread][thread];
}

/// Whether every access that races with the earlier one and comes after the later one also races with the later one.
bool RaceDetector::supersedes(const PastAccess& later, const PastAccess& earlier) const {
  return (earlier.bytes & ~later.bytes) == 0 && (later.writes || !earlier.writes) &&
         (!later.atomic || earlier.atomic) && earlier.clock <= threads_[later.thread][earlier.thread];
}

const PastAccess* RaceDetector::access_unit(Thread thread, std::uint64_t unit, std::uint8_t bytes,
                                            const NewAccess& access) {
  PastAccess now{
      access.caller, threads_[thread][thread], access.step, static_cast<std::uint16_t>(thread), bytes, access.writes,
      access.atomic};
  std::uint32_t* link = &accesses_.at(unit, kEnd);
  std::uint32_t spare = kEnd;
  const PastAccess* race = nullptr;
  for (std::uint32_t at = *link; at != kEnd; at = *link) {
    const PastAccess& past = records_[at].access;
    const bool ordered = past.clock <= threads_[thread][past.thread];
    if ((past.bytes & bytes) != 0 && !ordered && (past.writes || access.writes) && !(past.atomic && access.atomic)) {
      found_ = past;
      race = &found_;
    }
    if (supersedes(now, past)) {
      spare = at;
      *link = records_[at].next;
    } else {
      link = &records_[at].next;
    }
  }
  if (spare == kEnd) {
    spare = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back();
  }
  std::uint32_t& first = accesses_.at(unit, kEnd);
  records_[spare] = {now, first};
  first = spare;
  return race;
}

const PastAccess* RaceDetector::access(Thread thread, const NewAccess& access) {
  const PastAccess* race = nullptr;
  last_[thread] = threads_[thread][thread];
  const std::uint64_t end = access.address + access.size;
  for (std::uint64_t unit = access.address / kUnit; unit * kUnit < end; ++unit) {
    const PastAccess* found = access_unit(thread, unit, bytes_within(unit, access.address, end), access);
    if (found != nullptr) race = found;
  }
  return race;
}

void RaceDetector::forget(std::uint64_t address, std::size_t size) {
  const std::uint64_t end = address + size;
  for (std::uint64_t unit = address / kUnit; unit * kUnit < end; ++unit) {
    std::uint32_t* first = accesses_.find(unit);
    if (first == nullptr) continue;
    const std::uint8_t gone = bytes_within(unit, address, end);
    for (std::uint32_t at = *first; at != kEnd; at = records_[at].next)
      records_[at].access.bytes &= static_cast<std::uint8_t>(~gone);
  }
}

}  // namespace linpoint::runtime
