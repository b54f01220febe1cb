// SPDX-License-Identifier: Apache-2.0
// Some of the images that are tested, as files, with what came of them: so that others can make the same tests.
//
// Only where `--images` names a folder. Each is the pool from its first byte to the last one that was used.
#pragma once

#include <cstdint>
#include <string>

#include "host/crash/oracle_questions.hpp"
#include "host/crash/trace_walk.hpp"

namespace linpoint::runtime::crash {

class Samples {
 public:
  /// Whether the next test is one of them.
  [[nodiscard]] bool wanted();
  /// What is in the pool now.
  void keep(const Walk& walk);
  void send(const Oracle& oracle, Class kind, const Context& context, const Outcome& outcome, bool allowed) const;

 private:
  std::uint64_t tests_ = 0;
  std::string path_;  ///< of the last one
  std::uint64_t cursor_ = 0;
};

}  // namespace linpoint::runtime::crash
