// SPDX-License-Identifier: Apache-2.0
// All runs of a program that a search requests, and their result.
#pragma once

#include <string_view>

#include "host/search/real_time_orders.hpp"
#include "host/search/search_messages.hpp"
#include "linpoint/explore/explorer.hpp"

namespace linpoint::runtime {

using Main = int (*)(int, char**, char**);

/// The result of all runs so far; runs the program again.
class ProgramSearch {
 public:
  ProgramSearch(explore::Explorer& explorer, Main program);

  /// Runs the program until a finding, the end of the search, or the end of the time. False if the result was already
  /// sent.
  bool run();
  [[nodiscard]] const SearchResult& result() const { return result_; }

 private:
  bool run_here();
  bool run_in_another_process();
  void count(RunEnd end, std::string_view printed);
  void found(Fault fault, const char* message);
  void conclude();

  explore::Explorer& explorer_;
  Main program_;
  SearchResult result_;
  Histories histories_;
};

}  // namespace linpoint::runtime
