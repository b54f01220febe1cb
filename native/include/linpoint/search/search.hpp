// SPDX-License-Identifier: Apache-2.0
// Deciding whether a history has a linearization: the algorithms, each as a search that can be paused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "linpoint/search/problem.hpp"
#include "linpoint/search/stop_token.hpp"
#include "linpoint/specs/integer_spec.hpp"

namespace linpoint::search {

enum class Status : int { kLinearizable = 0, kViolation = 1, kStopped = 2, kPaused = 3 };

/// A search for a linearization. One thread at a time runs it; the problem and the token outlive it.
class Search {
 public:
  explicit Search(StopToken& stop) : stop_(stop) {}
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  virtual ~Search() = default;

  /// Goes on until there is an answer, the token is stopped, or `allowance` more configurations were looked at.
  /// An answer stays.
  Status run(std::uint64_t allowance) {
    if (answer_ != Status::kPaused) return answer_;
    const std::uint64_t most = configurations_ + std::min(allowance, std::numeric_limits<std::uint64_t>::max() / 2);
    const Status status = stop_.poll() ? Status::kStopped : walk(most);
    report();
    if (status == Status::kLinearizable || status == Status::kViolation) answer_ = status;
    return status;
  }

  /// After kLinearizable: the operations in the order of their effects. Else the longest legal prefix found so far.
  [[nodiscard]] virtual std::vector<std::int32_t> order() const = 0;

  [[nodiscard]] std::uint64_t configurations() const { return configurations_; }

 protected:
  /// Continues until there is an answer, the token is stopped, or `most` configurations have been looked at.
  virtual Status walk(std::uint64_t most) = 0;
  /// How many operations that must take effect the search has placed at best.
  [[nodiscard]] virtual std::uint64_t placed() const = 0;

  /// Whether to stop. Looks at the clock and reports only every `interval` times.
  bool interrupted(std::uint64_t interval) {
    if (++polls_ % interval != 0) return stop_.stopped();
    report();
    return stop_.poll();
  }

  void report() {
    stop_.count(configurations_ - reported_);
    reported_ = configurations_;
    stop_.reach(placed());
  }

  StopToken& stop_;
  std::uint64_t configurations_ = 0;

 private:
  std::uint64_t polls_ = 0;
  std::uint64_t reported_ = 0;
  Status answer_ = Status::kPaused;
};

/// Wing and Gong (1993): tries every order, with undo. Exponential where it has bad luck, but keeps no table.
std::unique_ptr<Search> wing_gong(const Problem& problem, std::unique_ptr<specs::Steps> steps, StopToken& stop);

class SeenTable;

/// Configurations that depth-first searches of one problem have refuted, to be shared by all of them; unless `shared`,
/// for one short search.
std::shared_ptr<SeenTable> seen_table(const Problem& problem, StopToken& stop, bool shared = true);

/// Which of the operations that can come next is tried first.
enum class Order : std::uint8_t {
  kFirstCalled,
  kLastCalled,     // sends a second search another way
  kFirstReturned,  // just in time: others than the one that is due only where that fails
};

/// Lowe's DFS: the same walk, but no configuration (linearized operations, state) is refuted twice.
/// Keys hold the open window only, so memory grows with configurations times concurrency, not with the history.
/// Searches that share a table share the work; the first to come to its end has the answer. To be shared only
/// where no operation is optional. By the first return it is a depth-first Linear.
std::unique_ptr<Search> depth_first(const Problem& problem, std::unique_ptr<specs::Steps> steps, StopToken& stop,
                                    std::shared_ptr<SeenTable> seen, Order order);

/// Lowe's Linear: walks the history once and keeps every configuration that is possible so far; an operation takes
/// effect just in time, when its own or another's return demands it.
std::unique_ptr<Search> linear(const Problem& problem, std::unique_ptr<specs::Steps> steps, StopToken& stop);

}  // namespace linpoint::search
