// SPDX-License-Identifier: Apache-2.0
// The tests of a persistent object: the workload, the probes after a crash, and further requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linpoint/persistency/persistence.hpp"

namespace linpoint::runtime::crash {

/// A code location of the program: the number of its module in `CodePlaces` and its offset there.
struct CodePlace {
  std::size_t module = 0;
  std::uint64_t offset = 0;
};

struct Scenario {
  struct Probe {
    unsigned number = 0;
    std::size_t since = 0;  ///< only for crashes in or after this operation of the workload
  };

  std::vector<unsigned> workload;  ///< numbers of operations, in order
  std::vector<Probe> probes;
  std::vector<unsigned> beside;  ///< may run concurrently with operations of the workload
  std::vector<Probe> reads;      ///< each may run concurrently with its operation of the workload
  bool in_order = true;          ///< the workload has the numbers from 0 on

  /// The probes after a crash in or after an operation of the workload.
  void collect_probes(std::size_t operation, std::vector<unsigned>& into) const;
};

/// Reads the part with the operations. The program reports errors in it.
[[nodiscard]] Scenario read_scenario(std::string_view text);

/// The second part of the input.
struct Request {
  std::vector<CodePlace> healed;
  bool has_crash = false;
  std::uint32_t crash = 0;  ///< number of events that have happened
  std::vector<persistency::Kept> kept;
  struct Overlapped {
    unsigned first = 0;
    unsigned second = 0;
    std::uint32_t store = 0;
  };
  std::optional<Overlapped> overlap;  ///< DL3
  bool has_prefix = false;
  std::vector<unsigned> prefix;
};

[[nodiscard]] Request read_request(std::string_view text);

}  // namespace linpoint::runtime::crash
