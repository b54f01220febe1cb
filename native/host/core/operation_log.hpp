// SPDX-License-Identifier: Apache-2.0
// The operations of a test in one run: their results, and the events between which they took place.
//
// An operation lasts from its first visible event to its last. A visible event is a step of its thread; or a store that
// goes to a buffer, which happens between two steps of the thread and before the step that flushes it; or, if the
// operation does nothing observable, a moment between two steps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

inline constexpr std::uint64_t kNoStep = ~std::uint64_t{0};

struct VisibleEvent {
  std::uint64_t step = kNoStep;    ///< it is this step; otherwise
  std::uint64_t after = kNoStep;   ///< it comes after this step,
  std::uint64_t before = kNoStep;  ///< before this step of the same thread,
  std::uint64_t flush = kNoStep;   ///< and before this flush.
};

struct TestedOperation {
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  Thread thread = 0;
  bool called = false;
  bool returned = false;
  std::uint32_t first = kNothing;  ///< indices of events
  std::uint32_t last = kNothing;
  std::string result;  ///< as JSON
};

class OperationLog {
 public:
  /// Whether the program is a test.
  [[nodiscard]] bool on() const { return on_; }
  void turn_on() { on_ = true; }
  void restart();

  /// Called in the running thread.
  void begin(unsigned number);
  void end(unsigned number);
  void set_result(unsigned number, std::string_view text) { all_[number].result = text; }

  /// Called when a thread begins within this step, gets its turn for it, or stores within it; and for the flush.
  void born(Thread thread, std::uint64_t step);
  void stepped(Thread thread, std::uint64_t step);
  void issued(Thread thread, std::uint64_t store);
  void flushed(std::uint64_t store, std::uint64_t step);
  /// A visible event that is part of the current step of its thread.
  void done_inside(Thread thread);

  /// Indexed by number in the scenario; operations that were not called may be missing at the end.
  [[nodiscard]] const std::vector<TestedOperation>& all() const { return all_; }
  [[nodiscard]] const std::vector<VisibleEvent>& events() const { return events_; }

 private:
  static constexpr unsigned kNone = ~0U;
  struct Own {
    unsigned operation = kNone;
    std::uint64_t step = kNoStep;
    std::vector<std::uint32_t> open;  ///< events since that step
  };

  Own& own(Thread thread);
  /// Adds an event of the operation that the thread is in.
  std::uint32_t add(Own& own, const VisibleEvent& event);
  void tell_called(const Own& own);

  bool on_ = false;
  std::vector<TestedOperation> all_;
  std::vector<VisibleEvent> events_;
  std::vector<Own> threads_;
  std::vector<std::uint32_t> stores_;  ///< the events of stores, by number
};

extern OperationLog operations;

}  // namespace linpoint::runtime
