// SPDX-License-Identifier: Apache-2.0
#include "linpoint/refine/step_details.hpp"

#include "refine/canonical_state.hpp"
#include "refine/spec_query.hpp"
#include "refine/step_runner.hpp"

namespace linpoint::refine {

namespace {

class Teller : public Asking {
 public:
  static constexpr bool kRecordsEvents = true;

  Teller(const Program& program, SpecSets* sets) : Asking(sets), program_(program), runner_(program, *this) {}

  std::vector<Step> steps(const Slot* state) {
    for (unsigned process = 0; process < program_.processes; ++process) {
      count_ = 0;
      events_.clear();
      runner_.step(state, process);
    }
    return std::move(steps_);
  }
  std::vector<Step> alone(const Slot* state, unsigned entry) {
    runner_.run_alone(state, entry);
    return std::move(steps_);
  }

  void refused(unsigned process, unsigned instruction) { end(StepEventKind::kRefusal, process, instruction, 0); }
  void faulted(Fault fault, unsigned process, unsigned instruction) {
    end(StepEventKind::kFault, process, instruction, static_cast<std::uint32_t>(fault));
  }
  void reached(const Slot* state, unsigned process) {
    Step step;
    step.process = process;
    step.successor = count_++;
    step.events = events_;
    step.state.assign(state, state + program_.slots);
    steps_.push_back(std::move(step));
  }

  [[nodiscard]] std::size_t event_count() const { return events_.size(); }
  void forget_after(std::size_t count) { events_.resize(count); }
  void calls(unsigned process, unsigned invocation) {
    add(StepEventKind::kCall, process, program_.invocations[invocation].entry).number = invocation;
  }
  void touches(const Slot* s, unsigned process, unsigned at, std::uint32_t address, std::uint32_t width, bool unseen) {
    Event& event = add(unseen ? StepEventKind::kUnseen : StepEventKind::kAccess, process, at);
    event.address = address;
    event.before.assign(s + address, s + address + width);
  }
  void touched(const Slot* s, std::uint32_t address, const Slot* result) {
    Event& event = events_.back();
    event.after.assign(s + address, s + address + event.before.size());
    if (result == nullptr) return;
    const Code code = program_.code[event.instruction].code;
    const bool whole = code == Code::kLoad || code == Code::kLoadLinked || code == Code::kSwap || code == Code::kStore;
    event.result.assign(result, result + (whole ? event.before.size() : 1));
  }
  void waits() { events_.back().kind = StepEventKind::kWait; }
  void drains(const Slot* s, unsigned process, std::uint32_t address, std::uint32_t width) {
    Event& event = add(StepEventKind::kDrain, process, 0);
    event.address = address;
    event.before.assign(s + address, s + address + width);
  }
  void chooses(unsigned process, unsigned at, Slot value) { add(StepEventKind::kChoose, process, at).result = {value}; }
  void allocates(unsigned process, unsigned at, Slot node) {
    add(StepEventKind::kAllocate, process, at).result = {node};
  }
  void points(unsigned process, unsigned at) { add(StepEventKind::kPoint, process, at); }
  void returns(unsigned process, unsigned at, const Slot* values, unsigned count, Slot set) {
    Event& event = add(StepEventKind::kReturn, process, at);
    event.result.assign(values, values + count);
    event.number = set;
  }

 private:
  Event& add(StepEventKind kind, unsigned process, unsigned at) {
    Event event;
    event.kind = kind;
    event.process = process;
    event.instruction = at;
    events_.push_back(std::move(event));
    return events_.back();
  }
  void end(StepEventKind kind, unsigned process, unsigned instruction, std::uint32_t number) {
    add(kind, process, instruction).number = number;
    Step step;
    step.process = process;
    step.wrong = true;
    step.events = events_;
    steps_.push_back(std::move(step));
    events_.pop_back();
  }

  const Program& program_;
  Runner<Teller> runner_;
  std::vector<Event> events_;
  std::vector<Step> steps_;
  std::uint32_t count_ = 0;
};

}  // namespace

std::vector<Slot> first_state(const Program& program, SpecSets* sets) {
  std::vector<Slot> state = program.initial;
  state[0] = sets == nullptr ? 0 : sets->initial();
  if (program.setup < 0) return state;
  std::vector<Step> steps = Teller(program, sets).alone(state.data(), static_cast<unsigned>(program.setup));
  for (Step& step : steps)
    if (!step.wrong) return std::move(step.state);
  return {};
}

std::vector<Step> steps_of(const Program& program, SpecSets* sets, const std::vector<Slot>& state) {
  std::vector<Step> steps = Teller(program, sets).steps(state.data());
  // Where memory is reused, the process that may free a node is part of the state.
  if (program.heap == Heap::kCollected) return steps;
  Canonical canonical(program, sets);
  for (Step& step : steps)
    if (!step.wrong) canonical.settle(step.state.data(), step.process);
  return steps;
}

}  // namespace linpoint::refine
