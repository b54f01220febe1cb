// SPDX-License-Identifier: Apache-2.0
// Waiting in a loop: has a process come round to where it was, having done nothing but read?
//
// Guarantee: it is said only of the same instruction in the same call of a function, with the same objects in its
// variables and on its stack, when the process has only read in between, by instructions of which all reads are known,
// and nobody has written any of that since. What comes next is what came before, until somebody writes one of these
// places. Cost: a count for each reading step; past a few of them in a row, a look at the variables now and then.
#pragma once

#include <Python.h>

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::control {

/// Before an instruction: the call that executes it, and what it has in variables and on the stack.
struct Moment {
  PyObject* call = nullptr;  ///< its frame object; null if nobody has asked for it, so that none was kept
  std::size_t instruction = 0;
  std::span<PyObject* const> values;
};

class Spin {
 public:
  Spin() = default;
  ~Spin() { forget(); }
  Spin(const Spin&) = delete;
  Spin& operator=(const Spin&) = delete;

  /// Before a step that only reads: whether the process has come round.
  [[nodiscard]] bool comes_round(const Moment& now, std::span<const explore::Access> reads);
  /// It sleeps for some time; nothing else has changed by that.
  void sleep() { slept_ = true; }
  [[nodiscard]] bool slept() const { return slept_; }
  /// It does something else than reading, or somebody has written what it has read.
  void forget();
  [[nodiscard]] bool has_read(const explore::Access& place) const;

 private:
  void look_from(const Moment& now);
  void let_go();

  PyObject* call_ = nullptr;
  std::size_t instruction_ = 0;
  std::vector<PyObject*> values_;  ///< kept, so that no other object can be taken for one of them
  std::vector<explore::Access> reads_;
  std::uint64_t steps_ = 0;
  std::uint64_t next_look_ = 0;
  bool slept_ = false;
};

}  // namespace linpoint::control
