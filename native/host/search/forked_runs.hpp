// SPDX-License-Identifier: Apache-2.0
// A process of its own for each run, for programs that change what is not restored: `--isolate fork`.
//
// The search stays in the first process; a run asks it over a socket who goes next. That is a hundred times slower than
// to restore memory, but whatever a program does to its process ends with it.
#pragma once

#include <memory>
#include <string>

#include "host/search/search_messages.hpp"
#include "linpoint/explore/explorer.hpp"

namespace linpoint::runtime {

/// What there is to know of a run in another process.
struct IsolatedRun {
  RunEnd end = RunEnd::kComplete;
  std::string printed;
  bool said = false;  ///< that process has said the result, of a finding or a refusal
  bool lost = false;  ///< that process has ended by itself
};

/// One run of the program; the explorer has begun it. `result` is what the process says if there is a finding.
[[nodiscard]] IsolatedRun run_isolated(explore::Explorer& explorer, int (*program)(int, char**, char**),
                                       const SearchResult& result);

}  // namespace linpoint::runtime
