// SPDX-License-Identifier: Apache-2.0
// The searches over frontiers by kind of object, and the operations that they get.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontiers/frontier.hpp"
#include "linpoint/frontiers/frontier_search.hpp"
#include "specs/native_operation.hpp"

namespace linpoint::frontiers {

/// The operations of one object. Those without a return may be left out; looks without a return are already removed.
struct Recording {
  std::vector<Operation> operations;
  /// For objects whose state is one value or count: the effects of the operations, indexed by their `value`.
  std::vector<specs::Instruction> instructions;
  std::vector<std::int64_t> content;  // of such an object, initially
  std::int32_t values = 0;            // for a priority queue: the number of distinct values; larger ones come out first
};

/// First in, first out.
std::unique_ptr<FrontierSearch> queue_search(Recording recording, StopToken& stop);
/// Last in, first out.
std::unique_ptr<FrontierSearch> stack_search(Recording recording, StopToken& stop);
/// The largest value comes out first.
std::unique_ptr<FrontierSearch> priority_queue_search(Recording recording, StopToken& stop);
/// Objects whose state is one value: registers, entries of maps, elements of sets, locks.
std::unique_ptr<FrontierSearch> value_search(Recording recording, const specs::Blueprint& blueprint, StopToken& stop);
/// Objects whose state is a number: counters, semaphores, elements of multisets.
std::unique_ptr<FrontierSearch> count_search(Recording recording, const specs::Blueprint& blueprint, StopToken& stop);

/// The search for an object of this kind.
std::unique_ptr<FrontierSearch> search_for(Recording recording, const specs::Blueprint& blueprint, StopToken& stop);

/// The prefix of the longest log so far. Logs are truncated and continue differently, so only what changed is copied.
class LongestLog {
 public:
  explicit LongestLog(StopToken& stop) : kept_(stop) {}
  /// `log` is now the longest. False if there is no memory.
  bool keep(const AccountedVector<std::int32_t>& log) {
    kept_.truncate(std::min(unchanged_, kept_.size()));
    if (!kept_.append({log.data() + kept_.size(), log.size() - kept_.size()})) return false;
    unchanged_ = log.size();
    return true;
  }
  /// The log was truncated to `size`.
  void taken_back(std::size_t size) { unchanged_ = std::min(unchanged_, size); }
  [[nodiscard]] std::span<const std::int32_t> operations() const { return {kept_.data(), kept_.size()}; }

 private:
  AccountedVector<std::int32_t> kept_;
  std::size_t unchanged_ = 0;
};

}  // namespace linpoint::frontiers
