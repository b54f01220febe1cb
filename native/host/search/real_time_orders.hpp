// SPDX-License-Identifier: Apache-2.0
// The histories of a test: results of its operations, and their order in real time.
//
// A run represents all runs that differ from it only in the order of independent steps. These may have other real-time
// orders: an operation comes before another one if its last event comes before the first event of the other. All orders
// of the represented runs are found, and each is reported once with its results.
//
// Cost: a table lookup for runs whose events are ordered as in an earlier run; else exponential in the unordered
// operations, visiting each pair of a state and its known order once.
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

/// Writes the results of all operations, each in a list that is empty if the operation has not returned.
void put_results(Json& json, const OperationLog& run);

/// Calls and returns in a possible order: twice the number of an operation, plus one for its return.
using EventOrder = std::vector<std::uint32_t>;

class Histories {
 public:
  /// Adds the last run of the explorer. New histories are reported immediately. `stuck` is empty, or the kind of
  /// finding if no thread could continue.
  void add(const OperationLog& run, const explore::Explorer& explorer, std::string_view stuck);

 private:
  /// An event that is the first or last one of operations, in the order of its thread.
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

  std::unordered_set<std::string> related_;  ///< results and the order of events
  std::unordered_set<std::string> ordered_;  ///< results and orders in real time

  std::vector<std::vector<Point>> threads_;
  std::string relation_;  ///< for each pair of points of different threads: whether one comes before the other
};

}  // namespace linpoint::runtime
