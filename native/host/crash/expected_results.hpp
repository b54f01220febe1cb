// SPDX-License-Identifier: Apache-2.0
// The expected results of probes after a crash in each operation of the workload, as far as the states of the spec
// determine them.
//
// The oracle knows them before any crash and sends them once, as changes from moment to moment; most outcomes are then
// compared here, without a query. Guarantee: an outcome is allowed here only if the oracle would allow it too. Cost:
// for an operation, the results of its probes; for an outcome, a comparison of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/crash/crash_plan.hpp"

namespace linpoint::runtime::crash {

class ExpectedResults {
 public:
  explicit ExpectedResults(const Scenario& scenario) : scenario_(scenario) {}

  /// For each operation of the workload a line "before", then changes, a line "after", then changes. A change is the
  /// number of a probe and its result as JSON; an empty result if it is not unique.
  void read(std::string text);

  /// Results of probes, concatenated.
  struct Seen {
    std::string_view text;
    const std::uint32_t* ends = nullptr;  ///< the end of each
    std::size_t count = 0;
  };
  /// Whether this is an expected result of a crash in an operation, or after it. False if that is not known.
  [[nodiscard]] bool allows(std::size_t operation, bool returned, const std::vector<unsigned>& probes,
                            const Seen& seen);

 private:
  struct Change {
    unsigned number = 0;
    std::string_view result;
  };
  struct Expected {
    std::string text;
    std::vector<std::uint32_t> ends;
    bool known = false;

    [[nodiscard]] bool is(const Seen& seen) const;
  };

  [[nodiscard]] std::size_t operations() const { return sections_.size() / 2; }
  void go_to(std::size_t operation);
  void apply(std::size_t section);
  void write(Expected& into) const;

  static constexpr std::size_t kNowhere = ~std::size_t{0};

  const Scenario& scenario_;
  std::string text_;
  std::vector<Change> changes_;
  std::vector<std::size_t> sections_;  ///< the end of each section of the changes: before and after each operation
  std::vector<std::string_view> now_;  ///< by number
  std::size_t operation_ = kNowhere;
  std::size_t applied_ = 0;  ///< number of sections
  std::vector<unsigned> probes_;
  Expected before_;
  Expected after_;
};

}  // namespace linpoint::runtime::crash
