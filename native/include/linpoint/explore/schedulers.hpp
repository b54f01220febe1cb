// SPDX-License-Identifier: Apache-2.0
// Exploration strategies: exhaustive up to reordering, bounded in preemptions, random, and replay of one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::explore {

struct DporOptions {
  /// Puts processes that would show nothing new to sleep. Requires that all accesses of a pending operation, except a
  /// kReturn, are known before the step.
  bool sleep_sets = true;
  /// The places that a step may write, but need not, are accessed by all other steps as a whole, never in part.
  /// Otherwise a failed attempt counts as a write, except where its place is a single number: another step may have
  /// read a different part of the place than the one that made the attempt fail.
  bool whole_places = false;
  /// Processes whose numbers differ only in this many low bits form a family, for example a thread and its store
  /// buffers. Reads and writes within a family are independent, since a thread sees its own stores both before and
  /// after they reach memory. All other modes stay dependent within a family.
  unsigned family_bits = 0;
};

/// Source-DPOR: explores each class of schedules that differ only in the order of independent steps at least once. Of
/// stopped runs, each combination of the steps that the last step depends on; steps unrelated to it are shown in some
/// order.
[[nodiscard]] std::unique_ptr<Explorer> make_dpor(DporOptions options = {});

/// One of several searches, each in its own process or thread, that explore the schedules together.
class SharedExplorer : public Explorer {
 public:
  /// Stops the other searches too: a failure was found, or time is up.
  virtual void stop() = 0;
  /// The work cannot be shared, because steps turn out to return or to do more than was pending, or there are too many
  /// processes. All searches end; a single search has to do the work.
  [[nodiscard]] virtual bool given_up() const = 0;
};

/// Like `make_dpor`, but together with other searches; each complete run is shown once, by one of them. The shared
/// state is in `memory`, which is initially all zero; 16 MB suffice. Setting the first byte to 1 stops all searches.
/// Until it has work, a search repeatedly calls `wait`, which takes a moment and returns false if time is up.
[[nodiscard]] std::unique_ptr<SharedExplorer> make_shared_dpor(DporOptions options, std::span<std::byte> memory,
                                                               unsigned searches, std::function<bool()> wait);

/// Explores every schedule with up to `most` preemptions, fewest first. It uses no partial-order reduction, which would
/// lose schedules under a bound.
class BoundedExplorer : public Explorer {
 public:
  /// The largest number k such that all schedules with up to k preemptions were explored; -1 if none. Stops growing
  /// once a run was cut, was abandoned or differed from the run that it repeats.
  [[nodiscard]] virtual int completed() const = 0;
};
[[nodiscard]] std::unique_ptr<BoundedExplorer> make_bounded(int most);

/// Each enabled process with the same probability.
[[nodiscard]] std::unique_ptr<Explorer> make_random(std::uint64_t seed, std::uint64_t runs);

/// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): random priorities with `depth` - 1 changes, at
/// steps up to the length of the longest run so far. A process that yields moves behind all others.
[[nodiscard]] std::unique_ptr<Explorer> make_pct(std::uint64_t seed, std::uint64_t runs, unsigned depth);

/// Partial-order sampling (Yuan, Yang and Gu, CAV 2018): random step priorities, redrawn for steps that race.
[[nodiscard]] std::unique_ptr<Explorer> make_pos(std::uint64_t seed, std::uint64_t runs);

/// One run: the default choice except for the deviations. Reports divergence if a deviation is not enabled, or if the
/// run ends before it.
[[nodiscard]] std::unique_ptr<Explorer> make_replay(std::vector<Deviation> deviations);

}  // namespace linpoint::explore
