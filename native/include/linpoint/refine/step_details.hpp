// SPDX-License-Identifier: Apache-2.0
// The effects of one step of a run, access by access, for explanations.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "linpoint/refine/state_search.hpp"

namespace linpoint::refine {

enum class StepEventKind : std::uint8_t {
  kCall = 0,      // `number` is the invocation
  kAccess = 1,    // `before` and `after` are the contents of the address, `result` the outcome
  kUnseen = 2,    // the same, but no other process can observe it
  kDrain = 3,     // a buffered store reaches memory
  kChoose = 4,    // `result`
  kAllocate = 5,  // `result` is the node
  kPoint = 6,
  kReturn = 7,   // `result`; `number` is the set allowed before it
  kRefusal = 8,  // the specification allows none of it
  kFault = 9,    // `number` is the fault
  kWait = 10,    // the access would have to wait
};

struct Event {
  StepEventKind kind = StepEventKind::kAccess;
  std::uint32_t process = 0;
  std::uint32_t instruction = 0;
  std::uint32_t number = 0;
  std::uint32_t address = 0;
  std::vector<Slot> before;
  std::vector<Slot> after;
  std::vector<Slot> result;
};

/// One successor of a state, and the details of its step.
struct Step {
  std::uint32_t process = 0;
  std::uint32_t successor = 0;
  bool wrong = false;
  std::vector<Event> events;
  /// Set if `wrong` is false.
  std::vector<Slot> state;
};

/// The initial state, as left by `setup`; empty if it cannot be made.
std::vector<Slot> first_state(const Program& program, SpecSets* sets);

/// All successors without normalisation: nodes are not renumbered, processes not swapped.
std::vector<Step> steps_of(const Program& program, SpecSets* sets, const std::vector<Slot>& state);

}  // namespace linpoint::refine
