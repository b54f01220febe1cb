// SPDX-License-Identifier: Apache-2.0
// Operations on real threads: called between two stamps, their results kept as they are until all is over.
//
// No allocation, no lock and no text from the first stamp to the next operation, but for what the object does itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <typeinfo>

#include "linpoint/detail/clock.hpp"

namespace linpoint::detail {

/// Whether the counters of the cores tell the time. Never changes while operations run.
inline bool by_counters = false;

inline std::uint64_t stamp_before() { return by_counters ? CounterClock::before() : SteadyClock::before(); }
inline std::uint64_t stamp_after() { return by_counters ? CounterClock::after() : SteadyClock::after(); }

enum class State : std::uint8_t { kNotBegun, kOpen, kReturned, kRaised };

/// One operation of one thread. Others may look at it while it is open.
struct Record {
  std::uint64_t call = 0;
  std::uint64_t returned = 0;
  const std::type_info* raised = nullptr;
  std::uint32_t code = 0;  ///< of the call
  std::atomic<State> state{State::kNotBegun};
};

/// How an operation is called where its result is kept in a place of its own.
struct Recording {
  std::size_t size;
  std::size_t alignment;
  void (*call)(void* object, const void* arguments, Record& record, void* result);
  void (*tell)(const void* result, std::string& into);  ///< as JSON
  void (*forget)(void* result);                         ///< nullptr if there is nothing to be done
};

}  // namespace linpoint::detail
