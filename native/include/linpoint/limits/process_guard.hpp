// SPDX-License-Identifier: Apache-2.0
// A thread that holds a command to its limits, whatever the command is doing: parsing, sorting, collecting garbage, or
// inside code of a user that never comes back and keeps the interpreter's lock.
//
// Guarantee: once a limit is announced, the searches of the process stop and the main thread gets a signal; if the
// command has not answered by the end of the grace, the guard writes the answer that was prepared for this case and
// ends the process, without freeing what it holds. A command that has begun to write its answer is left alone.
// Cost: a thread that sleeps; where memory is limited, one read of /proc for each 20 ms, and more near the limit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "linpoint/limits/limit_watch.hpp"

namespace linpoint::limits {

/// Where the numbers of a prepared answer go, once they are known: the limit in words, how far the work had come, and
/// the peak of memory, a number that is no other.
inline constexpr char kLimitMark[] = "@@limit@@";
inline constexpr char kProgressMark[] = "@@progress@@";
inline constexpr char kPeakMark[] = "987654321987654321";

class ProcessGuard {
 public:
  /// Guards from now on. `limits.deadline` is in seconds from now; `alert` is the signal for the calling thread.
  ProcessGuard(const Limits& limits, int alert);
  ~ProcessGuard();
  ProcessGuard(const ProcessGuard&) = delete;
  ProcessGuard& operator=(const ProcessGuard&) = delete;

  /// A byte written here is the number of a signal that has arrived; SIGINT is Ctrl-C.
  [[nodiscard]] int signal_descriptor() const;

  /// What stands around the parts of the prepared answer, and the descriptors it goes to.
  void frame(std::string before, std::string between, std::string after, std::string errors, int out, int err);
  /// The part at `index`; the exit code that it asks for.
  void part(std::size_t index, std::string text, int code);
  /// How far the work has come, as it is to stand in the prepared answer.
  void progress(std::string words);

  /// The limit that has been announced.
  [[nodiscard]] Limit announced() const;
  /// Goes on after memory was given back.
  void resume();
  /// Leaves the process alone from now on. Does not return once the guard is ending it.
  void release();

 private:
  struct State;
  static void watch(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_;
};

}  // namespace linpoint::limits
