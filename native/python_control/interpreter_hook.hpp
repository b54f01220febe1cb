// SPDX-License-Identifier: Apache-2.0
// Python's events before instructions: from PyEval_SetTrace on 3.11, sys.monitoring from 3.12 on, or the code itself
// (announced_accesses.hpp).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "python_control/operand_accesses.hpp"
#include "python_control/thread_controller.hpp"

namespace linpoint::control {

/// The location of an instruction.
struct Spot {
  PyCodeObject* code = nullptr;  ///< null: use the line of the current frame, if it is needed
  std::size_t index = 0;         ///< in units of the code
  std::int32_t depth = 0;        ///< number of operands to show
  PyObject* call = nullptr;      ///< the frame object, if it is known
};

/// Before an instruction of a process: a scheduling point if it touches something shared. False if an exception is set.
[[nodiscard]] bool before(ProcessSlot& slot, const Instruction& instruction, const Operands& operands,
                          const Spot& spot);
/// For a thread without a process: false, with an exception set, if it has executed too much, or should have ended.
[[nodiscard]] bool goes_on_alone();

/// A process begins or ends on the calling thread.
void enter_hook();
void leave_hook();
/// Starts or stops counting the calling thread's instructions.
void hook_alone(bool on);

void bind_hook(nanobind::module_& m);

}  // namespace linpoint::control
