// SPDX-License-Identifier: Apache-2.0
// A crash test: an image, recovery, probes, and the oracle's judgement of the outcome.
//
// Guarantee: a test is run and counted once for each image and context. Writes of the program to its pool without hooks
// are detected from time to time, and from then on the whole pool is restored.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/crash/image_samples.hpp"
#include "host/crash/oracle_questions.hpp"
#include "host/crash/pristine_process.hpp"
#include "host/crash/trace_walk.hpp"

namespace linpoint::runtime::crash {

struct Counts {
  std::array<std::uint64_t, kClasses> tests{};
  std::uint64_t duplicates = 0;
  std::uint64_t retests = 0;
};

class Tester {
 public:
  Tester(Oracle& oracle, Keeper& keeper) : oracle_(oracle), keeper_(keeper) {}

  /// Tests a state at the current moment of the walk. `more`: writes that come last. Whether the outcome is allowed.
  bool passes(Walk& walk, Class kind, const Context& context, const CrashState& state,
              std::span<const persistency::Write> more = {});
  /// The same, to find out more about a failure.
  bool passes_again(Walk& walk, Class kind, const Context& context, const CrashState& state);
  /// Whether the last call of `passes` ran the test, instead of using a known result.
  [[nodiscard]] bool was_new() const { return was_new_; }
  /// Tests in a separate process. The outcome is in `confirmed`.
  bool fails_elsewhere(Walk& walk, Class kind, const Context& context, const CrashState& state,
                       std::span<const persistency::Write> more);
  [[nodiscard]] const Outcome& confirmed() const { return confirmed_; }
  /// Lines that the last run has read, while lines are watched; none if it was run before.
  [[nodiscard]] const std::vector<std::uint64_t>& read_lines() const { return read_lines_; }

  /// Another moment, all of whose images must be watched.
  void watch_all() { watched_.clear(); }

  /// Checks at the end that the pool has the expected content.
  static void check_pool(Walk& walk, bool everything);

  Counts counts;
  std::int64_t fuel = 0;
  Hooks hooks = kLean;
  bool stopped = false;  ///< the program was refused
  std::string reason;

 private:
  /// The known result of the image in the pool, whose hash is `key_`; if there is none, runs the test.
  std::uint8_t& find(Walk& walk, Class kind, const Context& context);
  void put(Walk& walk, const Context& context, const CrashState& state, std::span<const persistency::Write> more);

  Oracle& oracle_;
  Keeper& keeper_;
  HashTable seen_;
  HashTable watched_;
  Samples samples_;
  std::vector<persistency::Write> writes_;
  std::vector<std::uint64_t> read_lines_;
  Outcome confirmed_;
  Hash key_ = 0;
  bool was_new_ = false;
  std::uint64_t runs_ = 0;
};

}  // namespace linpoint::runtime::crash
