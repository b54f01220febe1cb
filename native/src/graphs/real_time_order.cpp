// SPDX-License-Identifier: Apache-2.0
#include "graphs/real_time_order.hpp"

#include <algorithm>
#include <numeric>

#include "linpoint/histories/time_ranking.hpp"

namespace linpoint::graphs {
namespace {

using search::Pair;
using search::Problem;

/// The pairs of a problem whose operations must come in that order if both are kept.
std::vector<Pair> pairs_of(const Problem& problem, Rules rules, const histories::Columns& columns) {
  std::vector<Pair> pairs = problem.before;
  for (const Pair& pair : problem.excluded) {
    if (rules == Rules::kPaper) {  // its rule names the immediately following operation of the process, kept or not
      const auto nearer = std::find_if(problem.excluded.begin(), problem.excluded.end(), [&](const Pair& each) {
        return each.first == pair.first && each.second < pair.second;
      });
      const bool cut_off = !columns.certain(at(problem.position[at(pair.first)]));
      if (cut_off && nearer != problem.excluded.end()) continue;
    }
    pairs.push_back(pair);
  }
  return pairs;
}

/// Pairs that keep a chain in order even if operations of it are dropped: each operation that is not certain to be kept
/// comes before all that follow, up to the first one that is certain.
template <typename Certain>
void add_chain(const histories::Chain& chain, const Certain& certain, std::vector<Pair>& pairs) {
  std::vector<std::int32_t> before;
  for (const std::int32_t place : chain) {
    for (const std::int32_t each : before) pairs.push_back({each, place});
    if (certain(place)) before.clear();
    before.push_back(place);
  }
}

}  // namespace

PairEdges::PairEdges(std::size_t operations, const std::vector<Pair>& pairs) {
  if (pairs.empty()) return;
  first_.resize(operations + 1);
  items_.resize(pairs.size());
  for (const Pair& pair : pairs) ++first_[at(pair.second) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const Pair& pair : pairs) items_[next[at(pair.second)]++] = pair.first;
}

Timing::Timing(const histories::Columns& columns, std::span<const std::int32_t> positions, search::Condition condition,
               Rules rules) {
  if (condition == search::Condition::kLinearizable && !columns.skewed && columns.hint.empty()) {
    histories::Order order = histories::rank(columns, positions);
    std::vector<Pair> chained;
    for (const histories::Chain& chain : order.chains) {
      const auto certain = [&](std::int32_t place) { return columns.certain(at(positions[at(place)])); };
      add_chain(chain, certain, chained);
    }
    call = std::move(order.calls);
    ret = std::move(order.returns);
    pairs = PairEdges(positions.size(), chained);
    return;
  }
  const search::Alphabet without_symbols;
  Problem problem = search::build(columns, {positions, {}, false}, condition, without_symbols, nullptr, 0);
  std::vector<Pair> constraints = pairs_of(problem, rules, columns);
  if (std::equal(positions.begin(), positions.end(), problem.position.begin(), problem.position.end())) {
    call = std::move(problem.call);
    ret = std::move(problem.ret);
  } else {
    const std::int32_t most = positions.empty() ? 0 : *std::max_element(positions.begin(), positions.end());
    std::vector<std::int32_t> places(at(most) + 1);
    for (std::size_t place = 0; place < positions.size(); ++place)
      places[at(positions[place])] = static_cast<std::int32_t>(place);
    call.resize(positions.size());
    ret.resize(positions.size());
    std::vector<std::int32_t> place_of(problem.size(), kNone);
    for (std::size_t op = 0; op < problem.size(); ++op) {
      if (problem.position[op] < 0) continue;  // a crash, of a condition that graphs do not decide
      place_of[op] = places[at(problem.position[op])];
      call[at(place_of[op])] = problem.call[op];
      ret[at(place_of[op])] = problem.ret[op];
    }
    for (Pair& pair : constraints) {
      pair.first = place_of[at(pair.first)];
      pair.second = place_of[at(pair.second)];
    }
  }
  pairs = PairEdges(positions.size(), constraints);
}

}  // namespace linpoint::graphs
