// SPDX-License-Identifier: Apache-2.0
// The steps of a run, for explanations: recorded only on request.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/core/scheduling_points.hpp"
#include "linpoint/memory_models/store_buffers.hpp"

namespace linpoint::runtime {

using Bytes = std::array<std::byte, memory::kWidest>;

struct TraceStep {
  Thread thread = 0;
  Kind kind = Kind::kNote;
  const void* caller = nullptr;
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  Thread other = kNoThread;
  std::string message;
  std::int8_t success = -1;
  std::int8_t order = -1;  ///< a memory order as numbered by compilers; -1: plain
  bool has_value = false;
  bool has_old = false;
  bool has_expected = false;
  bool forwarded = false;
  bool preempts = false;
  bool has_block = false;
  library::Block block;
  Bytes value{};
  Bytes old{};
  Bytes expected{};
  std::vector<const void*> stack;
  std::vector<memory::Store> buffer;
};

/// The functions that a thread is in, as far as they are reported; only while there is a trace.
struct CallStack {
  std::vector<const void*> callers;
};

class Trace {
 public:
  static constexpr std::size_t kMost = 200'000;  ///< maximum number of recorded steps

  [[nodiscard]] bool on() const { return on_; }
  void turn_on() { on_ = true; }
  void restart() { steps_.clear(); }
  /// nullptr if there is no trace. Valid until the next call.
  TraceStep* add(Thread thread, const StepInfo& info, const CallStack& calls);
  [[nodiscard]] TraceStep* last() { return steps_.empty() ? nullptr : &steps_.back(); }
  [[nodiscard]] const std::vector<TraceStep>& steps() const { return steps_; }
  [[nodiscard]] std::vector<TraceStep>& steps() { return steps_; }
  /// The index of the last step.
  [[nodiscard]] std::uint32_t number() const { return static_cast<std::uint32_t>(steps_.size()) - 1; }
  /// The schedule preempted a thread that could continue: the next step records it.
  void preempted() { preempted_ = true; }

 private:
  bool on_ = false;
  bool preempted_ = false;
  std::vector<TraceStep> steps_;
};

}  // namespace linpoint::runtime
