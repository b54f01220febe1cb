// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, on all cores, of the product of a model and what its specification allows (Liu et al., FM 2009,
// figure 2).
//
// Guarantee: `kHolds` is reported only if every reachable state was expanded; a reported violation has the fewest steps
// possible, unless `ample` left steps out. Cost: a few hundred nanoseconds and one row per state.
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
  /// Too little room for nodes, values or stores: restart with more.
  kRoom = 3,
  /// All states up to the given depth were expanded.
  kDepth = 4,
};

enum class Wrong : std::uint8_t { kRefused = 0, kFault = 1, kDeadlock = 2 };

/// A step that causes a violation, or for a deadlock the state without a step.
struct Violation {
  Wrong wrong = Wrong::kRefused;
  std::uint8_t fault = 0;
  std::uint32_t process = 0;
  std::uint32_t instruction = 0;
  std::uint64_t state = 0;
};

/// One step of a run: which process, or its buffer, and the index of the chosen successor.
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
  /// For kRoom: which kind of room, and at which instruction.
  std::uint8_t room = 0;
  std::uint32_t instruction = 0;
  std::vector<Violation> violations;
  /// The instructions at which operations have returned in some run.
  std::vector<std::uint32_t> returns;
};

/// Numbers that change while a search runs, for progress displays.
struct Progress {
  std::atomic<std::uint64_t> states{0};
  std::atomic<std::uint64_t> waiting{0};
  std::atomic<std::uint32_t> depth{0};
};

enum class Property : std::uint8_t { kLockFree = 0, kObstructionFree = 1, kReturns = 2 };
enum class Fairness : std::uint8_t { kAny = 0, kWeak = 1, kStrong = 2 };

/// An infinite run: first `stem`, then `round` repeated forever; or, with `waits`, a run that ends after the stem with
/// `process` waiting. Both are steps of the graph of states; `choices` are the same steps for explanations.
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

  /// Without `sets`, only faults and deadlocks are searched for.
  Search(const Program& program, SpecSets* sets, unsigned threads, search::StopToken& stop);
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Searches up to `most_depth` steps.
  Reached run(std::uint32_t most_depth, bool deadlocks);
  /// After a violation: a run that shows one, with the fewest switches between processes. Its last step is the one that
  /// causes the violation; its process numbers are those of a run without swapped processes.
  std::vector<Choice> shortest_run();
  /// After a search on one thread that holds, without a specification, fusion, symmetry and ample sets: a run in which
  /// an operation is prevented from returning, if there is one.
  Lasso find_lasso(Property property, Fairness fairness);
  [[nodiscard]] const Progress& progress() const;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace linpoint::refine
