// SPDX-License-Identifier: Apache-2.0
// Where Python tells what it is about to do: PyEval_SetTrace on 3.11, sys.monitoring from 3.12 on, or the code itself
// (announced_accesses.hpp).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "python_control/operand_accesses.hpp"
#include "python_control/thread_controller.hpp"

namespace linpoint::control {

/// Where an instruction is.
struct Spot {
  PyCodeObject* code = nullptr;  ///< null: ask for the line of the present frame, if anybody wants to know
  std::size_t index = 0;         ///< in units of the code
  std::int32_t depth = 0;        ///< how many operands there are to be shown
  PyObject* call = nullptr;      ///< the frame object, if it is known
};

/// Before an instruction of a process: a point, if it touches something shared. False if an exception is set.
[[nodiscard]] bool before(ProcessSlot& slot, const Instruction& instruction, const Operands& operands,
                          const Spot& spot);
/// Of a thread that has no process: false, with an exception set, if it has executed too much, or should have ended.
[[nodiscard]] bool goes_on_alone();

/// A process begins or ends on the calling thread.
void enter_hook();
void leave_hook();
/// The calling thread's instructions are counted, or no more.
void hook_alone(bool on);

void bind_hook(nanobind::module_& m);

}  // namespace linpoint::control
