// SPDX-License-Identifier: Apache-2.0
#include "linpoint/limits/limit_watch.hpp"

#include <algorithm>
#include <cmath>

namespace linpoint::limits {

namespace {

constexpr double kFastestGrowth = 4e9;  // bytes per second, of several threads that fill new pages
constexpr double kShortestWait = 0.001;
constexpr double kLongestMemoryWait = 0.02;
constexpr double kLongestWait = 1.0;

constexpr double kProcessorShare = 0.7;  // share of the grace period that the process must have run before it is over
constexpr double kLongestGraces = 4;     // maximum factor, even if the process is starved or asleep

}  // namespace

void LimitWatch::Grace::begin(const Sample& sample) {
  if (!std::isinf(began)) return;
  began = sample.now;
  processor = sample.processor;
}

bool LimitWatch::Grace::over(const Sample& sample) const {
  if (sample.now < end()) return false;
  return sample.processor - processor >= kProcessorShare * length || sample.now >= began + kLongestGraces * length;
}

Step LimitWatch::look(const Sample& sample) {
  Step step;
  if (sample.interrupts > 0 && std::isinf(interrupt_.began)) {
    step.announce = Limit::kInterrupt;
    interrupt_.begin(sample);
  } else if (!memory_announced_ && sample.resident > limits_.memory) {
    memory_announced_ = true;
    step.announce = Limit::kMemory;
  }
  if (sample.now >= limits_.deadline) time_.begin(sample);
  if (sample.resident > limits_.memory_ceiling)
    step.enforce = Limit::kMemory;
  else if (interrupt_.over(sample))
    step.enforce = Limit::kInterrupt;
  else if (time_.over(sample))
    step.enforce = Limit::kTime;
  step.wait = wait(sample);
  return step;
}

double LimitWatch::wait(const Sample& sample) const {
  const double time = std::isinf(time_.began) ? limits_.deadline : time_.end();
  double longest = std::min(kLongestWait, std::min(time, interrupt_.end()) - sample.now);
  if (limits_.memory_ceiling != std::numeric_limits<std::size_t>::max()) {
    const std::size_t next = sample.resident <= limits_.memory ? limits_.memory : limits_.memory_ceiling;
    const double room = next > sample.resident ? static_cast<double>(next - sample.resident) : 0.0;
    longest = std::min({longest, kLongestMemoryWait, room / kFastestGrowth});
  }
  return std::max(longest, kShortestWait);
}

}  // namespace linpoint::limits
