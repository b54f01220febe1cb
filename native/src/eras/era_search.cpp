// SPDX-License-Identifier: Apache-2.0
#include "linpoint/eras/era_search.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "eras/era_graph.hpp"

namespace linpoint::eras {
namespace {

using histories::kNone;
using monitors::common;
using monitors::DividedGaps;
using monitors::EraSpan;
using Starts = std::vector<Start>;

constexpr std::size_t kMaxSpanning = 64;

/// One object, and the possible starts of each of its eras.
struct Tracked {
  std::vector<Member> members;   // their gaps in all eras
  std::vector<EraSpan> spans;    // of each member
  std::vector<Starts> possible;  // of each era, whatever is saved on other objects
  std::vector<Starts> good;      // those from which the remaining eras can be explained
};

class EraSearch {
 public:
  EraSearch(const search::Problem& problem, std::span<const Object> objects, const specs::Machine& machine,
            search::StopToken& stop)
      : problem_(problem), divided_(monitors::divide_gaps(problem)), steps_(machine.steps(stop)), stop_(stop) {
    for (const Object& object : objects) track(object, machine);
  }

  EraAnswer run() {
    EraAnswer answer;
    answer.answer = decide();
    answer.configurations = configurations_;
    if (answer.answer != Answer::kFound) return answer;
    answer.order = std::move(order_.order);
    answer.eras = std::move(order_.eras);
    answer.survivors = std::move(order_.survivors);
    return answer;
  }

 private:
  [[nodiscard]] std::size_t crashes() const { return divided_.gaps.crashes(); }

  void track(const Object& object, const specs::Machine& machine) {
    Tracked tracked;
    std::int32_t spanning = 0;
    for (const std::int32_t op : object.operations) {
      const bool optional = problem_.optional[at(op)] != 0;
      const specs::Symbol symbol = problem_.symbol[at(op)];
      const specs::Trait& trait = machine.trait(symbol);
      if (optional && (trait.reads || trait.idle)) continue;
      const EraSpan span = divided_.gaps.span(divided_.owns[at(op)]);
      tracked.members.push_back(
          {op, symbol, divided_.owns[at(op)], !optional, span.one() ? kNone : spanning++, false, trait.reads});
      tracked.spans.push_back(span);
    }
    excluded_ = excluded_ || divided_.vague || std::cmp_greater(spanning, kMaxSpanning);
    tracked.possible.resize(crashes() + 1);
    tracked.good.resize(crashes() + 1);
    tracked.possible[0] = {{0, object.initial}};
    objects_.push_back(std::move(tracked));
  }

  /// The graph of an object in an era, explored from these starts; null if it was stopped or there are too many ends.
  std::unique_ptr<EraGraph> graph(const Tracked& object, std::size_t era, std::span<const Start> starts) {
    std::vector<Member> members;
    const auto number = static_cast<std::int32_t>(era);
    for (std::size_t i = 0; i < object.members.size(); ++i) {
      const EraSpan& span = object.spans[i];
      if (number < span.first || span.last < number) continue;
      members.push_back(object.members[i]);
      members.back().owns = divided_.gaps.within(members.back().owns, number);
      members.back().goes_on = number < span.last;
      members.back().required = members.back().required && number == span.last;
    }
    auto made = std::make_unique<EraGraph>(std::move(members), divided_.gaps.of(era), *steps_, stop_);
    excluded_ = excluded_ || !made->fits();
    if (excluded_ || !made->explore(starts)) return nullptr;
    configurations_ += made->configurations();
    stop_.count(made->configurations());
    excluded_ = excluded_ || made->too_many_ends();
    return excluded_ ? nullptr : std::move(made);
  }

  /// The same graph, judged.
  std::unique_ptr<EraGraph> judged(const Tracked& object, std::size_t era, std::span<const Start> starts,
                                   const Starts* wanted, std::optional<std::int32_t> moment = std::nullopt) {
    auto made = graph(object, era, starts);
    return made != nullptr && made->judge(wanted, moment) ? std::move(made) : nullptr;
  }

  [[nodiscard]] Answer stopped() const { return excluded_ ? Answer::kExcluded : Answer::kStopped; }

  Answer decide() {
    if (excluded_) return Answer::kExcluded;
    for (Tracked& object : objects_)
      if (const Answer found = decide_alone(object); found != Answer::kFound) return found;
    std::vector<Starts> starts;
    for (const Tracked& object : objects_) starts.push_back(object.possible[0]);
    chosen_.assign(crashes() + 1, {});
    moments_.assign(crashes(), kNone);
    if (const Answer found = choose(0, std::move(starts)); found != Answer::kFound) return found;
    for (std::size_t object = 0; object < objects_.size(); ++object)
      if (!find_ways(object)) return stopped();
    for (std::size_t era = 0; era <= crashes(); ++era) {
      for (std::size_t object = 0; object < objects_.size(); ++object) place(ways_[object][era], era);
      order_.end_era(era < crashes());
    }
    return Answer::kFound;
  }

  /// Determines the starts of each era from which an object can reach its end, independent of other objects.
  Answer decide_alone(Tracked& object) {
    for (std::size_t era = 0; era < crashes(); ++era) {
      const auto made = judged(object, era, object.possible[era], nullptr);
      if (made == nullptr) return stopped();
      object.possible[era + 1] = made->next_starts();
      if (object.possible[era + 1].empty()) return Answer::kRefuted;
    }
    for (std::size_t era = crashes() + 1; era-- > 0;) {
      const Starts* wanted = era < crashes() ? &object.good[era + 1] : nullptr;
      const auto made = judged(object, era, object.possible[era], wanted);
      if (made == nullptr) return stopped();
      object.good[era] = made->good_starts();
      if (object.good[era].empty()) return Answer::kRefuted;
    }
    return Answer::kFound;
  }

  /// Chooses moments for the crashes from an era on, where each object begins with one of these starts.
  Answer choose(std::size_t era, std::vector<Starts> starts) {
    chosen_[era] = starts;
    if (era == crashes()) return Answer::kFound;
    if (!failed_.insert({era, starts}).second) return Answer::kRefuted;
    std::vector<std::unique_ptr<EraGraph>> graphs;
    std::vector<Interval> moments{divided_.gaps.of(era)};
    for (std::size_t object = 0; object < objects_.size(); ++object) {
      graphs.push_back(judged(objects_[object], era, starts[object], &objects_[object].good[era + 1]));
      if (graphs.back() == nullptr) return stopped();
      moments = common(moments, graphs.back()->moments());
    }
    std::set<std::vector<Starts>> tried;
    for (; !moments.empty(); moments.pop_back())
      for (std::int32_t moment = moments.back().last; moment >= moments.back().first;) {
        std::vector<Starts> next;
        std::int32_t before = moments.back().first;  // start of the gaps that are equivalent for all objects
        for (const auto& graph : graphs) {
          next.push_back(graph->saved_at(moment));
          before = std::max(before, graph->alike(moment).first);
        }
        moments_[era] = moment;
        moment = before - 1;
        if (!tried.insert(next).second) continue;
        if (stop_.poll()) return Answer::kStopped;
        if (const Answer found = choose(era + 1, std::move(next)); found != Answer::kRefuted) return found;
      }
    return Answer::kRefuted;
  }

  /// Finds a path of an object through all eras with the chosen moments, from the last era backwards.
  bool find_ways(std::size_t number) {
    const Tracked& object = objects_[number];
    std::vector<std::vector<Step>> ways(crashes() + 1);
    Starts target;
    for (std::size_t era = crashes() + 1; era-- > 0;) {
      const bool crashed = era < crashes();
      const auto moment = crashed ? std::optional(moments_[era]) : std::nullopt;
      const auto made = judged(object, era, chosen_[era][number], crashed ? &target : nullptr, moment);
      if (made == nullptr) return false;
      const Start from = made->good_starts().front();
      ways[era] = made->way(from);
      target = {from};
    }
    ways_.push_back(std::move(ways));
    return true;
  }

  void place(const std::vector<Step>& way, std::size_t era) {
    std::int32_t gap = 0;
    bool survives = true;
    for (const Step& step : way) {
      gap = std::max(gap, step.op == kNone ? moments_[era] : step.gap);
      survives = survives && step.op != kNone;
      if (step.op != kNone) order_.place(step.op, gap, survives);
    }
  }

  const search::Problem& problem_;
  const DividedGaps divided_;
  std::unique_ptr<specs::Steps> steps_;
  search::StopToken& stop_;
  std::vector<Tracked> objects_;
  bool excluded_ = false;
  std::uint64_t configurations_ = 0;
  std::set<std::pair<std::size_t, std::vector<Starts>>> failed_;  // or being tried
  std::vector<std::vector<Starts>> chosen_;                       // of each era and object
  std::vector<std::int32_t> moments_;
  std::vector<std::vector<std::vector<Step>>> ways_;  // of each object and era
  monitors::EraOrder order_;
};

}  // namespace

EraAnswer search_eras(const search::Problem& problem, std::span<const Object> objects, const specs::Machine& machine,
                      search::StopToken& stop) {
  return EraSearch(problem, objects, machine, stop).run();
}

}  // namespace linpoint::eras
