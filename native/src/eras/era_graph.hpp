// SPDX-License-Identifier: Apache-2.0
// The configurations of one object in one era: which of the open operations took effect, and the state.
//
// The era is divided into layers, each a run of gaps between which no operation of the object begins or ends. A node is
// a configuration in a layer. Within a layer operations take effect, and the next layer takes over the nodes in which
// all operations that ended have done so. A read that may take effect does so immediately: it changes nothing, so this
// excludes no order. `explore` finds all nodes reachable from the starts. `judge` determines from which of them the end
// of the era is reachable, and from which it is reachable through a moment at which a state is saved that the next era
// can begin with.
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

/// The start of an era: the state, and which operations that span the crash took effect before it.
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
  bool required = true;                   // it must take effect in this era at the latest
  std::int32_t spans = histories::kNone;  // its bit among the members that span crashes
  bool goes_on = false;                   // it may take effect in a later era
  bool reads = false;                     // it changes no state
};

/// An operation that takes effect, or (kNone) the saved moment; in this gap at the earliest.
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

  /// Whether no more than 64 operations are open concurrently.
  [[nodiscard]] bool fits() const { return fits_; }

  /// Explores from the starts; false if it was stopped.
  bool explore(std::span<const Start> starts);

  /// Judges the nodes. `wanted` are the relevant starts of the next era, ascending, and must outlive this object; null
  /// if nothing is saved. If `moment` is given, only a state saved then counts. False if it was stopped.
  bool judge(const std::vector<Start>* wanted, std::optional<std::int32_t> moment = std::nullopt);

  /// The starts from which the requested end is reachable, ascending.
  [[nodiscard]] std::vector<Start> good_starts();
  /// Every start that the next era may have, ascending.
  [[nodiscard]] std::vector<Start> next_starts() const;
  /// The gaps at which a wanted state can be saved, ascending; and (`saved_at`) the starts that the next era can then
  /// have.
  [[nodiscard]] std::vector<Interval> moments();
  [[nodiscard]] std::vector<Start> saved_at(std::int32_t moment);
  /// The gaps in the same layer as `gap`.
  [[nodiscard]] Interval alike(std::int32_t gap) const { return layers_[layer_at(gap)].gaps; }
  /// A path through the era from a good start.
  [[nodiscard]] std::vector<Step> way(const Start& from);

  /// Whether there are too many different ends to represent; then no other member may be called.
  [[nodiscard]] bool too_many_ends() const { return too_many_ends_; }

  [[nodiscard]] std::uint64_t configurations() const { return nodes_.size(); }

 private:
  struct Layer {
    Interval gaps;
    std::vector<std::int32_t> open;  // members
    bool entered = false;            // whether a member became open here
    std::uint64_t required = 0;      // members that must have taken effect by its end
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
  std::vector<Node> nodes_;             // layer by layer, those with fewer operations first
  std::vector<std::uint64_t> reaches_;  // of each node: the ends reachable from it
  std::vector<std::uint8_t> good_;      // of each node: whether a requested end is reachable
  std::vector<std::uint64_t> ends_;     // for each end, which operations that span the crash took effect
  bool too_many_ends_ = false;
  std::vector<Start> starts_;
  const std::vector<Start>* wanted_ = nullptr;
  std::optional<std::int32_t> moment_;
  std::unordered_map<State, std::uint64_t> ends_of_state_;  // the wanted ones
  NodeTable table_;
  std::vector<std::vector<Node>> by_size_;

  friend class EraWalk;
};

}  // namespace linpoint::eras
