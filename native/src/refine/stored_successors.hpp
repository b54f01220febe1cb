// SPDX-License-Identifier: Apache-2.0
// The steps between states that a search has stored.
//
// For analyses after the search, which follow its steps again: progress properties and shortest runs. `Visitor` derives
// from this class and is what a `Runner` calls; its `reached` asks `find` for the state a step led to. Memory: one
// state.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "refine/canonical_state.hpp"
#include "refine/packed_state.hpp"
#include "refine/state_store.hpp"
#include "refine/step_runner.hpp"

namespace linpoint::refine {

template <typename Visitor>
class StoredSuccessors {
 public:
  static constexpr bool kRecordsEvents = false;

  void refused(unsigned /*process*/, unsigned /*instruction*/) {}
  void faulted(Fault /*fault*/, unsigned /*process*/, unsigned /*instruction*/) {}

 protected:
  StoredSuccessors(const Program& program, SpecSets* sets, const StateStore& store)
      : program_(program),
        store_(store),
        packing_(program),
        canonical_(program, sets),
        runner_(program, static_cast<Visitor&>(*this)),
        state_(program.slots + kSlack),
        row_(packing_.bytes() + kSlack) {}

  /// Run one step of every process from a stored state.
  void step_from(StateStore::Number from) {
    packing_.unpack(store_.row(from), state_.data());
    for (unsigned process = 0; process < program_.processes; ++process) {
      drains_ = program_.store_buffers && program_.block(state_.data(), process)[program_.buffer_slot] != 0;
      runner_.step(state_.data(), process);
    }
  }

  /// The number of a state that a step of `process` led to, or `StateStore::kNowhere`; puts it in canonical form.
  StateStore::Number find(Slot* state, unsigned process) {
    canonical_.apply(state, process);
    if (!packing_.pack(state, row_.data())) return StateStore::kNowhere;
    return store_.find(row_.data(), hash_row(row_.data(), packing_.bytes()));
  }

  /// Whether the step drains a store buffer, which is the first that a process with a full one reaches.
  bool take_drains() { return std::exchange(drains_, false); }

  const Program& program_;
  const StateStore& store_;
  Packing packing_;
  Canonical canonical_;

 private:
  Runner<Visitor> runner_;
  std::vector<Slot> state_;
  std::vector<std::uint8_t> row_;
  bool drains_ = false;
};

}  // namespace linpoint::refine
