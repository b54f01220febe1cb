// SPDX-License-Identifier: Apache-2.0
#include "refine/state_graph.hpp"

#include <algorithm>
#include <unordered_map>

namespace linpoint::refine {

namespace {

constexpr State kNever = 0xffffffffU;

struct Visit {
  State state = 0;
  std::uint64_t next = 0;
};

class Tarjan {
 public:
  Tarjan(const Graph& graph, const Wanted& wanted, const Allowed& allowed)
      : graph_(graph),
        wanted_(wanted),
        allowed_(allowed),
        index_(graph.states(), kNever),
        low_(graph.states()),
        open_(graph.states()) {}

  [[nodiscard]] bool is_new(State state) const { return index_[state] == kNever && wanted_(state); }
  void enter(State state) {
    index_[state] = low_[state] = count_++;
    open_[state] = true;
    stack_.push_back(state);
    visits_.push_back({state, graph_.first[state]});
  }
  [[nodiscard]] bool is_done() const { return visits_.empty(); }

  /// Takes one step, or leaves a state; returns the members of a component that this completes, if any.
  std::vector<State> go_on() {
    Visit& visit = visits_.back();
    const State state = visit.state;
    if (visit.next < graph_.first[state + 1]) {
      take(state, visit.next++);
      return {};
    }
    visits_.pop_back();
    if (!visits_.empty()) low_[visits_.back().state] = std::min(low_[visits_.back().state], low_[state]);
    return low_[state] == index_[state] ? members(state) : std::vector<State>{};
  }

  /// Whether a step leads from the state to itself.
  [[nodiscard]] bool goes_round(State state) const {
    for (std::uint64_t step = graph_.first[state]; step < graph_.first[state + 1]; ++step)
      if (graph_.to[step] == state && is_inside(state, step)) return true;
    return false;
  }

 private:
  [[nodiscard]] bool is_inside(State state, std::uint64_t step) const {
    return wanted_(graph_.to[step]) && allowed_(state, step);
  }
  void take(State state, std::uint64_t step) {
    if (!is_inside(state, step)) return;
    const State to = graph_.to[step];
    if (index_[to] == kNever)
      enter(to);
    else if (open_[to])
      low_[state] = std::min(low_[state], index_[to]);
  }
  std::vector<State> members(State root) {
    std::vector<State> found;
    do {
      found.push_back(stack_.back());
      open_[stack_.back()] = false;
      stack_.pop_back();
    } while (found.back() != root);
    return found;
  }

  const Graph& graph_;
  const Wanted& wanted_;
  const Allowed& allowed_;
  std::vector<State> index_;
  std::vector<State> low_;
  std::vector<bool> open_;
  std::vector<State> stack_;
  std::vector<Visit> visits_;
  State count_ = 0;
};

}  // namespace

void components(const Graph& graph, const Wanted& wanted, const Allowed& allowed,
                const std::function<bool(const std::vector<State>&)>& found, search::StopToken& stop) {
  Tarjan tarjan(graph, wanted, allowed);
  for (State root = 0; root < graph.states(); ++root) {
    if (!tarjan.is_new(root)) continue;
    tarjan.enter(root);
    while (!tarjan.is_done()) {
      const std::vector<State> members = tarjan.go_on();
      if (members.empty()) continue;
      if ((members.size() > 1 || tarjan.goes_round(members.front())) && !found(members)) return;
      if (stop.poll()) return;
    }
  }
}

std::vector<std::uint64_t> shortest_way(const Graph& graph, State from, const Allowed& allowed, const Wanted& goal) {
  if (goal(from)) return {};
  std::unordered_map<State, std::uint64_t> by;  // the step by which a state was found
  std::unordered_map<State, State> before;
  std::vector<State> queue{from};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const State state = queue[i];
    for (std::uint64_t step = graph.first[state]; step < graph.first[state + 1]; ++step) {
      const State to = graph.to[step];
      if (!allowed(state, step) || to == from || by.contains(to)) continue;
      by[to] = step;
      before[to] = state;
      if (!goal(to)) {
        queue.push_back(to);
        continue;
      }
      std::vector<std::uint64_t> way;
      for (State at = to; at != from; at = before[at]) way.push_back(by[at]);
      std::reverse(way.begin(), way.end());
      return way;
    }
  }
  return {};
}

}  // namespace linpoint::refine
