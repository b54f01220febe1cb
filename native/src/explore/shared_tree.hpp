// SPDX-License-Identifier: Apache-2.0
// The part of a search tree that several searches work on, in memory shared by their processes.
//
// Each search has its own path from the root. The upper end of the path, down to where another search works, is shared:
// each such state has a node here with the processes wanted there and those taken by some search. A search without work
// requests it from the others. One of them shares its path down to its first state with an open process, and the
// requesting search takes that process.
//
// Why this loses nothing: a process wanted at a node is added by a search whose path leads through the node, and that
// search checks for open ones there before it leaves. A process taken later keeps those taken earlier asleep, never the
// other way round, and everything taken is explored to its end by the search that took it. So sleep sets are as in a
// single search that explores the processes in the order in which they were taken. Habits, the effects of steps
// observed in other runs, are not shared. So a search gives up if a step returns or exceeds its pending accesses; a
// single search then has to do the work.
//
// There are no pointers, since each process maps the memory at a different address. A lock protects what is taken;
// wanted processes are added without it.
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

/// A set of processes that only grows, and that others may read concurrently.
class GrowingSet {
 public:
  static constexpr Process kMost = 512;  ///< processes with higher numbers do not fit

  void insert(Process process) { words_[process / kBits].fetch_or(bit(process), std::memory_order_relaxed); }
  void become(const ProcessSet& other);
  [[nodiscard]] bool contains(Process process) const {
    return process < kMost && (words_[process / kBits].load(std::memory_order_relaxed) & bit(process)) != 0;
  }
  [[nodiscard]] ProcessSet copied() const;
  /// A member that is not in the other set.
  [[nodiscard]] Process without(const GrowingSet& other) const;

 private:
  static constexpr Process kBits = 64;
  static std::uint64_t bit(Process process) { return std::uint64_t{1} << (process % kBits); }

  std::array<std::atomic<std::uint64_t>, kMost / kBits> words_;
};

/// What a search takes at a node.
struct Taken {
  Process process = kNobody;
  ProcessSet before;  ///< the processes that had been taken, or were asleep
};

/// A state on the path of a search, to be shared.
struct PathState {
  Process via = kNobody;  ///< the process chosen at the previous state
  Process chosen = kNobody;
  const ProcessSet* wanted = nullptr;
  const ProcessSet* asleep = nullptr;
};

class SharedTree {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNone = ~Number{0};

  /// `memory` is all zero when the first search begins; more memory allows more sharing.
  SharedTree(std::span<std::byte> memory, unsigned searches);

  void want(Number node, Process process);
  /// Whether that process was or will be explored from the node.
  [[nodiscard]] bool covers(Number node, Process process) const;

  /// Takes a wanted process; kNobody, leaving the node, if none is open.
  [[nodiscard]] Taken take_or_leave(Number node);

  /// Whether a search is idle, and no work is on offer.
  [[nodiscard]] bool is_asked() const;
  /// Appends states to a path, below its last node. False, without sharing, if there is no room.
  bool share(std::vector<Number>& path, std::span<const PathState> states);

  /// Work for an idle search: a process at the last node of a path. The first search gets the whole tree, and no path.
  struct Work {
    std::vector<Number> path;
    std::vector<Process> chosen;  ///< the process at each node of the path
    ProcessSet asleep;            ///< at the last node
  };
  /// Nothing if no work is available now. The search counts as idle until it gets work; when all are idle, the search
  /// is over.
  [[nodiscard]] std::optional<Work> look_for_work(bool& idle);

  /// Whether all searches must end: everything was explored, or one of them ended the search.
  [[nodiscard]] bool over() const;
  void stop();
  /// Reports that the search cannot be shared.
  void give_up();
  [[nodiscard]] bool given_up() const;
  /// Reports that something was left out.
  void leave_out();
  /// Whether the searches together explored everything.
  [[nodiscard]] bool exhaustive() const;

 private:
  struct Node {
    Number parent;
    Number depth;
    Number visitors;  ///< number of searches whose path leads through it
    Process via;      ///< the process chosen at the parent
    bool used;
    GrowingSet wanted;
    GrowingSet taken;
  };

  /// Setting the first byte ends all searches, also by code that only has the memory.
  struct Head {
    std::atomic<std::uint8_t> stopped;
    std::atomic<std::uint8_t> given_up;
    std::atomic<std::uint8_t> left_out;
    std::atomic<std::uint8_t> finished;
    std::atomic<std::uint32_t> lock;
    std::atomic<std::uint32_t> idle;
    std::atomic<std::uint32_t> offers;  ///< approximate number of offers not yet taken
    bool begun;
    Number high;  ///< nodes from here on were never used
    Number free;  ///< list of unused ones below that
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
