// SPDX-License-Identifier: Apache-2.0
// How the scheduler handles buffered stores: how they enter a buffer, and how they reach memory.
#include <array>
#include <cstring>

#include "host/core/operation_log.hpp"
#include "host/core/scheduler.hpp"

namespace linpoint::runtime {

void Scheduler::issue(Task& task, std::uint64_t address, std::size_t size, const std::byte* beneath,
                      RaceDetector::Clock message) {
  const Range stack = task.fiber.stack.range();
  if (stack.begin <= address && address < stack.end) ++task.own_stores;
  if (operations.on()) {
    if (task.atomic_depth > 0)
      operations.done_inside(task.number);
    else
      operations.issued(task.number, issued_);
  }
  if (!task.buffer.issue(address, size, beneath, issued_, message))
    qualify(
        "a thread stores to more than 15 locations or to parts of one; under PSO some of these stores stay in order");
  event_.push_back(memory::StoreBuffer::issued(issued_++));
}

void Scheduler::take_announced(Task& task) {
  const OutOfProgram host;
  for (const Announced& each : task.announced) issue(task, each.address, each.size, each.beneath.data(), 0);
  task.announced.clear();
}

void Scheduler::drain(Task& task) {
  if (task.buffer.empty() && !task.flushed) return;
  task.pending.clear();
  task.info.kind = Kind::kFence;
  task.traits = {.drains = true, .yields = false};
  wait_for_turn(task);
}

/// Unobserved writes of the thread over its own buffered stores come after them: they go to the buffer too; otherwise
/// the buffered stores would cover them when the thread continues.
void Scheduler::lift(Task& task) {
  task.buffer.lift(overwritten_);
  for (const memory::StoreBuffer::Overwritten& each : overwritten_) {
    void* at = reinterpret_cast<void*>(each.address);  // NOLINT(performance-no-int-to-ptr)
    std::array<std::byte, memory::kWidest> beneath;
    std::memcpy(beneath.data(), at, each.size);
    std::memcpy(at, each.value.data(), each.size);
    issue(task, each.address, each.size, beneath.data(), 0);
    std::memcpy(at, beneath.data(), each.size);
  }
  overwritten_.clear();
}

void Scheduler::flush(Task& task, unsigned queue) {
  const std::size_t index = task.buffer.next(queue);
  const memory::Store store = task.buffer.stores()[index];
  std::array<Access, memory::StoreBuffer::kMostAccesses> accesses;
  const std::size_t count = task.buffer.accesses(store, accesses.data());
  event_.assign(accesses.begin(), accesses.begin() + static_cast<std::ptrdiff_t>(count));
  task.buffer.flush(index);
  if (operations.on()) operations.flushed(store.number, run_steps_ - 1);
  if (task.buffer.empty()) task.own_stores = 0;
  task.flushed = true;
  if (options.races != Races::kIgnore) races.publish(store.address, store.size, store.note);
  if (trace.on()) [[unlikely]] {
    TraceStep* traced =
        trace.add(task.number, {.kind = Kind::kDrain, .address = store.address, .size = store.size}, task.calls);
    traced->value = store.value;
    traced->has_value = true;
    traced->preempts = false;
    traced->buffer.assign(task.buffer.stores().begin(), task.buffer.stores().end());
  }
}

/// All stores of a thread that must not be interrupted reach memory as part of its step.
void Scheduler::flush_inside(Task& task) {
  lift(task);
  while (!task.buffer.empty()) {
    const memory::Store store = task.buffer.stores().front();
    event_.push_back({store.address, store.address + store.size, Mode::kWrite});
    task.buffer.flush(0);
    if (options.races != Races::kIgnore) races.publish(store.address, store.size, store.note);
  }
  task.own_stores = 0;
}

}  // namespace linpoint::runtime
