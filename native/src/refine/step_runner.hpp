// SPDX-License-Identifier: Apache-2.0
// Runs steps of a program: all successors of a state by one process.
//
// A step is one access that others can observe, followed by everything that its process does unobserved up to its next
// such access. With `fused`, a call happens with the first access of its operation, and a return with the last. Such a
// run has more real-time precedence, so if all fused runs can be linearized, all others can. A process with buffered
// stores has one more step: memory takes the oldest of them.
//
// A `Sink` is notified of each event:
//   Slot called(Slot spec, unsigned process, unsigned invocation)      each returns the set that is allowed then,
//   Slot linearized(Slot spec, unsigned process)                       or kRefused; `refused` follows
//   Slot returned(Slot spec, unsigned process, const Slot* values, unsigned count)
//   void refused(unsigned process, unsigned instruction)
//   void faulted(Fault, unsigned process, unsigned instruction)
//   void reached(Slot* state, unsigned process)                        a successor, which it may modify
//   static constexpr bool kRecordsEvents                               if so, it has also the members of `Teller`
// Cost: O(slots) for each successor. Not thread-safe: one runner per thread.
#pragma once

#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "refine/instruction_semantics.hpp"
#include "refine/model_heap.hpp"
#include "refine/shared_accesses.hpp"

namespace linpoint::refine {

constexpr Slot kRefused = 0xffffffffU;

template <class Sink>
class Runner {
 public:
  Runner(const Program& program, Sink& sink)
      : p_(program), memory_(program), meaning_(program), accesses_(program, sink), sink_(sink) {}

  /// All successors of `from` by steps of `process` and of its buffer.
  void step(const Slot* from, unsigned process) {
    depth_ = 0;
    went_back_ = false;
    pruned_ = false;
    blocked_ = false;
    blocked_call_ = -1;
    const Slot stop = p_.block(from, process)[0];
    if (memory_.waiting(from, process) != 0) drain(from, process);
    if (stop == 0) {
      call_all(from, process);
      return;
    }
    const Pool pool(*this);
    Slot* s = copy(from);
    Frame frame;
    const unsigned at = p_.stops[stop];
    load_registers(p_.block(s, process), p_.code[at], frame);
    resume(s, process, frame, at);
  }

  /// Runs a single process from `entry` on, before there are others: all in one step.
  void run_alone(const Slot* from, unsigned entry) {
    depth_ = 0;
    alone_ = true;
    const Pool pool(*this);
    Slot* s = copy(from);
    Frame frame;
    run(s, 0, frame, entry, false);
    alone_ = false;
  }

  // For the last step: whether a loop began again in it, whether a run was pruned by an assumption, whether it had to
  // wait, and the last call that could not begin because it would have had to wait.
  [[nodiscard]] bool went_back() const { return went_back_; }
  [[nodiscard]] bool was_pruned() const { return pruned_; }
  [[nodiscard]] bool was_blocked() const { return blocked_; }
  [[nodiscard]] int blocked_call() const { return blocked_call_; }

 private:
  /// Copies of states that are made while a step branches; released in reverse order.
  struct Pool {
    explicit Pool(Runner& owner) : runner(owner) {
      ++runner.depth_;
      if constexpr (Sink::kRecordsEvents) recorded = runner.sink_.event_count();
    }
    ~Pool() {
      --runner.depth_;
      if constexpr (Sink::kRecordsEvents) runner.sink_.forget_after(recorded);
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    Runner& runner;
    std::size_t recorded = 0;
  };

  /// States are short, and a library call is expensive. Copies in the pieces in which states are unpacked and packed,
  /// from the second slot on: a processor stalls when it reads parts of two pieces that it has just written.
  static void copy_slots(const Slot* from, Slot* to, std::uint32_t count) {
    to[0] = from[0];
    std::uint32_t i = 1;
    for (; i + 8 <= count; i += 8) std::memcpy(to + i, from + i, 8 * sizeof(Slot));
    if (i + 4 <= count) std::memcpy(to + i, from + i, 4 * sizeof(Slot));
    if (count > 4) std::memcpy(to + count - 4, from + count - 4, 4 * sizeof(Slot));
    if (count <= 4)
      for (; i < count; ++i) to[i] = from[i];
  }

  Slot* copy(const Slot* from) {
    while (copies_.size() < depth_) copies_.push_back(std::make_unique<Slot[]>(p_.slots + kSlack));
    Slot* made = copies_[depth_ - 1].get();
    copy_slots(from, made, p_.slots);
    return made;
  }

  void drain(const Slot* from, unsigned process) {
    const Pool pool(*this);
    Slot* s = copy(from);
    const std::uint32_t address = memory_.entry(s, process, 0)[0];
    if constexpr (Sink::kRecordsEvents) sink_.drains(s, process, address, memory_.width_at(address));
    memory_.drain(s, process);
    if constexpr (Sink::kRecordsEvents) sink_.touched(s, address, nullptr);
    sink_.reached(s, process);
  }

  void call_all(const Slot* from, unsigned process) {
    const Slot* block = p_.block(from, process);
    if (p_.calls_slot != 0 && block[p_.calls_slot] >= p_.operations) return;
    for (unsigned number = 0; number < p_.invocations.size(); ++number) {
      const Invocation& invocation = p_.invocations[number];
      const Group& group = p_.groups[invocation.group];
      if (process - group.first >= group.count) continue;
      if (invocation.needs != 0 && block[invocation.needs] == 0) continue;
      const Pool pool(*this);
      Slot* s = copy(from);
      Slot* own = p_.block(s, process);
      if (p_.calls_slot != 0) ++own[p_.calls_slot];
      if (invocation.needs != 0) --own[invocation.needs];
      Frame frame;
      for (std::size_t i = 0; i < invocation.arguments.size(); ++i) frame.r[i] = invocation.arguments[i];
      s[0] = sink_.called(s[0], process, number);
      if (s[0] == kRefused) {
        sink_.refused(process, invocation.entry);
        continue;
      }
      if constexpr (Sink::kRecordsEvents) sink_.calls(process, number);
      calling_ = number;
      run(s, process, frame, invocation.entry, p_.fused);
    }
  }

  void load_registers(const Slot* block, const Instruction& at, Frame& frame) const {
    const Slot* from = block + p_.registers_slot;
    for (std::uint64_t left = at.live; left != 0; left &= left - 1)
      frame.r[static_cast<unsigned>(std::countr_zero(left))] = *from++;
  }

  /// Sets the instruction of the process to `at`.
  void stand(Slot* s, unsigned process, const Frame& frame, unsigned at) const {
    Slot* block = p_.block(s, process);
    const Instruction& instruction = p_.code[at];
    block[0] = instruction.stop;
    std::uint32_t slot = p_.registers_slot;
    for (std::uint64_t left = instruction.live; left != 0; left &= left - 1)
      block[slot++] = frame.r[static_cast<unsigned>(std::countr_zero(left))];
    while (slot < p_.registers_slot + p_.registers) block[slot++] = 0;
  }

  /// Continues from the instruction of the process.
  void resume(Slot* s, unsigned process, Frame& frame, unsigned at) {
    const Instruction& instruction = p_.code[at];
    if (instruction.code == Code::kReturn) {
      finish(s, process, frame, at);
      return;
    }
    const Done done = accesses_.perform(s, process, frame, at, false);
    blocked_ = done == Done::kBlocked;
    if (done == Done::kYes) run(s, process, frame, at + 1, false);
  }

  /// Runs unobservable instructions up to an access that others can observe; with `first`, through one such access.
  // NOLINTNEXTLINE(readability-function-cognitive-complexity): one case for each instruction
  void run(Slot* s, unsigned process, Frame& f, unsigned at, bool first) {
    for (unsigned fuel = 0; fuel < kFuel; ++fuel) {
      const Instruction& i = p_.code[at];
      switch (i.code) {
        case Code::kConstant:
          f.r[i.a] = i.value;
          break;
        case Code::kMove:
          f.r[i.a] = f.r[i.b];
          break;
        case Code::kAdd:
        case Code::kSubtract:
        case Code::kMultiply:
        case Code::kDivide:
        case Code::kModulo:
          if (const Fault wrong = meaning_.compute(f, i); wrong != Fault::kNothing) return fault(wrong, process, at);
          break;
        case Code::kEqual:
          f.r[i.a] = Meaning::truth(memory_.equal(f.r[i.b], f.r[i.c]));
          break;
        case Code::kDifferent:
          f.r[i.a] = Meaning::truth(!memory_.equal(f.r[i.b], f.r[i.c]));
          break;
        case Code::kLess:
        case Code::kAtMost:
          if (f.r[i.b] < p_.first_integer || f.r[i.c] < p_.first_integer) return fault(Fault::kNotInteger, process, at);
          f.r[i.a] = Meaning::truth(i.code == Code::kLess ? f.r[i.b] < f.r[i.c] : f.r[i.b] <= f.r[i.c]);
          break;
        case Code::kNot:
          f.r[i.a] = Meaning::truth(!meaning_.is_true(f.r[i.b]));
          break;
        case Code::kIsNode: {
          const Slot value = memory_.strip(f.r[i.b]);
          const NodeClass& c = p_.classes[i.c];
          f.r[i.a] = Meaning::truth(value - p_.first_node - c.first < c.capacity && p_.is_node(value));
          break;
        }
        case Code::kJump:
          at = jump(at);
          continue;
        case Code::kJumpIf:
          if (!meaning_.is_true(f.r[i.a])) break;
          at = jump(at);
          continue;
        case Code::kJumpUnless:
          if (meaning_.is_true(f.r[i.a])) break;
          at = jump(at);
          continue;
        case Code::kChoose:
          return choose(s, process, f, at, first);
        case Code::kAssume:
          if (!meaning_.is_true(f.r[i.a])) {
            pruned_ = true;
            return;
          }
          break;
        case Code::kAssert:
          if (!meaning_.is_true(f.r[i.a])) return fault(Fault::kAssertion, process, at);
          break;
        case Code::kPoint:
          if (p_.points && !alone_) {
            if constexpr (Sink::kRecordsEvents) sink_.points(process, at);
            s[0] = sink_.linearized(s[0], process);
            if (s[0] == kRefused) return sink_.refused(process, at);
          }
          break;
        case Code::kAllocate:
          if (p_.heap != Heap::kCollected) return allocate_any(s, process, f, at, first);
          if (!allocate_next(s, process, f, at)) return;
          break;
        case Code::kReturn:
          if (alone_) return sink_.reached(s, process);
          // An operation without an observable access is a step of its own, whatever comes first in it.
          if (p_.fused) return finish(s, process, f, at);
          stand(s, process, f, at);
          return sink_.reached(s, process);
        case Code::kFence:
          if (!p_.store_buffers) break;
          [[fallthrough]];
        default: {
          const bool unseen = alone_ || meaning_.is_local(s, f, i);
          if (unseen || first) {
            const Done done = accesses_.perform(s, process, f, at, unseen);
            if (done == Done::kFault) return;
            if (done == Done::kYes) {
              first = first && unseen;
              break;
            }
            if (first) {  // a call that cannot continue has not happened yet
              blocked_call_ = static_cast<int>(calling_);
              return;
            }
          }
          stand(s, process, f, at);
          return sink_.reached(s, process);
        }
      }
      ++at;
    }
    fault(Fault::kEndless, process, at);
  }

  void finish(Slot* s, unsigned process, const Frame& f, unsigned at) {
    const Instruction& i = p_.code[at];
    for (unsigned k = 0; k < i.c; ++k)
      if (p_.is_node(memory_.strip(f.r[i.a + k]))) return fault(Fault::kReturnsNode, process, at);
    if constexpr (Sink::kRecordsEvents) sink_.returns(process, at, f.r.data() + i.a, i.c, s[0]);
    s[0] = sink_.returned(s[0], process, f.r.data() + i.a, i.c);
    if (s[0] == kRefused) return sink_.refused(process, at);
    if constexpr (requires { sink_.finished(at); }) sink_.finished(at);
    Slot* block = p_.block(s, process);
    block[0] = 0;
    if (p_.link_slot != 0) block[p_.link_slot] = 0;
    const std::uint32_t gives = p_.gives[at];
    if (gives != 0) ++block[gives];
    for (std::uint32_t r = 0; r < p_.registers; ++r) block[p_.registers_slot + r] = 0;
    if (p_.heap != Heap::kCollected) memory_.free_retired(s, process);
    sink_.reached(s, process);
  }

  unsigned jump(unsigned at) {
    const auto target = static_cast<unsigned>(p_.code[at].target);
    went_back_ = went_back_ || target <= at;
    return target;
  }

  void choose(const Slot* s, unsigned process, const Frame& f, unsigned at, bool first) {
    const Instruction& i = p_.code[at];
    for (unsigned k = 0; k < i.choices; ++k) {
      const Pool pool(*this);
      Slot* branch = copy(s);
      Frame frame = f;
      frame.r[i.a] = p_.choices[i.first_choice + k];
      if constexpr (Sink::kRecordsEvents) sink_.chooses(process, at, frame.r[i.a]);
      run(branch, process, frame, at + 1, first);
    }
  }

  // Nodes.

  bool allocate_next(Slot* s, unsigned process, Frame& f, unsigned at) {
    const Instruction& i = p_.code[at];
    const NodeClass& c = p_.classes[i.c];
    if (s[c.used] == c.capacity) {
      fault(Fault::kRoomForNodes, process, at);
      return false;
    }
    const std::uint32_t node = c.first + s[c.used]++;
    memory_.set_private(s, node);
    meaning_.fill(s, node, f, i);
    f.r[i.a] = p_.first_node + node;
    if constexpr (Sink::kRecordsEvents) sink_.allocates(process, at, f.r[i.a]);
    return true;
  }

  /// With reused memory, any free node that a pointer still refers to may be allocated, or one unknown to all
  /// processes.
  void allocate_any(const Slot* s, unsigned process, const Frame& f, unsigned at, bool first) {
    const Instruction& i = p_.code[at];
    const NodeClass& c = p_.classes[i.c];
    bool any = false;
    bool fresh = false;
    for (std::uint32_t node = c.first; node < c.first + c.capacity; ++node) {
      if (s[p_.owner_base + node] != 0) continue;
      const bool referenced = memory_.is_referenced(s, node) || meaning_.held(f, i, node);
      if (!referenced && fresh) continue;
      fresh = fresh || !referenced;
      any = true;
      const Pool pool(*this);
      Slot* branch = copy(s);
      Frame frame = f;
      branch[p_.owner_base + node] = 2 + process;
      if (!referenced) memory_.set_private(branch, node);
      meaning_.fill(branch, node, frame, i);
      frame.r[i.a] = p_.first_node + node;
      if constexpr (Sink::kRecordsEvents) sink_.allocates(process, at, frame.r[i.a]);
      run(branch, process, frame, at + 1, first);
    }
    if (!any || !fresh) fault(Fault::kRoomForNodes, process, at);
  }

  void fault(Fault found, unsigned process, unsigned at) { sink_.faulted(found, process, at); }

  static constexpr unsigned kFuel = 1U << 16U;

  const Program& p_;
  Memory memory_;
  Meaning meaning_;
  Accesses<Sink> accesses_;
  Sink& sink_;
  std::vector<std::unique_ptr<Slot[]>> copies_;
  std::size_t depth_ = 0;
  bool alone_ = false;
  bool went_back_ = false;
  bool pruned_ = false;
  bool blocked_ = false;
  int blocked_call_ = -1;
  unsigned calling_ = 0;
};

}  // namespace linpoint::refine
