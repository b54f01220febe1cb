// SPDX-License-Identifier: Apache-2.0
// Tiny concurrent programs to explore: threads of operations of instructions, each instruction one step.
//
// An operation is called with its first step and returns with its last one. What a program gives away is its *outcome*:
// what was read, which operations had returned before which were called, what is left in memory, or who waits for ever.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::tests {

enum class Kind : std::uint8_t {
  kRead,
  kWrite,
  kLoad,       ///< into the thread's own variable
  kStoreNext,  ///< one more than what is there
  kFetchAdd,
  kExchange,       ///< only reads if that is what is there
  kCompareAndSet,  ///< from one less; only reads if something else is there
  kSetAllIf,       ///< all variables, if this one has one less; else nothing else is looked at
  kSetBothIf,      ///< the first two variables, if both have one less; else both are read
  kReadThrough,    ///< this variable, and at once the one that it names, which is not known before
  kReadBoth,       ///< the first two variables
  kWriteAll,
  kAwait,    ///< waits until the variable has this value
  kSpin,     ///< looks at the variable again and again, but only when it was written, until it has this value
  kLock,     ///< or takes a permit of a semaphore
  kUnlock,   ///< whoever holds it: also a signal
  kTryLock,  ///< if that fails, the operation is over
  kLeaveIf,  ///< the operation is over if the variable has this value
  kStopIf,   ///< ends the whole run if the variable has this value
  kSpawn,
  kJoin,
};

struct Instruction {
  Kind kind = Kind::kRead;
  std::size_t target = 0;
  int value = 0;
  bool yields = false;
};
using Operation = std::vector<Instruction>;
using Thread = std::vector<Operation>;

inline constexpr std::size_t kThreads = 4;
inline constexpr std::size_t kOperations = 4;
inline constexpr std::size_t kPlaces = 3;

struct Script {
  std::vector<Thread> threads;
  std::array<int, kPlaces> permits{1, 1, 1};  ///< at the start
  std::array<bool, kPlaces> counts{};         ///< a semaphore: its permits are counted, a lock has one at most
  std::array<bool, kThreads> spawned{};       ///< comes into being by an instruction of another thread
  bool timed = true;                          ///< calls and returns count
  bool foreseen = true;                       ///< that a thread ends is known before its last step
};

/// A script between two steps.
class Machine {
 public:
  explicit Machine(const Script& script, std::uint64_t base = 0) : script_(&script), base_(base) {
    permits_ = script.permits;
    for (std::size_t each = 0; each < script.threads.size(); ++each) alive_[each] = !script.spawned[each];
  }

  [[nodiscard]] std::size_t threads() const { return script_->threads.size(); }
  [[nodiscard]] bool alive(std::size_t thread) const { return alive_[thread] && !ended_[thread]; }
  [[nodiscard]] bool yields(std::size_t thread) const { return alive(thread) && next(thread).yields; }
  [[nodiscard]] bool stopped() const { return stopped_ != kThreads; }

  [[nodiscard]] bool enabled(std::size_t thread) const {
    if (stopped() || !alive(thread)) return false;
    const Instruction& instruction = next(thread);
    if (instruction.kind == Kind::kLock) return permits_[instruction.target] > 0;
    if (instruction.kind == Kind::kAwait) return memory_[instruction.target] == instruction.value;
    if (instruction.kind == Kind::kSpin) return !parked_[thread];
    if (instruction.kind == Kind::kJoin) return ended_[instruction.target];
    return true;
  }

  /// Of the next step, what is known before it.
  [[nodiscard]] std::vector<explore::Access> pending(std::size_t thread) const {
    std::vector<explore::Access> accesses;
    accesses.reserve(4);
    if (!alive(thread)) return accesses;
    using enum explore::Mode;
    const Instruction& instruction = next(thread);
    if (script_->timed && at_[thread].instruction == 0) accesses.push_back({explore::kClock, explore::kClock, kCall});
    switch (instruction.kind) {
      case Kind::kRead:
      case Kind::kLoad:
      case Kind::kAwait:
      case Kind::kSpin:
      case Kind::kReadThrough:
      case Kind::kLeaveIf:
      case Kind::kStopIf:
        accesses.push_back(memory(instruction.target, kRead));
        break;
      case Kind::kReadBoth:
        accesses.push_back({base_, base_ + 16, kRead});
        break;
      case Kind::kWriteAll:
      case Kind::kSetAllIf:
        accesses.push_back({base_, base_ + 80, kWrite});
        break;
      case Kind::kSetBothIf:
        accesses.push_back({base_, base_ + 16, kWrite});
        break;
      case Kind::kWrite:
      case Kind::kStoreNext:
      case Kind::kFetchAdd:
      case Kind::kExchange:
      case Kind::kCompareAndSet:
        accesses.push_back(memory(instruction.target, kWrite));
        break;
      case Kind::kLock:
        accesses.push_back(lock(instruction.target, kAcquire));
        break;
      case Kind::kUnlock:
        accesses.push_back(lock(instruction.target, kRelease));
        break;
      case Kind::kTryLock:
        accesses.push_back(lock(instruction.target, kWrite));
        break;
      case Kind::kSpawn:
        break;
      case Kind::kJoin:
        accesses.push_back(end(instruction.target, kAcquire));
        break;
    }
    if (script_->foreseen && is_last(thread)) accesses.push_back(end(thread, kRelease));
    return accesses;
  }

  /// Does it, and gives what it turned out to do.
  std::vector<explore::Access> step(std::size_t thread) {
    std::vector<explore::Access> event = pending(thread);
    const Instruction instruction = next(thread);
    Position& at = at_[thread];
    if (script_->timed && at.instruction == 0) before_[number(thread)] = returned_;
    const bool last = is_last(thread);
    const bool goes_on = perform(thread, instruction, event);
    if (last && !script_->foreseen) event.push_back(end(thread, explore::Mode::kRelease));
    wake(event);
    if (parked_[thread]) {
      std::erase_if(event, [](const explore::Access& each) { return each.mode == explore::Mode::kRelease; });
      return event;
    }
    if (goes_on && ++at.instruction < script_->threads[thread][at.operation].size()) return event;
    returned_ |= 1U << number(thread);
    if (script_->timed) event.push_back({explore::kClock, explore::kClock, explore::Mode::kReturn});
    at.instruction = 0;
    ended_[thread] = ++at.operation == script_->threads[thread].size();
    return event;
  }

  /// Equal for two machines of a script if and only if nothing can ever tell them apart.
  [[nodiscard]] std::string told() const {
    std::string text;
    for (std::size_t place = 0; place < kPlaces; ++place) {
      text += static_cast<char>(memory_[place]);
      text += static_cast<char>(permits_[place]);
    }
    for (std::size_t thread = 0; thread < threads(); ++thread) {
      text += static_cast<char>(at_[thread].operation);
      text += static_cast<char>(at_[thread].instruction);
      text += static_cast<char>(own_[thread]);
      text += static_cast<char>((alive_[thread] ? 1 : 0) + (stopped_ == thread ? 2 : 0) + (parked_[thread] ? 4 : 0));
      text += static_cast<char>(results_[thread].size());
      text += results_[thread];
      for (std::size_t op = 0; op < kOperations; ++op) {
        const unsigned mask = before_[thread * kOperations + op];
        text += static_cast<char>(mask & 0xffU);
        text += static_cast<char>(mask >> 8U);
      }
    }
    text += static_cast<char>(returned_ & 0xffU);
    text += static_cast<char>(returned_ >> 8U);
    return text;
  }

  /// A run that was stopped shows what the thread that stopped it has seen, and nothing of others that it has not met.
  [[nodiscard]] std::string outcome() const {
    if (!stopped()) return told();
    return "stopped by " + std::to_string(stopped_) + ": " + results_[stopped_];
  }

 private:
  struct Position {
    std::size_t operation = 0;
    std::size_t instruction = 0;
  };

  [[nodiscard]] const Instruction& next(std::size_t thread) const {
    return script_->threads[thread][at_[thread].operation][at_[thread].instruction];
  }
  [[nodiscard]] bool is_last(std::size_t thread) const {
    const Thread& all = script_->threads[thread];
    return at_[thread].operation + 1 == all.size() && at_[thread].instruction + 1 == all.back().size();
  }
  [[nodiscard]] std::size_t number(std::size_t thread) const { return thread * kOperations + at_[thread].operation; }
  [[nodiscard]] explore::Access memory(std::size_t place, explore::Mode mode) const {
    return {base_ + 8 * place, base_ + 8 * place + 8, mode};
  }
  [[nodiscard]] explore::Access lock(std::size_t place, explore::Mode mode) const {
    return {base_ + 100 + place, base_ + 101 + place, mode};
  }
  [[nodiscard]] explore::Access end(std::size_t thread, explore::Mode mode) const {
    return {base_ + 200 + thread, base_ + 201 + thread, mode};
  }

  /// False if the operation is over with this.
  bool perform(std::size_t thread, const Instruction& instruction, std::vector<explore::Access>& event) {
    int& cell = memory_[instruction.target % kPlaces];
    int& permits = permits_[instruction.target % kPlaces];
    switch (instruction.kind) {
      case Kind::kRead:
        see(thread, cell);
        break;
      case Kind::kWrite:
        cell = instruction.value;
        break;
      case Kind::kLoad:
        own_[thread] = cell;
        break;
      case Kind::kStoreNext:
        cell = own_[thread] + 1;
        break;
      case Kind::kFetchAdd:
        see(thread, cell++);
        break;
      case Kind::kExchange:
        see(thread, cell);
        if (cell == instruction.value) turn(event, explore::Mode::kWrite, explore::Mode::kRead);
        cell = instruction.value;
        break;
      case Kind::kCompareAndSet:
        see(thread, cell);
        if (cell == instruction.value - 1)
          cell = instruction.value;
        else
          turn(event, explore::Mode::kWrite, explore::Mode::kRead);
        break;
      case Kind::kSetAllIf:
        if (attempt(thread, instruction)) break;
        std::replace_if(
            event.begin(), event.end(), [](const explore::Access& each) { return each.mode == explore::Mode::kWrite; },
            memory(instruction.target, explore::Mode::kRead));
        break;
      case Kind::kSetBothIf:
        if (!attempt_both(thread, instruction)) turn(event, explore::Mode::kWrite, explore::Mode::kRead);
        break;
      case Kind::kReadBoth:
        see(thread, memory_[0]);
        see(thread, memory_[1]);
        break;
      case Kind::kWriteAll:
        memory_.fill(instruction.value);
        break;
      case Kind::kAwait:
        see(thread, cell);
        break;
      case Kind::kSpin:
        parked_[thread] = cell != instruction.value;
        break;
      case Kind::kLock:
        // Only who takes the last permit needs the release before.
        if (permits-- > 1) turn(event, explore::Mode::kAcquire, explore::Mode::kWrite);
        break;
      case Kind::kUnlock:
        if (permits == 1 && !script_->counts[instruction.target])
          turn(event, explore::Mode::kRelease, explore::Mode::kRead);
        else
          ++permits;
        break;
      case Kind::kTryLock:
        see(thread, permits > 0 ? 1 : 0);
        if (permits > 0)
          --permits;
        else
          return give_up(thread, event);
        break;
      case Kind::kReadThrough:
        event.push_back(memory(static_cast<std::size_t>(cell) % kPlaces, explore::Mode::kRead));
        see(thread, memory_[static_cast<std::size_t>(cell) % kPlaces]);
        break;
      case Kind::kLeaveIf:
        if (cell == instruction.value) return leave(thread, event);
        break;
      case Kind::kStopIf:
        see(thread, cell);
        if (cell == instruction.value) stopped_ = thread;
        break;
      case Kind::kSpawn:
        alive_[instruction.target] = true;
        break;
      case Kind::kJoin:
        break;
    }
    return true;
  }

  bool attempt(std::size_t thread, const Instruction& instruction) {
    const bool succeeds = memory_[instruction.target] == instruction.value - 1;
    see(thread, succeeds ? 1 : 0);
    if (succeeds) memory_.fill(instruction.value);
    return succeeds;
  }

  bool attempt_both(std::size_t thread, const Instruction& instruction) {
    const bool succeeds = memory_[0] == instruction.value - 1 && memory_[1] == instruction.value - 1;
    see(thread, succeeds ? 1 : 0);
    if (succeeds) memory_[0] = memory_[1] = instruction.value;
    return succeeds;
  }

  /// Whoever waits for a write of what was written now.
  void wake(const std::vector<explore::Access>& event) {
    for (std::size_t thread = 0; thread < threads(); ++thread) {
      if (!alive(thread) || next(thread).kind != Kind::kSpin) continue;
      const explore::Access looked = memory(next(thread).target, explore::Mode::kRead);
      for (const explore::Access& access : event)
        if (access.mode == explore::Mode::kWrite && access.begin < looked.end && looked.begin < access.end)
          parked_[thread] = false;
    }
  }

  bool give_up(std::size_t thread, std::vector<explore::Access>& event) {
    turn(event, explore::Mode::kWrite, explore::Mode::kRead);
    return leave(thread, event);
  }

  bool leave(std::size_t thread, std::vector<explore::Access>& event) {
    const bool ends = at_[thread].operation + 1 == script_->threads[thread].size();
    if (ends && !is_last(thread)) event.push_back(end(thread, explore::Mode::kRelease));
    return false;
  }

  static void turn(std::vector<explore::Access>& event, explore::Mode expected, explore::Mode turned_out) {
    for (explore::Access& access : event)
      if (access.mode == expected) {
        access.mode = turned_out;
        return;
      }
  }

  void see(std::size_t thread, int value) { results_[thread] += static_cast<char>('0' + value); }

  const Script* script_;
  std::uint64_t base_;
  std::array<int, kPlaces> memory_{};
  std::array<int, kPlaces> permits_{};
  std::array<int, kThreads> own_{};
  std::array<bool, kThreads> alive_{};
  std::array<bool, kThreads> ended_{};
  std::array<bool, kThreads> parked_{};
  std::array<Position, kThreads> at_{};
  std::array<std::string, kThreads> results_;
  std::array<unsigned, kThreads * kOperations> before_{};  ///< of each operation, who had returned when it was called
  unsigned returned_ = 0;
  std::size_t stopped_ = kThreads;
};

}  // namespace linpoint::tests
