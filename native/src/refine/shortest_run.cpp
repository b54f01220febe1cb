// SPDX-License-Identifier: Apache-2.0
// Of all shortest runs to a violation one with the fewest switches, found backwards: no state knows where it came from,
// so each level is expanded once more and asked which of its states lead to one that is wanted. That costs about as
// much as the search did, and memory only for the steps that lie on shortest runs.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "refine/level_expansion.hpp"
#include "refine/run_follower.hpp"
#include "refine/stored_successors.hpp"

namespace linpoint::refine {

namespace {

using Number = StateStore::Number;
constexpr std::uint8_t kNobody = 0xffU;

struct Edge {
  Number from = 0;
  Number to = 0;
  std::uint8_t process = 0;
  bool drains = false;
  /// The places that processes have in `to`.
  std::array<std::uint8_t, kMostProcesses> place{};
};

/// Finds the steps from states of one level to wanted ones of the next.
class Looker : public Asking, public StoredSuccessors<Looker> {
 public:
  Looker(const Program& program, SpecSets* sets, const StateStore& store)
      : Asking(sets), StoredSuccessors(program, sets, store) {}

  void look(Number from, const std::unordered_map<Number, bool>& wanted, std::vector<Edge>& out) {
    from_ = from;
    wanted_ = &wanted;
    out_ = &out;
    step_from(from);
  }

  void reached(Slot* state, unsigned process) {
    const bool drains = take_drains();
    const Number to = find(state, process);
    if (to == StateStore::kNowhere || !wanted_->contains(to)) return;
    Edge edge;
    edge.from = from_;
    edge.to = to;
    edge.process = static_cast<std::uint8_t>(process);
    edge.drains = drains;
    for (unsigned i = 0; i < program_.processes; ++i) edge.place[canonical_.order()[i]] = static_cast<std::uint8_t>(i);
    out_->push_back(edge);
  }

 private:
  const std::unordered_map<Number, bool>* wanted_ = nullptr;
  std::vector<Edge>* out_ = nullptr;
  Number from_ = 0;
};

/// How a state is best reached with a process having run last: at which price, over which step, after whom.
struct Way {
  std::uint32_t switches = 0;
  const Edge* edge = nullptr;
  std::uint8_t before = kNobody;
};
using Ways = std::map<std::pair<Number, std::uint8_t>, Way>;

Ways next_ways(const Ways& ways, const std::vector<Edge>& edges) {
  std::unordered_map<Number, std::vector<std::pair<std::uint8_t, std::uint32_t>>> known;
  for (const auto& [key, way] : ways) known[key.first].emplace_back(key.second, way.switches);
  Ways after;
  for (const Edge& edge : edges)
    for (const auto& [last, switches] : known[edge.from]) {
      Way way;
      way.edge = &edge;
      way.before = last;
      way.switches = switches + (!edge.drains && last != kNobody && last != edge.process ? 1 : 0);
      const std::uint8_t runs = edge.drains ? last : edge.process;
      const std::uint8_t now = runs == kNobody ? kNobody : edge.place[runs];
      const auto [found, is_new] = after.emplace(std::pair{edge.to, now}, way);
      if (!is_new && way.switches < found->second.switches) found->second = way;
    }
  return after;
}

/// A violation, and the best way to it.
struct Target {
  const Violation* violation = nullptr;
  Ways::const_iterator way;
  std::uint32_t switches = 0;
};

Target nearest(const std::vector<Violation>& violations, const Ways& ways) {
  Target best;
  for (const Violation& each : violations)
    for (auto it = ways.lower_bound({each.state, 0}); it != ways.end() && it->first.first == each.state; ++it) {
      const std::uint8_t last = it->first.second;
      const bool switches = each.wrong != Wrong::kDeadlock && last != kNobody && last != each.process;
      const std::uint32_t price = it->second.switches + (switches ? 1 : 0);
      if (best.violation == nullptr || price < best.switches) best = {&each, it, price};
    }
  return best;
}

}  // namespace

std::vector<Choice> Search::Engine::shortest_run() {
  if (violations_.empty()) return {};
  const std::size_t last = levels_.size() - 2;
  std::unordered_map<Number, bool> wanted;
  for (const Violation& each : violations_) wanted.emplace(each.state, true);
  std::vector<std::vector<Edge>> edges(last);
  Looker looker(program_, sets_, store_);
  for (std::size_t level = last; level-- > 0;) {
    for (unsigned thread = 0; thread < store_.threads(); ++thread)
      for (std::uint64_t i = levels_[level][thread]; i < levels_[level + 1][thread]; ++i) {
        if (i % 1024 == 0 && stop_.poll()) return {};
        looker.look((Number{thread} << StateStore::kThreadShift) | i, wanted, edges[level]);
      }
    wanted.clear();
    for (const Edge& edge : edges[level]) wanted.emplace(edge.from, true);
  }
  std::vector<Ways> ways(last + 1);
  if (wanted.empty()) return {};
  ways[0].emplace(std::pair{wanted.begin()->first, kNobody}, Way{});
  for (std::size_t level = 0; level < last; ++level) ways[level + 1] = next_ways(ways[level], edges[level]);
  const Target target = nearest(violations_, ways[last]);
  if (target.violation == nullptr) return {};

  std::vector<const Edge*> path(last);
  std::vector<bool> stays(last);
  auto best = target.way;
  for (std::size_t level = last; level > 0; --level) {
    path[level - 1] = best->second.edge;
    stays[level - 1] = best->second.before == best->second.edge->process && !best->second.edge->drains;
    best = ways[level - 1].find({best->second.edge->from, best->second.before});
  }
  std::vector<Choice> choices;
  Follower follower(program_, sets_, store_);
  for (std::size_t i = 0; i < last; ++i) {
    Choice choice;
    if (!follower.go(path[i]->process, path[i]->to, stays[i], choice)) return {};
    choices.push_back(choice);
  }
  const unsigned process = target.violation->process;
  const bool goes_on = last > 0 && target.way->first.second == process && follower.goes_wrong(follower.last());
  choices.push_back({goes_on ? follower.last() : follower.at(process), 0xffffffffU});
  return choices;
}

}  // namespace linpoint::refine
