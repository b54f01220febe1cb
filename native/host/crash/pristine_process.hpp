// SPDX-License-Identifier: Apache-2.0
// A process that has loaded the program and run nothing of it: each failure is repeated in a copy of it.
//
// In the first process thousands of crashes follow each other, and changes of the program to memory that is not
// restored could affect later ones. Here each has its own process. A run counts only if that process reports at its
// very end that it has finished.
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

  /// Called before the program has run. False if such a process cannot be created.
  [[nodiscard]] bool start();
  /// Recovers from the current content of the pool, and probes. False if that could not be tried; a process that ended
  /// without having finished is an outcome: a crash.
  [[nodiscard]] bool run(std::span<const unsigned> probes, std::uint64_t cursor, std::size_t extent, std::int64_t fuel,
                         Outcome& outcome);
  /// Ends the process; the kernel also does so when this process ends.
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
