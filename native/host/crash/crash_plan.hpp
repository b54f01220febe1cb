// SPDX-License-Identifier: Apache-2.0
// What a persistent object is to do: the workload, the probes after a crash, and what is asked besides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linpoint/persistency/persistence.hpp"

namespace linpoint::runtime::crash {

/// Code of the program by the number of its module in `CodePlaces` and its offset there.
struct CodePlace {
  std::size_t module = 0;
  std::uint64_t offset = 0;
};

struct Scenario {
  struct Probe {
    unsigned number = 0;
    std::size_t since = 0;  ///< only for crashes in or after this one of the workload
  };

  std::vector<unsigned> workload;  ///< numbers of operations, in order
  std::vector<Probe> probes;
  std::vector<unsigned> beside;  ///< may overlap operations of the workload, too
  std::vector<Probe> reads;      ///< each may overlap that one of the workload
  bool in_order = true;          ///< the workload has the numbers from 0 on

  /// The probes after a crash in or after one of the workload.
  void collect_probes(std::size_t operation, std::vector<unsigned>& into) const;
};

/// Of the part with the operations. What is wrong with it is for the program to say.
[[nodiscard]] Scenario read_scenario(std::string_view text);

/// Of the second part.
struct Request {
  std::vector<CodePlace> healed;
  bool has_crash = false;
  std::uint32_t crash = 0;  ///< so many events have happened
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
