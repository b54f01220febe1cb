// SPDX-License-Identifier: Apache-2.0
// The configurations of one object in one era: which of the open operations took effect, and the state.
//
// The era is cut into layers, each a run of gaps between which no operation of the object begins or ends. A node is a
// configuration in a layer; within a layer operations take effect, and the next layer takes over the nodes in which
// those that ended did. What only reads and may take effect does so immediately: it changes nothing, and nobody is the
// worse for it. `explore` finds all nodes that the starts lead to, `judge` from which of them the era can be
// brought to its end, and from which it can after a moment at which a state is saved that the next era can begin with.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "eras/node_table.hpp"
#include "linpoint/search/stop_token.hpp"
#include "linpoint/specs/integer_spec.hpp"
#include "monitors/era_gaps.hpp"

namespace linpoint::eras {

using monitors::at;
using monitors::Interval;
using specs::State;

/// What an era begins with: the state, and which operations that span the crash took effect before it.
struct Start {
  std::uint64_t done = 0;
  State state = 0;
  friend auto operator<=>(const Start&, const Start&) = default;
};

/// An operation that may take effect in an era.
struct Member {
  std::int32_t op;
  specs::Symbol symbol;
  Interval owns;                          // its gaps in the era
  bool required = true;                   // to take effect in this era at the latest
  std::int32_t spans = histories::kNone;  // its bit among those that span crashes
  bool goes_on = false;                   // it may take effect in a later era
  bool reads = false;                     // it changes no state
};

/// An operation that takes effect, or (kNone) the saved moment; at the earliest in this gap.
struct Step {
  std::int32_t op;
  std::int32_t gap;
};

class EraGraph {
 public:
  EraGraph(std::vector<Member> members, const Interval& era, specs::Steps& steps, search::StopToken& stop);
  EraGraph(const EraGraph&) = delete;
  EraGraph& operator=(const EraGraph&) = delete;
  ~EraGraph() { stop_.release(taken_); }

  /// Whether no more than 64 operations are open at a time.
  [[nodiscard]] bool fits() const { return fits_; }

  /// Explores from the starts; false if it was stopped.
  bool explore(std::span<const Start> starts);

  /// Judges the nodes. `wanted` are the starts of the next era that count, ascending, and must outlive this; null where
  /// nothing is saved. Only a state saved at `moment` counts, where that is given. False if it was stopped.
  bool judge(const std::vector<Start>* wanted, std::optional<std::int32_t> moment = std::nullopt);

  /// The starts that lead to the end as asked, ascending.
  [[nodiscard]] std::vector<Start> good_starts();
  /// Every start that the next era may have, ascending.
  [[nodiscard]] std::vector<Start> next_starts() const;
  /// The gaps at which a wanted state can be saved, and what the next era can begin with then, ascending.
  [[nodiscard]] std::vector<Interval> moments();
  [[nodiscard]] std::vector<Start> saved_at(std::int32_t moment);
  /// The gaps that lie in one layer with `gap`.
  [[nodiscard]] Interval alike(std::int32_t gap) const { return layers_[layer_at(gap)].gaps; }
  /// A way through the era from a good start.
  [[nodiscard]] std::vector<Step> way(const Start& from);

  /// Whether ends differ in too many ways to be told apart: then nothing else may be asked.
  [[nodiscard]] bool too_many_ends() const { return too_many_ends_; }

  [[nodiscard]] std::uint64_t configurations() const { return nodes_.size(); }

 private:
  struct Layer {
    Interval gaps;
    std::vector<std::int32_t> open;  // members
    bool entered = false;            // by a member that was not open before
    std::uint64_t required = 0;      // members that must have taken effect at its end
    std::uint64_t leaving = 0;
    std::size_t first_node = 0;
  };

  void make_layers(const Interval& era);
  void give_slots();
  void close(Layer& layer, const std::vector<Node>& seeds);
  [[nodiscard]] Node settled(const Layer& layer, Node node);
  void list_ends();
  [[nodiscard]] std::uint64_t mask_of(const Start& start) const;
  [[nodiscard]] std::uint64_t done_after(std::uint64_t mask) const;
  [[nodiscard]] std::uint64_t end_bit(std::uint64_t mask) const;
  [[nodiscard]] std::size_t end_of(std::size_t layer) const {
    return layer + 1 < layers_.size() ? layers_[layer + 1].first_node : nodes_.size();
  }
  [[nodiscard]] std::size_t layer_at(std::int32_t gap) const;
  [[nodiscard]] std::uint64_t bit(std::int32_t member) const { return std::uint64_t{1} << slot_[at(member)]; }
  [[nodiscard]] bool may_save_in(const Layer& layer) const;
  void judge_node(std::size_t number, std::size_t node, const NodeTable& here, const NodeTable& next);
  [[nodiscard]] std::uint64_t wanted_ends(State state);
  void fill(NodeTable& table, std::size_t layer) const;

  std::vector<Member> members_;
  std::vector<std::uint8_t> slot_;  // of each member
  bool fits_ = true;
  specs::Steps& steps_;
  search::StopToken& stop_;
  std::size_t taken_ = 0;
  std::vector<Layer> layers_;
  std::vector<Node> nodes_;             // layer by layer, fewer operations in first
  std::vector<std::uint64_t> reaches_;  // of each node: the ends that it leads to
  std::vector<std::uint8_t> good_;      // of each node: whether it leads to an end as asked
  std::vector<std::uint64_t> ends_;     // which operations that span the crash took effect, at each end
  bool too_many_ends_ = false;
  std::vector<Start> starts_;
  const std::vector<Start>* wanted_ = nullptr;
  std::optional<std::int32_t> moment_;
  std::unordered_map<State, std::uint64_t> ends_of_state_;  // that are wanted
  NodeTable table_;
  std::vector<std::vector<Node>> by_size_;

  friend class EraWalk;
};

}  // namespace linpoint::eras
