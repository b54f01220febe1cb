// SPDX-License-Identifier: Apache-2.0
// Which processes can run next, and which one does by default.
#pragma once

#include "explore/process_set.hpp"
#include "linpoint/explore/explorer.hpp"

namespace linpoint::explore {

inline bool can_go(const View& view, Process process) {
  return process < view.processes.size() && view.processes[process].alive && view.processes[process].enabled;
}

inline void collect_enabled(const View& view, ProcessSet& enabled) {
  enabled.clear();
  for (Process process = 0; process < view.processes.size(); ++process)
    if (can_go(view, process)) enabled.insert(process);
}

/// The enabled processes that can make progress: without those that would only repeat a loop, unless no other is
/// enabled.
inline void collect_useful(const View& view, ProcessSet& useful) {
  useful.clear();
  bool any = false;
  for (Process process = 0; process < view.processes.size(); ++process) {
    if (!can_go(view, process) || view.processes[process].futile) continue;
    useful.insert(process);
    any = true;
  }
  if (!any) collect_enabled(view, useful);
}

/// The default among the processes that `allowed` accepts; kNobody if none of them is enabled.
template <typename Allowed>
Process default_among(const View& view, const Allowed& allowed) {
  const auto goes_gladly = [&](Process process) {
    return can_go(view, process) && !view.processes[process].yields && allowed(process);
  };
  if (goes_gladly(view.running)) return view.running;
  const auto count = static_cast<Process>(view.processes.size());
  for (Process process = 0; process < count; ++process)
    if (goes_gladly(process)) return process;
  const Process after = view.running < count ? view.running + 1 : 0;
  for (Process turn = 0; turn < count; ++turn) {
    const Process process = (after + turn) % count;
    if (can_go(view, process) && allowed(process)) return process;
  }
  return kNobody;
}

}  // namespace linpoint::explore
