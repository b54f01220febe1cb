// SPDX-License-Identifier: Apache-2.0
// Operations on real threads: called between two time stamps, with their raw results kept until the burst is over.
//
// No allocation, lock or text output between the first stamp and the next operation, except by the object itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <typeinfo>

#include "linpoint/detail/clock.hpp"

namespace linpoint::detail {

/// Whether the time-stamp counters of the cores are the clock. Never changes while operations run.
inline bool by_counters = false;

inline std::uint64_t stamp_before() { return by_counters ? CounterClock::before() : SteadyClock::before(); }
inline std::uint64_t stamp_after() { return by_counters ? CounterClock::after() : SteadyClock::after(); }

enum class State : std::uint8_t { kNotBegun, kOpen, kReturned, kRaised };

/// One operation of one thread. Other threads may read it while it is open.
struct Record {
  std::uint64_t call = 0;
  std::uint64_t returned = 0;
  const std::type_info* raised = nullptr;
  std::uint32_t code = 0;  ///< the number of the call
  std::atomic<State> state{State::kNotBegun};
};

/// How to call an operation whose result is stored in a place of its own.
struct Recording {
  std::size_t size;
  std::size_t alignment;
  void (*call)(void* object, const void* arguments, Record& record, void* result);
  void (*tell)(const void* result, std::string& into);  ///< as JSON
  void (*forget)(void* result);                         ///< nullptr if nothing needs to be freed
};

}  // namespace linpoint::detail
