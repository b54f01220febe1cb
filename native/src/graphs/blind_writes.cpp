// SPDX-License-Identifier: Apache-2.0
#include "graphs/blind_writes.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

namespace linpoint::graphs {
namespace {

using specs::Effect;

constexpr std::size_t kMostRestarts = 30;

template <typename Visit>
void each_bit(std::uint64_t bits, std::size_t word, const Visit& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::int32_t>(64 * word) + std::countr_zero(bits));
}

}  // namespace

BlindWrites::BlindWrites(const Memory& memory, const Timing& timing) : memory_(memory), timing_(timing) {
  number_.assign(at(memory.size()), kNone);
  for (std::int32_t place = 0; place < memory.size(); ++place) {
    if (!memory.kept(place) || memory.effect(place) == Effect::kFails) continue;
    number_[at(place)] = static_cast<std::int32_t>(places_.size());
    places_.push_back(place);
  }
  read_versions();
}

/// Finds which operations wrote and observed each version, and which write each word.
void BlindWrites::read_versions() {
  std::map<std::int32_t, std::int32_t> words;
  std::map<std::int32_t, std::size_t> known;  // by version
  const auto word_of = [&](std::int32_t version) {
    const auto [found, fresh] =
        words.try_emplace(memory_.version(version).word, static_cast<std::int32_t>(writers_of_.size()));
    if (fresh) writers_of_.emplace_back();
    return found->second;
  };
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto number = static_cast<std::int32_t>(i);
    for (const VersionCell& cell : memory_.cells(places_[i])) {
      if (memory_.replaces(places_[i])) writers_of_[at(word_of(cell.fresh))].push_back(number);
      if (cell.seen == kNone) continue;
      const auto [found, fresh] = known.try_emplace(cell.seen, seen_.size());
      if (fresh) {
        const std::int32_t writer = memory_.version(cell.seen).writer;
        seen_.push_back({writer == kGenesis ? kNone : number_of(writer), word_of(cell.seen), {}});
      }
      seen_[found->second].seers.push_back(number);
    }
  }
  const auto by_call = [&](std::int32_t a, std::int32_t b) {
    return timing_.call[at(places_[at(a)])] < timing_.call[at(places_[at(b)])];
  };
  writers_ = BitMatrix(writers_of_.size(), places_.size());
  for (std::size_t word = 0; word < writers_of_.size(); ++word) {
    std::sort(writers_of_[word].begin(), writers_of_[word].end(), by_call);
    for (const std::int32_t writer : writers_of_[word]) writers_.set(static_cast<std::int32_t>(word), writer);
  }
  by_call_.resize(places_.size());
  std::iota(by_call_.begin(), by_call_.end(), 0);
  std::sort(by_call_.begin(), by_call_.end(), by_call);
  for (const std::int32_t each : by_call_) calls_.push_back(timing_.call[at(places_[at(each)])]);
}

/// Adds the edges of time, of observed values, and of replaced values. False: they contradict each other.
bool BlindWrites::record(Closure& closure) {
  const std::size_t size = places_.size();
  closure.after = BitMatrix(size, size);
  closure.before = BitMatrix(size, size);
  closure.out.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t ret = timing_.ret[at(places_[i])];
    const auto later = std::upper_bound(calls_.begin(), calls_.end(), ret) - calls_.begin();
    for (std::size_t k = static_cast<std::size_t>(later); k < size; ++k) {
      closure.after.set(static_cast<std::int32_t>(i), by_call_[k]);
      closure.before.set(by_call_[k], static_cast<std::int32_t>(i));
    }
  }
  for (std::size_t i = 0; i < size; ++i)
    for (const std::int32_t other : timing_.pairs.before(places_[i]))
      if (number_of(other) != kNone && !add(closure, {number_of(other), static_cast<std::int32_t>(i), Kind::kRecorded}))
        return false;
  for (const Seen& seen : seen_)
    for (const std::int32_t seer : seen.seers)
      if (seen.writer != kNone && !add(closure, {seen.writer, seer, Kind::kRecorded})) return false;
  return saturate(closure);
}

/// Adds an edge and its transitive consequences. False: its ends are already in the opposite order.
bool BlindWrites::add(Closure& closure, const Edge& edge) {
  const auto [from, to] = std::pair(edge.from, edge.to);
  if (from == to || closure.after.has(to, from)) {
    explain(closure, edge);
    return false;
  }
  if (closure.after.has(from, to)) return true;
  closure.out[at(from)].push_back(static_cast<std::int32_t>(closure.edges.size()));
  closure.edges.push_back(edge);
  const auto join = [](BitMatrix& matrix, std::int32_t into, std::int32_t row, std::int32_t bit) {
    const auto mine = matrix.row(into);
    const auto theirs = std::as_const(matrix).row(row);
    for (std::size_t word = 0; word < mine.size(); ++word) mine[word] |= theirs[word];
    matrix.set(into, bit);
  };
  std::vector<std::int32_t> earlier{from};
  std::vector<std::int32_t> later{to};
  const auto collect = [](std::span<const std::uint64_t> row, std::vector<std::int32_t>& found) {
    for (std::size_t word = 0; word < row.size(); ++word)
      each_bit(row[word], word, [&](std::int32_t bit) { found.push_back(bit); });
  };
  collect(std::as_const(closure.before).row(from), earlier);
  collect(std::as_const(closure.after).row(to), later);
  for (const std::int32_t each : earlier)
    if (!closure.after.has(each, to)) join(closure.after, each, to, to);
  for (const std::int32_t each : later)
    if (!closure.before.has(each, from)) join(closure.before, each, from, from);
  return true;
}

/// Applies the rules until nothing new follows. False: an operation would come before itself.
bool BlindWrites::saturate(Closure& closure) {
  for (std::size_t edges = closure.edges.size() + 1; edges != closure.edges.size();) {
    edges = closure.edges.size();
    for (const Seen& seen : seen_) {
      if (stop_->poll()) return true;
      for (const std::int32_t seer : seen.seers)
        if (!overwritten_later(closure, seen, seer) || !overwritten_earlier(closure, seen, seer)) return false;
    }
  }
  return true;
}

/// An operation that writes the word after the writer also does so after the observer.
bool BlindWrites::overwritten_later(Closure& closure, const Seen& seen, std::int32_t seer) {
  const auto writers = std::as_const(writers_).row(seen.word);
  for (std::size_t word = 0; word < writers.size(); ++word) {
    std::uint64_t others = writers[word];
    if (seen.writer != kNone) others &= closure.after.row(seen.writer)[word];
    others &= ~closure.after.row(seer)[word];
    bool holds = true;
    each_bit(others, word, [&](std::int32_t other) {
      if (other != seer && other != seen.writer)
        holds = holds && add(closure, {seer, other, Kind::kFollows, seen.writer, other});
    });
    if (!holds) return false;
  }
  return true;
}

/// An operation that writes the word before the observer also does so before the writer.
bool BlindWrites::overwritten_earlier(Closure& closure, const Seen& seen, std::int32_t seer) {
  if (seen.writer == kNone) return true;  // the initial value: the other rule places them after the observer
  const auto writers = std::as_const(writers_).row(seen.word);
  for (std::size_t word = 0; word < writers.size(); ++word) {
    const std::uint64_t others =
        writers[word] & closure.before.row(seer)[word] & ~closure.before.row(seen.writer)[word];
    bool holds = true;
    each_bit(others, word, [&](std::int32_t other) {
      if (other != seen.writer) holds = holds && add(closure, {other, seen.writer, Kind::kFollows, other, seer});
    });
    if (!holds) return false;
  }
  return true;
}

bool BlindWrites::apart(const Closure& closure, const Pair& pair) const {
  return !closure.after.has(pair.first, pair.second) && !closure.after.has(pair.second, pair.first);
}

/// Two writes of a word without an order yet, the one called first before the other.
bool BlindWrites::undecided(const Closure& closure, Pair& pair) const {
  for (const Pair& each : first_pairs_)
    if (apart(closure, each)) {
      pair = each;
      return true;
    }
  for (const auto& writers : writers_of_)
    for (std::size_t i = 0; i < writers.size(); ++i)
      for (std::size_t j = i + 1; j < writers.size(); ++j) {
        pair = {writers[i], writers[j]};
        if (apart(closure, pair)) return true;
        if (timing_.ret[at(places_[at(writers[i])])] < timing_.call[at(places_[at(writers[j])])]) break;
      }
  return false;
}

BlindWrites::Answer BlindWrites::run(search::StopToken& stop) {
  stop_ = &stop;
  if (!record(closure_)) return Answer::kContradiction;
  Closure certain = closure_;
  for (std::size_t restarts = 0; restarts < kMostRestarts;) {
    Pair pair;
    if (!undecided(closure_, pair)) return stop.poll() ? Answer::kStopped : Answer::kOrdered;
    if (stop.poll()) return Answer::kStopped;
    Closure attempt = closure_;
    attempt.assumes = true;
    if (add(attempt, {pair.first, pair.second, Kind::kAssumed}) && saturate(attempt)) {
      closure_ = std::move(attempt);
      continue;
    }
    refuted_.push_back(core_);
    const auto which = static_cast<std::int32_t>(refuted_.size()) - 1;
    const bool turned = add(closure_, {pair.second, pair.first, Kind::kRefuted, kNone, which}) && saturate(closure_);
    if (turned) {
      if (!closure_.assumes) certain = closure_;
      continue;
    }
    if (!closure_.assumes) return Answer::kContradiction;
    closure_ = certain;
    first_pairs_.insert(first_pairs_.begin(), pair);
    ++restarts;
  }
  return Answer::kUndecided;
}

std::vector<std::int32_t> BlindWrites::order() const {
  std::vector<std::pair<int, std::int32_t>> ranked;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    int earlier = 0;
    for (const std::uint64_t word : closure_.before.row(static_cast<std::int32_t>(i))) earlier += std::popcount(word);
    ranked.emplace_back(earlier, places_[i]);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::int32_t> order;
  order.reserve(ranked.size());
  for (const auto& each : ranked) order.push_back(each.second);
  return order;
}

// -- contradictions ---------------------------------------------------------------------------------------------------

/// Collects the operations which imply that the ends of `last` are in the opposite order.
void BlindWrites::explain(const Closure& closure, const Edge& last) {
  core_.clear();
  explained_.clear();
  explain_edge(closure, last, closure.edges.size());
  if (last.from != last.to) explain_path(closure, last.to, last.from, closure.edges.size());
}

void BlindWrites::explain_edge(const Closure& closure, const Edge& edge, std::size_t number) {
  core_.insert({edge.from, edge.to});
  if (!explained_.insert(number).second) return;
  if (edge.kind == Kind::kRefuted) core_.insert(refuted_[at(edge.second)].begin(), refuted_[at(edge.second)].end());
  if (edge.kind != Kind::kFollows) return;
  core_.insert(edge.second);
  if (edge.first != kNone) explain_path(closure, edge.first, edge.second, number);
}

/// The operations on a shortest path along time and the first `edges` edges, and those that imply these edges.
void BlindWrites::explain_path(const Closure& closure, std::int32_t from, std::int32_t to, std::size_t edges) {
  constexpr std::int32_t kByTime = -2;
  std::vector<std::pair<std::int32_t, std::int32_t>> came(places_.size(), {kNone, kNone});  // the previous operation,
                                                                                            // and the edge
  std::vector<std::int32_t> queue{from};
  std::size_t timed = by_call_.size();  // operations called later were visited
  const auto meet = [&](std::int32_t other, std::int32_t here, std::int32_t edge) {
    if (other == from || came[at(other)].second != kNone) return;
    came[at(other)] = {here, edge};
    queue.push_back(other);
  };
  for (std::size_t next = 0; next < queue.size() && came[at(to)].second == kNone; ++next) {
    const std::int32_t here = queue[next];
    for (const std::int32_t edge : closure.out[at(here)])
      if (at(edge) < edges) meet(closure.edges[at(edge)].to, here, edge);
    const std::int64_t ret = timing_.ret[at(places_[at(here)])];
    for (; timed > 0 && calls_[timed - 1] > ret; --timed) meet(by_call_[timed - 1], here, kByTime);
  }
  for (std::int32_t here = to; here != from; here = came[at(here)].first) {
    core_.insert(here);
    const std::int32_t edge = came[at(here)].second;
    if (edge == kNone) return;
    if (edge != kByTime) explain_edge(closure, closure.edges[at(edge)], at(edge));
  }
  core_.insert(from);
}

/// Adds the writers of observed values, and observers of operations with an unknown outcome.
std::vector<std::int32_t> BlindWrites::core() const {
  std::set<std::int32_t> found;
  std::vector<std::int32_t> work;
  for (const std::int32_t each : core_) work.push_back(places_[at(each)]);
  while (!work.empty()) {
    const std::int32_t place = work.back();
    work.pop_back();
    if (!found.insert(place).second) continue;
    for (const VersionCell& cell : memory_.cells(place))
      if (cell.seen != kNone && memory_.version(cell.seen).writer >= 0)
        work.push_back(memory_.version(cell.seen).writer);
    if (const Memory::Kept* const kept = memory_.kept_unknown(place, 0)) work.push_back(kept->observer);
  }
  return {found.begin(), found.end()};
}

Outcome decide_blind_writes(const Memory& memory, const Timing& timing, Rules rules, search::StopToken& stop) {
  const auto positioned = [&](std::vector<std::int32_t> places) {
    for (std::int32_t& each : places) each = memory.position(each);
    return places;
  };
  const std::int32_t write = memory.blind_write();
  Outcome outcome;
  outcome.exclusion = write == kNone ? Exclusion::kCutOffSwap : Exclusion::kWrite;
  outcome.culprit = memory.position(write == kNone ? memory.unknown().front() : write);
  if (rules == Rules::kPaper || at(memory.size()) > BlindWrites::kMostOperations) return outcome;
  BlindWrites blind(memory, timing);
  switch (blind.run(stop)) {
    case BlindWrites::Answer::kUndecided:
      break;
    case BlindWrites::Answer::kStopped:
      outcome.exclusion = Exclusion::kStopped;
      break;
    case BlindWrites::Answer::kContradiction:
      outcome = {};
      outcome.status = Status::kViolation;
      outcome.refutation.reason = Reason::kOverwritten;
      outcome.refutation.scope = positioned(blind.core());
      std::sort(outcome.refutation.scope.begin(), outcome.refutation.scope.end());
      break;
    case BlindWrites::Answer::kOrdered:
      if (!memory.failures().empty()) {
        outcome.exclusion = Exclusion::kChoices;
        outcome.culprit = memory.position(memory.failures().front());
        break;
      }
      outcome = {};
      outcome.status = Status::kLinearizable;
      outcome.order = positioned(blind.order());
      break;
  }
  return outcome;
}

}  // namespace linpoint::graphs
