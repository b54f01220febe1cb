// SPDX-License-Identifier: Apache-2.0
// The ways to explore: everything up to reordering, everything with few preemptions, at random, or one run again.
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
  /// Processes that would show nothing new are put to sleep. Needs all accesses of a pending operation, but for a
  /// kReturn, to be known before the step.
  bool sleep_sets = true;
  /// What one step may write but need not, no other touches a part of. Else an attempt that fails counts as a write,
  /// but where its place is a single number: somebody may have read another part of it than the one that made it fail.
  bool whole_places = false;
  /// Processes whose numbers differ in this many low bits only are a family, as a thread and its store buffers are:
  /// what one of them reads or writes does not depend on what another one does, as a thread sees its own stores before
  /// they reach memory and after. All other modes count among them, too.
  unsigned family_bits = 0;
};

/// Source-DPOR: each class of schedules that differ only in the order of independent steps at least once. Of runs that
/// are stopped, each with what its last step depends on: what others did besides is shown in some way.
[[nodiscard]] std::unique_ptr<Explorer> make_dpor(DporOptions options = {});

/// One of several searches, each in a process or thread of its own, that go through the schedules together.
class SharedExplorer : public Explorer {
 public:
  /// Ends the others, too: a failure was found, or time is up.
  virtual void stop() = 0;
  /// The work cannot be shared, since steps turn out to return, or to do more than was pending; or there are too many
  /// processes. All searches end; another one has to do it alone.
  [[nodiscard]] virtual bool given_up() const = 0;
};

/// What is shared is in `memory`, which is all zero at first; 16 MB are plenty. A first byte of 1 stops all searches.
/// As `make_dpor`, together with the other searches; complete runs are shown once, by one of them. It begins when it
/// has something to do, and calls `wait` again and again until then, which takes a moment, and is false if time is up.
[[nodiscard]] std::unique_ptr<SharedExplorer> make_shared_dpor(DporOptions options, std::span<std::byte> memory,
                                                               unsigned searches, std::function<bool()> wait);

/// Every schedule with up to `most` preemptions, those with fewer first; no reduction, since with a bound that loses
/// some.
class BoundedExplorer : public Explorer {
 public:
  /// The largest number of preemptions such that all schedules with up to so many were shown; -1 if none. Rises no more
  /// once a run was cut, was left without an end or differed from the one that it repeats.
  [[nodiscard]] virtual int completed() const = 0;
};
[[nodiscard]] std::unique_ptr<BoundedExplorer> make_bounded(int most);

/// Each enabled process with the same probability.
[[nodiscard]] std::unique_ptr<Explorer> make_random(std::uint64_t seed, std::uint64_t runs);

/// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): random priorities with `depth` - 1 changes, at
/// steps up to the length of the longest run so far. Who yields goes behind all others.
[[nodiscard]] std::unique_ptr<Explorer> make_pct(std::uint64_t seed, std::uint64_t runs, unsigned depth);

/// Partial-order sampling (Yuan, Yang and Gu, CAV 2018): random priorities for steps, anew for those that race.
[[nodiscard]] std::unique_ptr<Explorer> make_pos(std::uint64_t seed, std::uint64_t runs);

/// One run: the default choice but for the deviations. Tells divergence where one of them is not enabled, or if the run
/// is over before it.
[[nodiscard]] std::unique_ptr<Explorer> make_replay(std::vector<Deviation> deviations);

}  // namespace linpoint::explore
