// SPDX-License-Identifier: Apache-2.0
// The histories of a test: results of its operations, and which of them came before which in real time.
//
// A run stands for all that differ from it only in the order of independent steps, and those may have other orders in
// real time: an operation comes before another one if its last event does before the first one of the other. All orders
// that runs stand for are found, and each is said once with its results.
//
// Cost: a look into a table for runs whose events are ordered as in one before; else exponential in the operations that
// are not ordered, each pair of a state and what is known in it once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "host/core/operation_log.hpp"
#include "host/protocol/json.hpp"
#include "linpoint/explore/explorer.hpp"

namespace linpoint::runtime {

/// The results of all operations, each in a list that is empty if it has not come back.
void put_results(Json& json, const OperationLog& run);

/// Calls and returns in an order that can be: the number of an operation twice, plus one for its return.
using EventOrder = std::vector<std::uint32_t>;

class Histories {
 public:
  /// Takes in the last run of the explorer. What of it is new is said at once. `stuck` is empty, or the kind of finding
  /// if nobody could go on.
  void add(const OperationLog& run, const explore::Explorer& explorer, std::string_view stuck);

 private:
  /// An event that is the first or the last of operations, in the order of its thread.
  struct Point {
    std::uint32_t event = 0;
    std::uint32_t operation = 0;
    bool first = false;
    bool last = false;
  };

  using Counts = std::vector<std::uint32_t>;

  void collect(const OperationLog& run);
  [[nodiscard]] std::string shape() const;
  void relate(const OperationLog& run, const explore::Explorer& explorer);
  void find_orders(const std::string& results, std::vector<EventOrder>& found);
  struct Search;
  void search(Search& search);

  std::unordered_set<std::string> related_;  ///< results and how events are ordered
  std::unordered_set<std::string> ordered_;  ///< results and orders in real time

  std::vector<std::vector<Point>> threads_;
  std::string relation_;  ///< for each pair of points of different threads: whether the one comes before the other
};

}  // namespace linpoint::runtime
