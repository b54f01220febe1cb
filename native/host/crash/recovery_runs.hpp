// SPDX-License-Identifier: Apache-2.0
// Runs of a persistent object: the workload once, and recovery with probes after each crash.
//
// Each run begins with fresh volatile memory and the current content of the pool. Failures of the program end only its
// run: crashes, exceptions, blocking forever, and hangs, that is, runs that use up their fuel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/core/crash_mode.hpp"
#include "host/persistent/pool.hpp"
#include "host/persistent/standard_library_code.hpp"

namespace linpoint::runtime::crash {

enum class Ended : std::uint8_t { kComplete, kCrash, kHang, kMemory, kAssertion, kException, kDeadlock, kRefused };
[[nodiscard]] const char* name_of(Ended ended);

/// The functions of the program that the host calls.
struct Program {
  void (*create)() = nullptr;
  void (*recover)() = nullptr;
  void (*run)(unsigned number) = nullptr;
};

/// Results of operations as JSON, concatenated; those of operations that have not returned are missing at the end.
struct Results {
  HostVector<char> text;
  HostVector<std::uint32_t> ends;

  void clear() {
    text.clear();
    ends.clear();
  }
  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t at) const {
    const std::uint32_t begin = at == 0 ? 0 : ends[at - 1];
    return {text.data() + begin, ends[at] - begin};
  }
};

struct Outcome {
  Ended ended = Ended::kComplete;
  std::string message;
  std::uint64_t place = 0;  ///< in code, where it ended
  Results results;
};

class Runner {
 public:
  Program program;
  StandardCode standard;  ///< of the program

  /// Runs `create`, then these operations.
  const Outcome& run_workload(std::span<const unsigned> operations, std::int64_t fuel);
  /// Runs `recover`, then these probes. Written lines are in `hot.written`, and read lines in `hot.read` if they are
  /// watched.
  const Outcome& run_probes(std::span<const unsigned> probes, std::int64_t fuel, Hooks hooks = kLean);

  [[nodiscard]] const Outcome& outcome() const { return outcome_; }
  /// Hooks of the last run.
  [[nodiscard]] std::int64_t used() const { return used_; }

  // Called by the program, on its fiber.
  void begins(unsigned number) const;
  static void ends(unsigned number);
  void result(std::string_view text);
  /// Clears the results of this run; later ones are returned here.
  [[nodiscard]] Results& forget_results() {
    outcome_.results.clear();
    return outcome_.results;
  }

 private:
  struct Job {
    const Program* program = nullptr;
    bool creates = false;
    unsigned recoveries = 0;
    std::span<const unsigned> operations;
  };

  static void do_job(void* job);
  const Outcome& run(const Job& job, std::int64_t fuel, Hooks hooks);

  Outcome outcome_;
  std::int64_t used_ = 0;
  std::int64_t fuel_of_operation_ = 0;  ///< of each operation, while the workload runs
};
extern Runner the_runner;

}  // namespace linpoint::runtime::crash
