// SPDX-License-Identifier: Apache-2.0
// What happens in one step of a run, access by access, for people.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "linpoint/refine/state_search.hpp"

namespace linpoint::refine {

enum class StepEventKind : std::uint8_t {
  kCall = 0,      // `number` is the invocation
  kAccess = 1,    // `before` and `after` are what was at the address, `result` what came of it
  kUnseen = 2,    // the same, and nobody else can see it
  kDrain = 3,     // a store that waited reaches memory
  kChoose = 4,    // `result`
  kAllocate = 5,  // `result` is the node
  kPoint = 6,
  kReturn = 7,   // `result`, and `number` is what the specification allowed before it
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

/// One successor of a state, and how it came about.
struct Step {
  std::uint32_t process = 0;
  std::uint32_t successor = 0;
  bool wrong = false;
  std::vector<Event> events;
  /// Where `wrong` is false.
  std::vector<Slot> state;
};

/// The first state, what `setup` leaves behind; empty if it cannot be made.
std::vector<Slot> first_state(const Program& program, SpecSets* sets);

/// Everything that may happen next, as it is: no nodes renumbered, no process in another's place.
std::vector<Step> steps_of(const Program& program, SpecSets* sets, const std::vector<Slot>& state);

}  // namespace linpoint::refine
