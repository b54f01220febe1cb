// SPDX-License-Identifier: Apache-2.0
// Saves some of the tested images as files, with their outcomes, so that others can repeat the tests.
//
// Only if `--images` names a directory. Each image is the pool from its first byte to the last one used.
#pragma once

#include <cstdint>
#include <string>

#include "host/crash/oracle_questions.hpp"
#include "host/crash/trace_walk.hpp"

namespace linpoint::runtime::crash {

class Samples {
 public:
  /// Whether the next test is to be saved.
  [[nodiscard]] bool wanted();
  /// Saves the current content of the pool.
  void keep(const Walk& walk);
  void send(const Oracle& oracle, Class kind, const Context& context, const Outcome& outcome, bool allowed) const;

 private:
  std::uint64_t tests_ = 0;
  std::string path_;  ///< of the last one
  std::uint64_t cursor_ = 0;
};

}  // namespace linpoint::runtime::crash
