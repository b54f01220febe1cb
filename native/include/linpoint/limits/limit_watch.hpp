// SPDX-License-Identifier: Apache-2.0
// Detects when a process reaches a limit. The limit is announced first, so that the work can end by itself; after a
// grace period it is enforced. Guarantee: the decision depends on the samples alone, so that tests need neither time
// nor memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace linpoint::limits {

enum class Limit : int { kNone = 0, kTime = 1, kMemory = 2, kInterrupt = 3 };

/// Times are seconds on the clock of the samples; memory is in bytes.
struct Limits {
  double deadline = std::numeric_limits<double>::infinity();
  double time_grace = 0;
  double interrupt_grace = 0;
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  std::size_t memory_ceiling = std::numeric_limits<std::size_t>::max();  // enforced here, announced at `memory`
};

/// The measurements at one moment. `processor` is the processor time that the process has used so far, in seconds.
struct Sample {
  double now;
  double processor;
  std::size_t resident;
  std::uint64_t interrupts;  // so far
};

struct Step {
  Limit announce = Limit::kNone;
  Limit enforce = Limit::kNone;
  double wait = 0;  // seconds until the next sample, at most
};

class LimitWatch {
 public:
  explicit LimitWatch(const Limits& limits) : limits_(limits) {}

  Step look(const Sample& sample);

  /// Memory was released: announces its limit again if it is reached again.
  void resume() { memory_announced_ = false; }

 private:
  // The grace period that began at a limit. It is longer on a machine that gives the process no processor time.
  struct Grace {
    double length;
    double began = std::numeric_limits<double>::infinity();
    double processor = 0;

    void begin(const Sample& sample);
    [[nodiscard]] double end() const { return began + length; }
    [[nodiscard]] bool over(const Sample& sample) const;
  };

  [[nodiscard]] double wait(const Sample& sample) const;

  Limits limits_;
  Grace time_{limits_.time_grace};
  Grace interrupt_{limits_.interrupt_grace};
  bool memory_announced_ = false;
};

}  // namespace linpoint::limits
