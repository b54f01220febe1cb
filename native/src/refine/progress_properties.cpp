// SPDX-License-Identifier: Apache-2.0
// Runs in which operations do not come to an end. A process that cannot go on counts as one that goes round and waits.
//
//   lock-free          no run goes on for ever without a return, and no process ever has to wait
//   obstruction-free   no process that is left alone goes on for ever without returning, or has to wait
//   returns            every call is followed by its return, in every run that is fair: weakly, if whoever can go on
//   from
//                      some point on goes on some time; strongly, if whoever can go on again and again does. Nobody has
//                      to call, and stores that wait reach memory some time in every fair run.
#include <algorithm>
#include <array>

#include "refine/level_expansion.hpp"
#include "refine/run_follower.hpp"
#include "refine/state_graph.hpp"
#include "refine/stored_successors.hpp"

namespace linpoint::refine {

namespace {

/// Who must be dealt with fairly: processes, then their buffers.
constexpr unsigned kMostAgents = 2 * kMostProcesses;
unsigned agent_of(Label label) { return label.process() + (label.drains() ? kMostProcesses : 0); }

/// Draws the graph of all stored states.
class Cartographer : public StoredSuccessors<Cartographer> {
 public:
  Cartographer(const Program& program, const StateStore& store) : StoredSuccessors(program, nullptr, store) {}

  bool draw(Graph& graph, search::StopToken& stop) {
    graph_ = &graph;
    std::size_t taken = 0;
    for (std::uint64_t number = 0; number < store_.count(0); ++number) {
      step_from(number);
      graph.first.push_back(graph.to.size());
      if (number % 4096 == 0) {
        const std::size_t now = graph.to.capacity() * 5 + graph.first.capacity() * 8;
        if (stop.poll() || !stop.reserve(now - taken)) return false;
        taken = now;
      }
    }
    return true;
  }

  static Slot called(Slot set, unsigned /*process*/, unsigned /*invocation*/) { return set; }
  static Slot linearized(Slot set, unsigned /*process*/) { return set; }
  Slot returned(Slot set, unsigned /*process*/, const Slot* /*values*/, unsigned /*count*/) {
    returns_ = true;
    return set;
  }
  void reached(Slot* state, unsigned process) {
    Label label;
    label.bits = static_cast<std::uint8_t>(process | (std::exchange(returns_, false) ? Label::kReturns : 0U) |
                                           (take_drains() ? Label::kDrains : 0U));
    const StateStore::Number to = find(state, process);
    if (to == StateStore::kNowhere) return;
    graph_->to.push_back(static_cast<State>(to));
    graph_->label.push_back(label);
  }

 private:
  Graph* graph_ = nullptr;
  bool returns_ = false;
};

class Judge {
 public:
  Judge(const Program& program, const StateStore& store, const Graph& graph, search::StopToken& stop)
      : program_(program),
        store_(store),
        graph_(graph),
        stop_(stop),
        packing_(program),
        state_(program.slots + kSlack) {}

  Lasso lock_free() {
    for (State state = 0; state < graph_.states(); ++state)
      for (unsigned process = 0; process < program_.processes; ++process)
        if (is_pending(state, process) && !can_go_on(state, process)) return ended(state, process);
    Lasso lasso;
    components(
        graph_, [](State) { return true; }, [&](State, std::uint64_t step) { return !graph_.label[step].returns(); },
        [&](const std::vector<State>& members) {
          const auto inside = sorted(members);
          const Allowed allowed = [&](State, std::uint64_t step) {
            return !graph_.label[step].returns() && has(inside, graph_.to[step]);
          };
          lasso = round(members.back(), allowed, {});
          return !lasso.found;
        },
        stop_);
    return lasso;
  }

  Lasso obstruction_free() {
    Lasso lasso;
    for (unsigned process = 0; process < program_.processes && !lasso.found; ++process) {
      const Allowed alone = [&](State, std::uint64_t step) {
        return graph_.label[step].process() == process && !graph_.label[step].returns();
      };
      for (State state = 0; state < graph_.states(); ++state)
        if (is_pending(state, process) && !can_go_on(state, process)) return ended(state, process);
      components(
          graph_, [](State) { return true; }, alone,
          [&](const std::vector<State>& members) {
            const auto inside = sorted(members);
            lasso = round(
                members.back(),
                [&](State state, std::uint64_t step) { return alone(state, step) && has(inside, graph_.to[step]); },
                {});
            lasso.process = process;
            return !lasso.found;
          },
          stop_);
    }
    return lasso;
  }

  Lasso returns(Fairness fairness) {
    Lasso lasso;
    for (unsigned process = 0; process < program_.processes && !lasso.found; ++process) {
      for (State state = 0; state < graph_.states(); ++state)
        if (is_pending(state, process) && graph_.first[state] == graph_.first[state + 1]) return ended(state, process);
      const Allowed stays = [&](State, std::uint64_t step) {
        return graph_.label[step].process() != process || !graph_.label[step].returns();
      };
      components(
          graph_, [&](State state) { return is_pending(state, process); }, stays,
          [&](const std::vector<State>& members) {
            lasso = fair_run(members, stays, fairness);
            lasso.process = process;
            return !lasso.found;
          },
          stop_);
    }
    return lasso;
  }

 private:
  using Members = std::vector<State>;

  static Members sorted(const Members& members) {
    Members all = members;
    std::sort(all.begin(), all.end());
    return all;
  }
  static bool has(const Members& all, State state) { return std::binary_search(all.begin(), all.end(), state); }

  [[nodiscard]] bool is_pending(State state, unsigned process) {
    packing_.unpack(store_.row(state), state_.data());
    return program_.block(state_.data(), process)[0] != 0;
  }
  [[nodiscard]] bool can_go_on(State state, unsigned process) const {
    for (std::uint64_t step = graph_.first[state]; step < graph_.first[state + 1]; ++step)
      if (graph_.label[step].process() == process) return true;
    return false;
  }
  /// Whether the agent has a step that fairness owes it: nobody has to call.
  [[nodiscard]] bool is_owed(State state, unsigned agent) {
    bool able = false;
    for (std::uint64_t step = graph_.first[state]; step < graph_.first[state + 1] && !able; ++step)
      able = agent_of(graph_.label[step]) == agent;
    return able && (agent >= kMostProcesses || is_pending(state, agent));
  }

  /// A run within the component that is fair, if there is one.
  Lasso fair_run(const Members& members, const Allowed& stays, Fairness fairness) {
    const Members inside = sorted(members);
    const Allowed allowed = [&](State state, std::uint64_t step) {
      return stays(state, step) && has(inside, graph_.to[step]);
    };
    std::vector<Wanted> duties;   // states to come by
    std::vector<unsigned> steps;  // agents of which a step must be taken
    if (fairness != Fairness::kAny)
      for (unsigned agent = 0; agent < kMostAgents; ++agent) {
        if (agent % kMostProcesses >= program_.processes) continue;
        bool takes = false;
        bool owed = false;
        State resting = 0;
        bool rests = false;
        for (const State state : inside) {
          for (std::uint64_t step = graph_.first[state]; step < graph_.first[state + 1]; ++step)
            takes = takes || (allowed(state, step) && agent_of(graph_.label[step]) == agent);
          if (is_owed(state, agent)) {
            owed = true;
          } else if (!rests) {
            rests = true;
            resting = state;
          }
        }
        if (!owed) continue;
        if (takes) {
          steps.push_back(agent);
        } else if (fairness == Fairness::kWeak && rests) {
          duties.emplace_back([resting](State state) { return state == resting; });
        } else if (fairness == Fairness::kWeak) {
          return {};
        } else {
          // Strongly fair only where the agent never can go on: look among those states.
          Lasso lasso;
          components(
              graph_, [&](State state) { return has(inside, state) && !is_owed(state, agent); }, stays,
              [&](const Members& smaller) {
                lasso = fair_run(smaller, stays, fairness);
                return !lasso.found;
              },
              stop_);
          return lasso;
        }
      }
    return round(inside.front(), allowed, {duties, steps});
  }

  struct Duties {
    std::vector<Wanted> states;
    std::vector<unsigned> agents;
  };

  /// A way to `from`, and a round from there back to it that does all its duties.
  Lasso round(State from, const Allowed& allowed, const Duties& duties) {
    Lasso lasso;
    const Allowed any = [](State, std::uint64_t) { return true; };
    lasso.stem = shortest_way(graph_, 0, any, [&](State state) { return state == from; });
    State at = from;
    const auto go = [&](const std::vector<std::uint64_t>& way) {
      lasso.round.insert(lasso.round.end(), way.begin(), way.end());
      if (!way.empty()) at = graph_.to[way.back()];
    };
    for (const Wanted& duty : duties.states) go(shortest_way(graph_, at, allowed, duty));
    for (const unsigned agent : duties.agents) {
      const auto takes = [&](State state) -> std::uint64_t {
        for (std::uint64_t step = graph_.first[state]; step < graph_.first[state + 1]; ++step)
          if (allowed(state, step) && agent_of(graph_.label[step]) == agent) return step + 1;
        return 0;
      };
      go(shortest_way(graph_, at, allowed, [&](State state) { return takes(state) != 0; }));
      if (const std::uint64_t step = takes(at); step != 0) go({step - 1});
    }
    if (at == from && lasso.round.empty()) {
      // Any step of the component, and back.
      for (std::uint64_t step = graph_.first[from]; step < graph_.first[from + 1]; ++step)
        if (allowed(from, step)) {
          go({step});
          break;
        }
    }
    if (at != from) go(shortest_way(graph_, at, allowed, [&](State state) { return state == from; }));
    lasso.found = at == from && !lasso.round.empty();
    return lasso;
  }

  /// A run that ends with the process waiting.
  Lasso ended(State state, unsigned process) {
    Lasso lasso;
    lasso.found = true;
    lasso.waits = true;
    lasso.process = process;
    lasso.stem =
        shortest_way(graph_, 0, [](State, std::uint64_t) { return true; }, [&](State each) { return each == state; });
    return lasso;
  }

  const Program& program_;
  const StateStore& store_;
  const Graph& graph_;
  search::StopToken& stop_;
  Packing packing_;
  std::vector<Slot> state_;
};

}  // namespace

Lasso Search::Engine::find_lasso(Property property, Fairness fairness) {
  Graph graph;
  if (!Cartographer(program_, store_).draw(graph, stop_)) return {};
  Judge judge(program_, store_, graph, stop_);
  Lasso lasso;
  switch (property) {
    case Property::kLockFree:
      lasso = judge.lock_free();
      break;
    case Property::kObstructionFree:
      lasso = judge.obstruction_free();
      break;
    case Property::kReturns:
      lasso = judge.returns(fairness);
      break;
  }
  if (!lasso.found) return lasso;
  Follower follower(program_, nullptr, store_);
  for (const auto* part : {&lasso.stem, &lasso.round})
    for (const std::uint64_t step : *part) {
      Choice choice;
      if (!follower.go(graph.label[step].process(), graph.to[step], false, choice)) return lasso;
      lasso.choices.push_back(choice);
    }
  return lasso;
}

Lasso Search::find_lasso(Property property, Fairness fairness) { return engine_->find_lasso(property, fairness); }

}  // namespace linpoint::refine
