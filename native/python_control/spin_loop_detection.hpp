// SPDX-License-Identifier: Apache-2.0
// Detects waiting loops: whether a process has returned to an earlier state, having only read.
//
// Guarantee: reported only for the same instruction in the same call of a function, with the same objects in its
// variables and on its stack, when the process has only read in between, by instructions whose reads are all known, and
// no other process has written any of these places since. What follows repeats until another process writes one of
// these places. Cost: a counter increment for each reading step; beyond a few in a row, an occasional comparison of the
// variables.
#pragma once

#include <Python.h>

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::control {

/// Before an instruction: the call that executes it, and its variables and stack.
struct Moment {
  PyObject* call = nullptr;  ///< its frame object; null if it was never created, so that none was kept
  std::size_t instruction = 0;
  std::span<PyObject* const> values;
};

class Spin {
 public:
  Spin() = default;
  ~Spin() { forget(); }
  Spin(const Spin&) = delete;
  Spin& operator=(const Spin&) = delete;

  /// Before a step that only reads: whether the process has returned to an earlier state.
  [[nodiscard]] bool comes_round(const Moment& now, std::span<const explore::Access> reads);
  /// The process sleeps for some time; nothing else changes.
  void sleep() { slept_ = true; }
  [[nodiscard]] bool slept() const { return slept_; }
  /// The process does something other than reading, or another process has written one of its places.
  void forget();
  [[nodiscard]] bool has_read(const explore::Access& place) const;

 private:
  void look_from(const Moment& now);
  void let_go();

  PyObject* call_ = nullptr;
  std::size_t instruction_ = 0;
  std::vector<PyObject*> values_;  ///< kept alive, so that no other object can have the same address
  std::vector<explore::Access> reads_;
  std::uint64_t steps_ = 0;
  std::uint64_t next_look_ = 0;
  bool slept_ = false;
};

}  // namespace linpoint::control
