// SPDX-License-Identifier: Apache-2.0
// A thread that enforces the limits of a command in every phase: parsing, sorting, garbage collection, or user code
// that never returns and holds the interpreter's lock.
//
// Guarantee: once a limit is announced, the searches of the process stop and the main thread gets a signal. If the
// command has not answered by the end of the grace period, the guard writes the answer prepared for this case and ends
// the process, without freeing its memory. A command that has begun to write its answer is left alone. Cost: a sleeping
// thread; where memory is limited, one read of /proc every 20 ms, and more often near the limit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "linpoint/limits/limit_watch.hpp"

namespace linpoint::limits {

/// Placeholders in a prepared answer that are replaced once their values are known: the limit as text, the progress of
/// the work, and the peak of memory (a number that occurs nowhere else).
inline constexpr char kLimitMark[] = "@@limit@@";
inline constexpr char kProgressMark[] = "@@progress@@";
inline constexpr char kPeakMark[] = "987654321987654321";

class ProcessGuard {
 public:
  /// Starts guarding. `limits.deadline` is in seconds from now; `alert` is the signal for the calling thread.
  ProcessGuard(const Limits& limits, int alert);
  ~ProcessGuard();
  ProcessGuard(const ProcessGuard&) = delete;
  ProcessGuard& operator=(const ProcessGuard&) = delete;

  /// A byte written here is the number of a signal that has arrived; SIGINT is Ctrl-C.
  [[nodiscard]] int signal_descriptor() const;

  /// Sets the text around the parts of the prepared answer, and the descriptors that it is written to.
  void frame(std::string before, std::string between, std::string after, std::string errors, int out, int err);
  /// Sets the part at `index`, and the exit code that it implies.
  void part(std::size_t index, std::string text, int code);
  /// Sets the progress of the work, as shown in the prepared answer.
  void progress(std::string words);

  /// The limit that has been announced.
  [[nodiscard]] Limit announced() const;
  /// Continues after memory was released.
  void resume();
  /// Stops guarding. Does not return if the guard is already ending the process.
  void release();

 private:
  struct State;
  static void watch(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_;
};

}  // namespace linpoint::limits
