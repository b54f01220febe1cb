// SPDX-License-Identifier: Apache-2.0
// The operations of one object as searches over frontiers take them.
#pragma once

#include <span>

#include "frontiers/frontier_searches.hpp"

namespace linpoint::frontiers {

/// The operations of a problem, or what excludes them.
struct Reading {
  Recording recording;
  Exclusion exclusion = Exclusion::kNone;
};

/// `content` is what the object holds at first, as for `NativeMachine::state`.
Reading read(const histories::Columns& columns, const search::Problem& problem, const specs::Blueprint& blueprint,
             std::span<const std::int64_t> content);

}  // namespace linpoint::frontiers
