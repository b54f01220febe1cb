// SPDX-License-Identifier: Apache-2.0
// Why a crash test fails: which stores should have been persistent, or should not have happened yet.
//
// *Lost*: the test passes if further stores are persistent; the cause is a minimal set of lines that achieves this, and
// in each of them the first store that suffices (QuickXplain: Junker, AAAI 2004). *Unrecovered*: it fails although
// everything is persistent; the cause is the store after which it began to fail. *Lock*: it fails because a lock is
// still locked after the crash. Failures of one family with their cause in the same code form one group.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/crash/crash_tester.hpp"

namespace linpoint::runtime::crash {

enum class Family : std::uint8_t { kLost, kUnrecovered, kLock };

inline constexpr std::uint32_t kNoEvent = ~std::uint32_t{0};

/// A failed test.
struct Failure {
  Class kind = Class::kDl1;
  Context context;
  CrashState state;
  std::vector<persistency::Write> more;
  std::uint32_t operation = 0;    ///< number of the operation that crashes or has just returned
  std::uint32_t sync = kNoEvent;  ///< the store that was tested
  /// The state has everything, and fails since this store; or the store that leaves a lock locked.
  std::uint32_t culprit = kNoEvent;
  /// The same, if it turns out that everything fails.
  std::uint32_t suspect = kNoEvent;
  bool lock = false;
  /// Of two concurrent operations: their numbers, and the store of the first after which it was paused.
  struct Overlapped {
    unsigned first = 0;
    unsigned second = 0;
    std::uint32_t store = 0;
  };
  std::optional<Overlapped> overlap;
  /// For a crash of the recovery: the previous crash, from which it recovered.
  struct Earlier {
    std::uint32_t position = 0;
    std::vector<persistency::Kept> kept;
  };
  std::optional<Earlier> earlier;
};

struct Cause {
  Family family = Family::kLost;
  std::uint32_t root = kNoEvent;
  std::vector<std::uint32_t> also;
  std::uint32_t before = kNoEvent;  ///< it must be persistent before this store
  bool proven = false;
};

struct Group {
  Family family = Family::kLost;
  std::uint64_t code = 0;
  std::vector<std::uint64_t> codes;  ///< of all its stores
  std::uint64_t count = 0;
  std::array<bool, kClasses> classes{};
};

class Causes {
 public:
  explicit Causes(Tester& tester) : tester_(tester) {}

  /// Counts a failure in its group. If the group is new: its cause, once the failure was confirmed.
  [[nodiscard]] std::optional<Cause> add(Walk& walk, const Failure& failure);
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  /// Code whose stores count as persistent from the next operation on.
  [[nodiscard]] const std::vector<std::uint64_t>& healed() const { return healed_; }
  [[nodiscard]] std::uint64_t unconfirmed() const { return unconfirmed_; }

 private:
  [[nodiscard]] bool is_of(Walk& walk, const Failure& failure, Group& group);
  [[nodiscard]] bool is_known(Walk& walk, const Failure& failure);
  [[nodiscard]] Cause find(Walk& walk, const Failure& failure);
  [[nodiscard]] Cause find_lost(Walk& walk, const Failure& failure, std::vector<persistency::Kept> candidates);
  [[nodiscard]] std::uint32_t find_earlier(Walk& walk, const Failure& failure, std::uint32_t root);
  [[nodiscard]] bool repairs(Walk& walk, const Failure& failure, const std::vector<persistency::Kept>& more);
  [[nodiscard]] std::vector<persistency::Kept> needed(Walk& walk, const Failure& failure,
                                                      const std::vector<persistency::Kept>& background, bool changed,
                                                      const std::vector<persistency::Kept>& candidates);
  void count(const Walk& walk, Group& group, const Failure& failure, std::uint32_t root = kNoEvent);
  [[nodiscard]] Group* find_group(Family family, std::uint64_t code);

  Tester& tester_;
  std::vector<Group> groups_;
  std::vector<std::uint64_t> healed_;
  std::uint64_t unconfirmed_ = 0;
};

}  // namespace linpoint::runtime::crash
