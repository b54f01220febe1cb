// SPDX-License-Identifier: Apache-2.0
// The messages of crash tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/base/code_modules.hpp"
#include "host/crash/root_causes.hpp"
#include "host/persistent/pool_trace_recorder.hpp"
#include "host/protocol/json.hpp"

namespace linpoint::runtime::crash {

/// The recorded workload, with its functions.
struct Recorded {
  std::vector<Event> events;
  std::vector<std::uint32_t> frames_of_events;
  std::vector<Recorder::Frame> frames;
  std::uint32_t first = 0;  ///< event of the first operation
  std::size_t edges = 0;
  std::int64_t silence = 0;  ///< maximum number of hooks without a store
  double states = 0;         ///< number of states that a crash can leave, at any moment
};

/// The result of all crash tests.
struct Conclusion {
  std::string ended = "complete";
  std::string reason;
  Counts counts;
  std::uint64_t schedules = 0;
  std::uint64_t infeasible = 0;
  std::vector<Group> groups;
  std::vector<persistency::Advice> advice;
  bool exhaustive = false;
  double seconds = 0;
};

class CrashMessageWriter {
 public:
  CrashMessageWriter() { places_.collect(); }
  [[nodiscard]] const CodePlaces& places() const { return places_; }

  void send_traced(const Recorded& recorded, const Outcome& outcome, const persistency::Points& points,
                   std::size_t locks) const;
  void send_violation(std::size_t group, const Walk& walk, const Recorded& recorded, const Failure& failure,
                      const Cause& cause, const Oracle& oracle, const Outcome& outcome) const;
  static void send_progress(std::uint64_t tests, std::size_t operation, std::size_t operations);
  void send_result(const Conclusion& conclusion) const;

 private:
  void put_place(Json& json, std::uint64_t code) const;
  void put_modules(Json& json) const;
  void put_callers(Json& json, const Recorded& recorded, std::uint32_t event) const;
  /// Writes each place in the code that stores, how often, and how many of these stores are likely points.
  void put_sites(Json& json, const Recorded& recorded, const persistency::Points& points) const;
  void put_store(Json& json, const Walk& walk, const Recorded& recorded, const CrashState& state,
                 std::uint32_t event) const;
  void put_store_or_null(Json& json, Name name, const Walk& walk, const Recorded& recorded, const CrashState& state,
                         std::uint32_t event) const;

  CodePlaces places_;
};

}  // namespace linpoint::runtime::crash
