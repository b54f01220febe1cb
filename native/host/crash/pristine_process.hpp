// SPDX-License-Identifier: Apache-2.0
// A process that has loaded the program and run nothing of it: each failure is tried again in a copy of it.
//
// In the first process thousands of crashes come one after the other, and whatever a program does to its memory that is
// not restored could change what the next one does. Here each has a process of its own. A run counts only if that
// process says, at its very end, that it has finished.
#pragma once

#include <cstdint>
#include <span>

#include "host/crash/recovery_runs.hpp"

namespace linpoint::runtime::crash {

class Keeper {
 public:
  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper();

  /// Before anything of the program has run. False if there can be no such process.
  [[nodiscard]] bool start();
  /// Recovers from what is in the pool now, and probes. False if that could not be tried; a process that is gone
  /// without having finished is an outcome: a crash.
  [[nodiscard]] bool run(std::span<const unsigned> probes, std::uint64_t cursor, std::size_t extent, std::int64_t fuel,
                         Outcome& outcome);
  /// Ends it; also done by the kernel when this process ends.
  void stop();

 private:
  struct Shared;

  [[noreturn]] void serve(int channel) const;
  [[noreturn]] void run_and_exit() const;

  Shared* shared_ = nullptr;
  std::byte* image_ = nullptr;
  int channel_ = -1;
  int process_ = -1;
};

}  // namespace linpoint::runtime::crash
