// SPDX-License-Identifier: Apache-2.0
#include "linpoint/refine/model_as_spec.hpp"

#include <algorithm>
#include <utility>

#include "linpoint/refine/step_details.hpp"
#include "refine/canonical_state.hpp"
#include "refine/step_runner.hpp"

namespace linpoint::refine {

/// Runs steps of the specification: only the requested call, and only returns that agree with a result.
class ModelSystem::Stepper {
 public:
  static constexpr bool kRecordsEvents = false;

  Stepper(const Program& program, const Same& same)
      : same_(same), canonical_(program, nullptr), runner_(program, *this) {}

  void step(const std::uint32_t* from, unsigned process, Configurations& out) {
    out_ = &out;
    runner_.step(from, process);
  }
  void step_with_call(const std::uint32_t* from, unsigned process, unsigned invocation, Configurations& out) {
    wanted_ = invocation;
    step(from, process, out);
  }
  void step_with_result(const std::uint32_t* from, unsigned process, const std::vector<Slot>& values,
                        Configurations& out) {
    values_ = &values;
    step(from, process, out);
    values_ = nullptr;
  }
  Configuration settled(Configuration state) {
    canonical_.apply(state.data(), 0);
    return state;
  }

  [[nodiscard]] Slot called(Slot set, unsigned /*process*/, unsigned invocation) const {
    return invocation == wanted_ ? set : kRefused;
  }
  static Slot linearized(Slot set, unsigned /*process*/) { return set; }
  Slot returned(Slot set, unsigned /*process*/, const Slot* values, unsigned count) {
    return values_ != nullptr && same_(*values_, std::vector<Slot>(values, values + count)) ? set : kRefused;
  }
  void refused(unsigned /*process*/, unsigned /*instruction*/) {}
  void faulted(Fault found, unsigned /*process*/, unsigned instruction) {
    if (fault == 0) {
      fault = static_cast<unsigned>(found);
      at = instruction;
    }
  }
  void reached(Slot* state, unsigned process) {
    canonical_.apply(state, process);
    out_->add(state);
  }

  unsigned fault = 0;
  unsigned at = 0;

 private:
  const Same& same_;
  Canonical canonical_;
  Runner<Stepper> runner_;
  Configurations* out_ = nullptr;
  const std::vector<Slot>* values_ = nullptr;
  unsigned wanted_ = 0;
};

ModelSystem::ModelSystem(const Program& program, std::vector<unsigned> invocations, Same same)
    : program_(program),
      invocations_(std::move(invocations)),
      same_(std::move(same)),
      stepper_(std::make_unique<Stepper>(program, same_)) {}
ModelSystem::~ModelSystem() = default;

Configuration ModelSystem::initial() { return stepper_->settled(first_state(program_, nullptr)); }

void ModelSystem::call(const std::uint32_t* from, unsigned process, unsigned invocation, Configurations& out) {
  stepper_->step_with_call(from, process, invocations_[invocation], out);
}

void ModelSystem::unseen(const std::uint32_t* from, Configurations& out) {
  for (unsigned process = 0; process < program_.processes; ++process)
    if (program_.block(from, process)[0] != 0 && !is_done(from, process)) stepper_->step(from, process, out);
}

void ModelSystem::linearize(const std::uint32_t* /*from*/, unsigned /*process*/, Configurations& /*out*/) {}

void ModelSystem::give_back(const std::uint32_t* from, unsigned process, unsigned /*result*/,
                            const std::vector<Slot>& values, Configurations& out) {
  if (is_done(from, process)) stepper_->step_with_result(from, process, values, out);
}

bool ModelSystem::is_done(const std::uint32_t* from, unsigned process) {
  const Slot stop = program_.block(from, process)[0];
  return stop != 0 && program_.code[program_.stops[stop]].code == Code::kReturn;
}

void ModelSystem::swap(const std::uint32_t* from, unsigned first, Configurations& out) {
  Configuration to(from, from + program_.slots);
  std::swap_ranges(program_.block(to.data(), first), program_.block(to.data(), first + 1),
                   program_.block(to.data(), first + 1));
  out.add(stepper_->settled(std::move(to)).data());
}

unsigned ModelSystem::fault() const { return stepper_->fault; }
unsigned ModelSystem::faulty_instruction() const { return stepper_->at; }

}  // namespace linpoint::refine
