// SPDX-License-Identifier: Apache-2.0
// The part of a search tree that several searches work on, in memory that their processes share.
//
// Each search has a path of its own from the root. The upper end of it, down to where somebody else works, is shared:
// for each such state there is a node here that says who is wanted there and who was taken by somebody. A search that
// has nothing left asks the others; one of them shares its path down to its first state where something is open, and
// the one that asks takes it from there.
//
// Why this loses nothing: whoever is wanted at a node is added by a search whose path leads through it, and that search
// looks for open ones there before it leaves. Whoever is taken later keeps those asleep that were taken before, never
// the other way round, and all that is taken is explored to its end by the one that took it; so sleepers are as in one
// search that explores them in the order in which they were taken. What is not shared is what steps were seen to do in
// other runs (Habits), so a search in which a step returns or roams gives up and is to be done by one.
//
// No pointers, since processes have it at different addresses. A lock keeps what is taken together; who is wanted is
// added without it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "explore/process_set.hpp"
#include "linpoint/explore/explorer.hpp"

namespace linpoint::explore {

/// A set of processes that only grows, and that others look at meanwhile.
class GrowingSet {
 public:
  static constexpr Process kMost = 512;  ///< processes with higher numbers do not fit

  void insert(Process process) { words_[process / kBits].fetch_or(bit(process), std::memory_order_relaxed); }
  void become(const ProcessSet& other);
  [[nodiscard]] bool contains(Process process) const {
    return process < kMost && (words_[process / kBits].load(std::memory_order_relaxed) & bit(process)) != 0;
  }
  [[nodiscard]] ProcessSet copied() const;
  /// Somebody here who is not in the other set.
  [[nodiscard]] Process without(const GrowingSet& other) const;

 private:
  static constexpr Process kBits = 64;
  static std::uint64_t bit(Process process) { return std::uint64_t{1} << (process % kBits); }

  std::array<std::atomic<std::uint64_t>, kMost / kBits> words_;
};

/// What a search takes at a node.
struct Taken {
  Process process = kNobody;
  ProcessSet before;  ///< who had been taken, or slept already
};

/// A state on the path of a search, to be shared.
struct PathState {
  Process via = kNobody;  ///< who went at the state before
  Process chosen = kNobody;
  const ProcessSet* wanted = nullptr;
  const ProcessSet* asleep = nullptr;
};

class SharedTree {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNone = ~Number{0};

  /// `memory` is all zero when the first search begins; the more there is, the more can be shared.
  SharedTree(std::span<std::byte> memory, unsigned searches);

  void want(Number node, Process process);
  /// Whether that process was or will be explored from there.
  [[nodiscard]] bool covers(Number node, Process process) const;

  /// Takes somebody who is wanted; kNobody, and the node is left, if nobody is open.
  [[nodiscard]] Taken take_or_leave(Number node);

  /// Whether somebody has nothing to do, and nothing is on offer.
  [[nodiscard]] bool is_asked() const;
  /// Adds states below the last node of a path to it. False, and nothing is shared, if there is no room.
  bool share(std::vector<Number>& path, std::span<const PathState> states);

  /// What a search without anything to do got: somebody at the last node of a path. The first search gets the whole
  /// tree, and no path.
  struct Work {
    std::vector<Number> path;
    std::vector<Process> chosen;  ///< who goes at each node of it
    ProcessSet asleep;            ///< at the last one
  };
  /// Nothing if there is none now. The search counts as idle until it gets something; when all are, it is over.
  [[nodiscard]] std::optional<Work> look_for_work(bool& idle);

  /// That nobody is to go on: all was explored, or somebody has ended the search.
  [[nodiscard]] bool over() const;
  void stop();
  /// The search is not one that can be shared.
  void give_up();
  [[nodiscard]] bool given_up() const;
  /// Something was left out.
  void leave_out();
  /// All was explored, by all searches together.
  [[nodiscard]] bool exhaustive() const;

 private:
  struct Node {
    Number parent;
    Number depth;
    Number visitors;  ///< searches whose path leads through it
    Process via;      ///< who goes at the parent
    bool used;
    GrowingSet wanted;
    GrowingSet taken;
  };

  /// The first byte ends all searches, for whoever has the memory and nothing else of us.
  struct Head {
    std::atomic<std::uint8_t> stopped;
    std::atomic<std::uint8_t> given_up;
    std::atomic<std::uint8_t> left_out;
    std::atomic<std::uint8_t> finished;
    std::atomic<std::uint32_t> lock;
    std::atomic<std::uint32_t> idle;
    std::atomic<std::uint32_t> offers;  ///< not yet taken, or so
    bool begun;
    Number high;  ///< nodes from here on were never used
    Number free;  ///< unused ones below that
  };

  class Locked;
  [[nodiscard]] static Taken take(Node& node);
  void leave(Number number);
  [[nodiscard]] Number fresh();
  [[nodiscard]] std::optional<Number> shallowest_open() const;
  [[nodiscard]] Work path_to(Number last);

  Head* head_;
  std::span<Node> nodes_;
  unsigned searches_;
};

}  // namespace linpoint::explore
