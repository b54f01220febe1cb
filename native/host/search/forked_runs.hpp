// SPDX-License-Identifier: Apache-2.0
// A separate process for each run, for programs that change state that is not restored: `--isolate fork`.
//
// The search stays in the first process; a run asks it over a socket for each choice. That is a hundred times slower
// than restoring memory, but all effects of a program on its process end with the process.
#pragma once

#include <memory>
#include <string>

#include "host/search/search_messages.hpp"
#include "linpoint/explore/explorer.hpp"

namespace linpoint::runtime {

/// The result of a run in another process.
struct IsolatedRun {
  RunEnd end = RunEnd::kComplete;
  std::string printed;
  bool said = false;  ///< that process has sent the result, of a finding or a refusal
  bool lost = false;  ///< that process has ended unexpectedly
};

/// One run of the program; the explorer has begun it. `result` is what the process sends if there is a finding.
[[nodiscard]] IsolatedRun run_isolated(explore::Explorer& explorer, int (*program)(int, char**, char**),
                                       const SearchResult& result);

}  // namespace linpoint::runtime
