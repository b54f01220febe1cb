// SPDX-License-Identifier: Apache-2.0
// Replays one run: the default choice except for the deviations.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "explore/runnable_choice.hpp"
#include "linpoint/explore/schedulers.hpp"

namespace linpoint::explore {

namespace {

class Replay final : public Explorer {
 public:
  explicit Replay(std::vector<Deviation> deviations) : wanted_(std::move(deviations)) {
    std::sort(wanted_.begin(), wanted_.end());
  }

 private:
  bool begin_run() override { return !std::exchange(begun_, true); }

  Process choose_next(const View& view) override {
    const std::uint64_t step = step_++;
    if (next_ == wanted_.size() || wanted_[next_].step != step) return default_choice(view);
    const Process process = wanted_[next_].process;
    while (next_ < wanted_.size() && wanted_[next_].step == step) ++next_;
    if (can_go(view, process)) return process;
    diverge(step);
    return default_choice(view);
  }

  void end_run(const View& /*view*/, Ending /*ending*/) override {
    if (next_ < wanted_.size()) diverge(step_);
  }

  std::vector<Deviation> wanted_;
  std::size_t next_ = 0;
  std::uint64_t step_ = 0;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<Explorer> make_replay(std::vector<Deviation> deviations) {
  return std::make_unique<Replay>(std::move(deviations));
}

}  // namespace linpoint::explore
