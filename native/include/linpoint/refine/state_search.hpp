// SPDX-License-Identifier: Apache-2.0
// The product of a model and what its specification allows, breadth first on all cores (Liu et al., FM 2009, figure 2).
//
// Guarantee: `kHolds` is said only if every reachable state was expanded; a violation is one with the fewest steps that
// there is, unless `ample` left steps out. Cost: a few hundred nanoseconds and a row for each state.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "linpoint/refine/allowed_configuration_sets.hpp"
#include "linpoint/refine/model_program.hpp"
#include "linpoint/search/stop_token.hpp"

namespace linpoint::refine {

enum class Ending : std::uint8_t {
  kHolds = 0,
  kViolation = 1,
  kStopped = 2,
  /// Too little room for nodes, values or stores: begin again with more.
  kRoom = 3,
  /// All states up to the given depth were expanded.
  kDepth = 4,
};

enum class Wrong : std::uint8_t { kRefused = 0, kFault = 1, kDeadlock = 2 };

/// A step that goes wrong, or for a deadlock the state that has none.
struct Violation {
  Wrong wrong = Wrong::kRefused;
  std::uint8_t fault = 0;
  std::uint32_t process = 0;
  std::uint32_t instruction = 0;
  std::uint64_t state = 0;
};

/// One step of a run: which process, or its buffer, and which of the successors of that process it is.
struct Choice {
  std::uint32_t process = 0;
  std::uint32_t successor = 0;
};

struct Reached {
  Ending ending = Ending::kStopped;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint32_t depth = 0;
  std::uint64_t memory = 0;
  std::uint64_t sets = 0;
  /// Of kRoom: which, and at which instruction.
  std::uint8_t room = 0;
  std::uint32_t instruction = 0;
  std::vector<Violation> violations;
  /// The instructions at which operations have returned, in some run.
  std::vector<std::uint32_t> returns;
};

/// Numbers that change while a search runs, for whoever watches.
struct Progress {
  std::atomic<std::uint64_t> states{0};
  std::atomic<std::uint64_t> waiting{0};
  std::atomic<std::uint32_t> depth{0};
};

enum class Property : std::uint8_t { kLockFree = 0, kObstructionFree = 1, kReturns = 2 };
enum class Fairness : std::uint8_t { kAny = 0, kWeak = 1, kStrong = 2 };

/// A run that goes on for ever: first `stem`, then `round` again and again; or, with `waits`, one that ends after the
/// stem with `process` waiting. Both are steps of the graph of states; `choices` are the same for whoever tells.
struct Lasso {
  bool found = false;
  bool waits = false;
  std::uint32_t process = 0;
  std::vector<std::uint64_t> stem;
  std::vector<std::uint64_t> round;
  std::vector<Choice> choices;
};

class Search {
 public:
  class Engine;

  /// Without `sets`, only faults and deadlocks are looked for.
  Search(const Program& program, SpecSets* sets, unsigned threads, search::StopToken& stop);
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Searches up to `most_depth` steps.
  Reached run(std::uint32_t most_depth, bool deadlocks);
  /// After a violation: a run that shows one, with the fewest switches from one process to another; its last step is
  /// the one that goes wrong, and the processes are those of a run in which none took another's place.
  std::vector<Choice> shortest_run();
  /// After a search on one thread that holds, without a specification, fusion, symmetry and ample sets: a run in which
  /// an operation is kept from returning, if there is one.
  Lasso find_lasso(Property property, Fairness fairness);
  [[nodiscard]] const Progress& progress() const;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace linpoint::refine
