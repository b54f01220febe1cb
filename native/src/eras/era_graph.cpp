// SPDX-License-Identifier: Apache-2.0
#include "eras/era_graph.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace linpoint::eras {
namespace {

using histories::kNone;

constexpr std::size_t kMaxOpen = 64;
constexpr std::size_t kMaxEnds = 64;

/// The memory of a node, including everything stored about it.
constexpr std::size_t kNodeBytes = sizeof(Node) + sizeof(std::uint64_t) + 1;

}  // namespace

EraGraph::EraGraph(std::vector<Member> members, const Interval& era, specs::Steps& steps, search::StopToken& stop)
    : members_(std::move(members)), slot_(members_.size()), steps_(steps), stop_(stop), by_size_(kMaxOpen + 2) {
  make_layers(era);
  give_slots();
}

void EraGraph::make_layers(const Interval& era) {
  std::vector<std::int32_t> begins{era.first};
  for (const Member& member : members_) {
    begins.push_back(member.owns.first);
    if (member.owns.last < era.last) begins.push_back(member.owns.last + 1);
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  std::vector<std::int32_t> by_first(members_.size());
  for (std::size_t i = 0; i < by_first.size(); ++i) by_first[i] = static_cast<std::int32_t>(i);
  std::sort(by_first.begin(), by_first.end(),
            [&](std::int32_t a, std::int32_t b) { return members_[at(a)].owns.first < members_[at(b)].owns.first; });
  std::size_t next = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    Layer layer;
    layer.gaps = {begins[i], i + 1 < begins.size() ? begins[i + 1] - 1 : era.last};
    if (i > 0)
      for (const std::int32_t member : layers_.back().open)
        if (members_[at(member)].owns.last >= layer.gaps.first) layer.open.push_back(member);
    for (; next < by_first.size() && members_[at(by_first[next])].owns.first == layer.gaps.first; ++next) {
      layer.open.push_back(by_first[next]);
      layer.entered = true;
    }
    layers_.push_back(std::move(layer));
  }
}

void EraGraph::give_slots() {
  std::uint64_t used = 0;
  for (Layer& layer : layers_) {
    for (const std::int32_t member : layer.open) {
      if (members_[at(member)].owns.first != layer.gaps.first) continue;
      if (used == ~std::uint64_t{0}) {
        fits_ = false;
        return;
      }
      slot_[at(member)] = static_cast<std::uint8_t>(std::countr_one(used));
      used |= bit(member);
    }
    for (const std::int32_t member : layer.open) {
      if (members_[at(member)].owns.last != layer.gaps.last) continue;
      layer.leaving |= bit(member);
      if (members_[at(member)].required) layer.required |= bit(member);
    }
    used &= ~layer.leaving;
  }
}

std::uint64_t EraGraph::mask_of(const Start& start) const {
  std::uint64_t mask = 0;
  for (const std::int32_t member : layers_.front().open)
    if (const std::int32_t spans = members_[at(member)].spans; spans != kNone && (start.done >> spans & 1U) != 0)
      mask |= bit(member);
  return mask;
}

std::uint64_t EraGraph::done_after(std::uint64_t mask) const {
  std::uint64_t done = 0;
  for (const std::int32_t member : layers_.back().open)
    if (members_[at(member)].goes_on && (mask & bit(member)) != 0)
      done |= std::uint64_t{1} << members_[at(member)].spans;
  return done;
}

bool EraGraph::explore(std::span<const Start> starts) {
  starts_.assign(starts.begin(), starts.end());
  std::vector<Node> seeds;
  for (const Start& start : starts) seeds.push_back({mask_of(start), start.state});
  for (std::size_t number = 0; number < layers_.size(); ++number) {
    Layer& layer = layers_[number];
    close(layer, seeds);
    const std::size_t more = (nodes_.size() - layer.first_node) * kNodeBytes;
    if (stop_.stopped() || !stop_.reserve(more)) return false;
    taken_ += more;
    seeds.clear();
    for (std::size_t i = layer.first_node; i < nodes_.size(); ++i)
      if ((nodes_[i].mask & layer.required) == layer.required)
        seeds.push_back({nodes_[i].mask & ~layer.leaving, nodes_[i].state});
    if (number % 64 == 0 && stop_.poll()) return false;
  }
  list_ends();
  return true;
}

/// The node after all reads that may take effect in it.
Node EraGraph::settled(const Layer& layer, Node node) {
  for (const std::int32_t member : layer.open)
    if (members_[at(member)].reads && (node.mask & bit(member)) == 0 &&
        !steps_.step(node.state, members_[at(member)].symbol).empty())
      node.mask |= bit(member);
  return node;
}

/// Adds the nodes of a layer: the seeds, and their successors by operations that take effect.
void EraGraph::close(Layer& layer, const std::vector<Node>& seeds) {
  layer.first_node = nodes_.size();
  table_.clear();
  const auto add = [&](const Node& node) {
    if (table_.insert(node, 0)) by_size_[static_cast<std::size_t>(std::popcount(node.mask))].push_back(node);
  };
  for (const Node& seed : seeds) add(settled(layer, seed));
  // If no operation entered, the successors of seeds are seeds, too.
  const bool closed = !layer.entered && &layer != &layers_.front();
  std::vector<State> states;
  for (std::vector<Node>& same_size : by_size_) {
    for (const Node& node : same_size) {
      nodes_.push_back(node);
      if (closed) continue;
      for (const std::int32_t member : layer.open) {
        if ((node.mask & bit(member)) != 0) continue;
        const auto after = steps_.step(node.state, members_[at(member)].symbol);
        states.assign(after.begin(), after.end());  // a copy, since the next step reuses its memory
        for (const State state : states) add(settled(layer, {node.mask | bit(member), state}));
      }
      if (nodes_.size() % 4096 == 0 && stop_.poll()) break;
    }
    same_size.clear();
  }
}

void EraGraph::list_ends() {
  const Layer& last = layers_.back();
  for (std::size_t i = last.first_node; i < nodes_.size() && !too_many_ends_; ++i) {
    if ((nodes_[i].mask & last.required) != last.required) continue;
    const std::uint64_t done = done_after(nodes_[i].mask);
    if (std::find(ends_.begin(), ends_.end(), done) != ends_.end()) continue;
    too_many_ends_ = ends_.size() == kMaxEnds;
    if (!too_many_ends_) ends_.push_back(done);
  }
}

std::uint64_t EraGraph::end_bit(std::uint64_t mask) const {
  const auto found = std::find(ends_.begin(), ends_.end(), done_after(mask));
  return std::uint64_t{1} << (found - ends_.begin());
}

void EraGraph::fill(NodeTable& table, std::size_t layer) const {
  table.clear();
  for (std::size_t i = layers_[layer].first_node; i < end_of(layer); ++i) table.insert(nodes_[i], i);
}

bool EraGraph::may_save_in(const Layer& layer) const {
  return wanted_ != nullptr && (!moment_ || (layer.gaps.first <= *moment_ && *moment_ <= layer.gaps.last));
}

bool EraGraph::judge(const std::vector<Start>* wanted, std::optional<std::int32_t> moment) {
  wanted_ = wanted;
  moment_ = moment;
  ends_of_state_.clear();
  reaches_.assign(nodes_.size(), 0);
  good_.assign(nodes_.size(), 0);
  NodeTable here;
  NodeTable next;
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    fill(here, layer);
    for (std::size_t node = end_of(layer); node-- > layers_[layer].first_node;) judge_node(layer, node, here, next);
    std::swap(here, next);
    if (layer % 64 == 0 && stop_.poll()) return false;
  }
  return !stop_.stopped();
}

void EraGraph::judge_node(std::size_t number, std::size_t node, const NodeTable& here, const NodeTable& next) {
  const Layer& layer = layers_[number];
  const Node from = nodes_[node];
  std::uint64_t reaches = 0;
  bool good = false;
  const auto follow = [&](std::size_t to) {
    if (to == NodeTable::kAbsent) return;
    reaches |= reaches_[to];
    good = good || good_[to] != 0;
  };
  if ((from.mask & layer.required) == layer.required) {
    if (number + 1 == layers_.size())
      reaches = end_bit(from.mask);
    else
      follow(next.find(settled(layers_[number + 1], {from.mask & ~layer.leaving, from.state})));
  }
  std::vector<State> states;
  for (const std::int32_t member : layer.open) {
    if ((from.mask & bit(member)) != 0) continue;
    const auto after = steps_.step(from.state, members_[at(member)].symbol);
    states.assign(after.begin(), after.end());
    for (const State state : states) follow(here.find(settled(layer, {from.mask | bit(member), state})));
  }
  if (wanted_ == nullptr) good = reaches != 0;
  if (may_save_in(layer)) good = good || (reaches & wanted_ends(from.state)) != 0;
  reaches_[node] = reaches;
  good_[node] = good ? 1 : 0;
}

/// The ends that, with this state saved, give a wanted start of the next era.
std::uint64_t EraGraph::wanted_ends(State state) {
  const auto [found, fresh] = ends_of_state_.try_emplace(state, 0);
  if (fresh)
    for (std::size_t end = 0; end < ends_.size(); ++end)
      if (std::binary_search(wanted_->begin(), wanted_->end(), Start{ends_[end], state}))
        found->second |= std::uint64_t{1} << end;
  return found->second;
}

std::vector<Start> EraGraph::good_starts() {
  NodeTable first;
  fill(first, 0);
  std::vector<Start> found;
  for (const Start& start : starts_)
    if (good_[first.find(settled(layers_.front(), {mask_of(start), start.state}))] != 0) found.push_back(start);
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Start> EraGraph::next_starts() const {
  std::vector<Start> found;
  std::unordered_map<State, std::uint64_t> known;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::uint64_t& ends = known[nodes_[i].state];
    for (std::uint64_t fresh = reaches_[i] & ~ends; fresh != 0; fresh &= fresh - 1)
      found.push_back({ends_[static_cast<std::size_t>(std::countr_zero(fresh))], nodes_[i].state});
    ends |= reaches_[i];
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::size_t EraGraph::layer_at(std::int32_t gap) const {
  const auto after = std::upper_bound(layers_.begin(), layers_.end(), gap, [](std::int32_t wanted, const Layer& layer) {
    return wanted < layer.gaps.first;
  });
  return static_cast<std::size_t>(after - layers_.begin()) - 1;
}

std::vector<Interval> EraGraph::moments() {
  std::vector<Interval> found;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    bool some = false;
    for (std::size_t i = layers_[layer].first_node; i < end_of(layer) && !some; ++i)
      some = (reaches_[i] & wanted_ends(nodes_[i].state)) != 0;
    if (!some) continue;
    if (!found.empty() && found.back().last + 1 == layers_[layer].gaps.first)
      found.back().last = layers_[layer].gaps.last;
    else
      found.push_back(layers_[layer].gaps);
  }
  return found;
}

std::vector<Start> EraGraph::saved_at(std::int32_t moment) {
  const std::size_t layer = layer_at(moment);
  std::vector<Start> found;
  for (std::size_t i = layers_[layer].first_node; i < end_of(layer); ++i)
    for (std::uint64_t ends = reaches_[i] & wanted_ends(nodes_[i].state); ends != 0; ends &= ends - 1)
      found.push_back({ends_[static_cast<std::size_t>(std::countr_zero(ends))], nodes_[i].state});
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// Walks from a start to the end along nodes from which the requested end is reachable.
class EraWalk {
 public:
  explicit EraWalk(EraGraph& graph) : graph_(graph), saved_(graph.wanted_ == nullptr) {}

  std::vector<Step> from(const Start& start) {
    graph_.fill(here_, 0);
    std::size_t node = enter(here_, graph_.layers_.front(), {graph_.mask_of(start), start.state});
    for (std::size_t layer = 0; layer < graph_.layers_.size(); ++layer) {
      if (layer + 1 < graph_.layers_.size()) graph_.fill(next_, layer + 1);
      while (true) {
        if (!saved_ && take(layer, node, true))
          continue;  // operations that must take effect come first, so that more
                     // survive
        if (save(layer, node)) continue;
        if (leave(layer, node)) break;
        if (at_end(layer, node) || !take(layer, node, false)) return std::move(steps_);
      }
      std::swap(here_, next_);
    }
    return std::move(steps_);
  }

 private:
  [[nodiscard]] bool leads(std::size_t node) const {
    return saved_ ? (graph_.reaches_[node] & target_) != 0 : graph_.good_[node] != 0;
  }

  /// The node after the reads that take effect in it; these become steps.
  std::size_t enter(const NodeTable& table, const EraGraph::Layer& layer, const Node& raw) {
    const Node node = graph_.settled(layer, raw);
    for (const std::int32_t member : layer.open)
      if ((node.mask & ~raw.mask & graph_.bit(member)) != 0)
        steps_.push_back({graph_.members_[at(member)].op, layer.gaps.first});
    return table.find(node);
  }

  bool take(std::size_t number, std::size_t& node, bool required) {
    const EraGraph::Layer& layer = graph_.layers_[number];
    const Node before = graph_.nodes_[node];
    for (const std::int32_t member : layer.open) {
      const Member& each = graph_.members_[at(member)];
      if ((before.mask & graph_.bit(member)) != 0 || (required && !each.required)) continue;
      const auto found = graph_.steps_.step(before.state, each.symbol);
      for (const State state : std::vector<State>(found.begin(), found.end())) {
        const Node raw{before.mask | graph_.bit(member), state};
        const std::size_t after = here_.find(graph_.settled(layer, raw));
        if (after == NodeTable::kAbsent || !leads(after)) continue;
        steps_.push_back({each.op, layer.gaps.first});
        node = enter(here_, layer, raw);
        return true;
      }
    }
    return false;
  }

  bool save(std::size_t number, std::size_t node) {
    if (saved_ || !graph_.may_save_in(graph_.layers_[number])) return false;
    const std::uint64_t ends = graph_.reaches_[node] & graph_.wanted_ends(graph_.nodes_[node].state);
    if (ends == 0) return false;
    steps_.push_back({kNone, graph_.layers_[number].gaps.first});
    saved_ = true;
    target_ = ends;
    return true;
  }

  /// Continues with the corresponding node of the next layer, if the end is reachable from it.
  bool leave(std::size_t number, std::size_t& node) {
    const EraGraph::Layer& layer = graph_.layers_[number];
    const Node before = graph_.nodes_[node];
    if ((before.mask & layer.required) != layer.required || number + 1 == graph_.layers_.size()) return false;
    const EraGraph::Layer& following = graph_.layers_[number + 1];
    const Node raw{before.mask & ~layer.leaving, before.state};
    const std::size_t after = next_.find(graph_.settled(following, raw));
    if (after == NodeTable::kAbsent || !leads(after)) return false;
    node = enter(next_, following, raw);
    return true;
  }

  [[nodiscard]] bool at_end(std::size_t number, std::size_t node) const {
    const std::uint64_t required = graph_.layers_[number].required;
    const std::uint64_t mask = graph_.nodes_[node].mask;
    return number + 1 == graph_.layers_.size() && saved_ && (mask & required) == required &&
           (graph_.end_bit(mask) & target_) != 0;
  }

  EraGraph& graph_;
  bool saved_;
  std::uint64_t target_ = ~std::uint64_t{0};
  NodeTable here_;
  NodeTable next_;
  std::vector<Step> steps_;
};

std::vector<Step> EraGraph::way(const Start& from) { return EraWalk(*this).from(from); }

}  // namespace linpoint::eras
