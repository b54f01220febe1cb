// SPDX-License-Identifier: Apache-2.0
// One process: a thread that chooses operations, runs them, records them, and survives crashes under the same number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "crashes.hpp"
#include "log.hpp"
#include "mwcas.hpp"
#include "options.hpp"
#include "swap.hpp"
#include "workload.hpp"

struct Counts {
  std::size_t operations = 0;
  std::size_t reads = 0;
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::size_t unknown = 0;
};

class Process {
 public:
  Process(const Options& options, std::size_t number, Mwcas& mwcas, SystemCrashes& crashes,
          std::vector<PlannedCrash> plan)
      : options_(&options),
        number_(number),
        mwcas_(&mwcas),
        swap_(mwcas, options.bug == Bug::kLostUpdate),
        crashes_(&crashes),
        steps_(options.seed * 7'000'003 + number, options.delays, std::move(plan), crashes.flag()),
        workload_(options, number),
        recorder_(!options.log.empty(), options.operations, options.words, options.results == Results::kValues) {
    if (options.delays > 0 || options.crashes + options.process_crashes > 0) steps_.watch();
    own_crashes_.reserve(options.process_crashes);
  }

  // `start` is the common start time of all processes.
  void run(std::int64_t start) {
    const auto duration = static_cast<std::int64_t>(options_->seconds * 1e9);
    Operation op;
    idle_since_ = recorder_.now();
    for (std::size_t i = 0; i < options_->operations; ++i) {
      auto progress = static_cast<std::int64_t>(i);
      // Reading the clock has a cost: occasional reads suffice to stop in time.
      if (duration > 0 && i % kOperationsPerLook == 0) elapsed_ = nanoseconds() - start;
      if (duration > 0) progress = elapsed_;
      if (duration > 0 && elapsed_ >= duration) break;
      steps_.advance(progress);
      workload_.choose(op);
      attempt(op);
    }
    crashes_->leave();
  }

  [[nodiscard]] const Recorder& recorder() const { return recorder_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const std::vector<CrashLine>& own_crashes() const { return own_crashes_; }

 private:
  static constexpr std::size_t kOperationsPerLook = 64;

  void attempt(Operation& op) {
    ++counts_.operations;
    // A process makes a call as soon as its last operation has returned, so that one clock read serves for both. An
    // interval that begins slightly too early is sound: it still contains the moment at which the operation takes
    // effect.
    const std::int64_t call = idle_since_;
    try {
      carry_out(op);
      idle_since_ = recorder_.now();
      recorder_.record(op, call, idle_since_);
      workload_.learn(op);
      count(op);
    } catch (const Interrupted& interrupted) {
      op.outcome = Outcome::kUnknown;
      recorder_.record(op, call, call);
      ++counts_.unknown;
      workload_.forget();
      recover(interrupted.crash);
      idle_since_ = recorder_.now();
    }
  }

  void count(const Operation& op) {
    if (op.kind == Kind::kRead) {
      ++counts_.reads;
    } else {
      ++(op.outcome == Outcome::kDone ? counts_.succeeded : counts_.failed);
    }
  }

  void recover(Crash crash) {
    if (crash == Crash::kSystem) {
      crashes_->wait_for_recovery();
      return;
    }
    own_crashes_.push_back({nanoseconds(), static_cast<std::uint32_t>(number_)});
    try {
      mwcas_->recover_process(steps_, number_);
    } catch (const Interrupted&) {
      // Crashes of this process are planned only during operations: the whole system crashed while it was recovering.
      crashes_->wait_for_recovery();
    }
  }

  void carry_out(Operation& op) {
    if (op.kind == Kind::kRead) {
      mwcas_->snapshot(steps_, {op.addresses.data(), op.words}, {op.values.data(), op.words});
      op.outcome = Outcome::kDone;
      return;
    }
    Change changes[kWordsAtMost];
    for (std::size_t i = 0; i < op.words; ++i) changes[i] = {op.addresses[i], op.values[i], op.first_new + i};
    if (op.kind == Kind::kMwswap) {
      swap_.run(steps_, number_, {changes, op.words}, {op.values.data(), op.words});
      op.outcome = Outcome::kDone;
    } else {
      compare_and_swap(op, {changes, op.words});
    }
  }

  void compare_and_swap(Operation& op, std::span<const Change> changes) {
    for (;;) {
      const std::optional<std::size_t> blamed = mwcas_->run(steps_, number_, changes);
      op.outcome = blamed ? Outcome::kFailed : Outcome::kDone;
      op.blamed = static_cast<std::uint32_t>(blamed.value_or(0));
      if (!blamed || options_->results != Results::kValues) return;
      // A failure that returns all values is a snapshot that differs from the expected values. If it agrees by now (a
      // value that was expected too early has been written), the operation has not failed yet.
      mwcas_->snapshot(steps_, {op.addresses.data(), op.words}, {op.seen.data(), op.words});
      if (!std::equal(op.seen.begin(), op.seen.begin() + static_cast<std::ptrdiff_t>(op.words), op.values.begin())) {
        return;
      }
    }
  }

  const Options* options_;
  std::size_t number_;
  Mwcas* mwcas_;
  Swap swap_;
  SystemCrashes* crashes_;
  Steps steps_;
  Workload workload_;
  Recorder recorder_;
  Counts counts_;
  std::vector<CrashLine> own_crashes_;
  std::int64_t elapsed_ = 0;
  std::int64_t idle_since_ = 0;
};
