// SPDX-License-Identifier: Apache-2.0
// The limit that has been announced to the whole process; it ends all searches. Thread-safe. Only a process guard sets
// it, so programs that use the library never see one.
#pragma once

#include <atomic>

#include "linpoint/limits/limit_watch.hpp"

namespace linpoint::limits {

inline std::atomic<Limit> process_stop{Limit::kNone};

}  // namespace linpoint::limits
