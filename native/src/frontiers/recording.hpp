// SPDX-License-Identifier: Apache-2.0
// The operations of one object in the form that searches over frontiers take.
#pragma once

#include <span>

#include "frontiers/frontier_searches.hpp"

namespace linpoint::frontiers {

/// The operations of a problem, or why they are excluded.
struct Reading {
  Recording recording;
  Exclusion exclusion = Exclusion::kNone;
};

/// `content` is the initial content of the object, as for `NativeMachine::state`.
Reading read(const histories::Columns& columns, const search::Problem& problem, const specs::Blueprint& blueprint,
             std::span<const std::int64_t> content);

}  // namespace linpoint::frontiers
