// SPDX-License-Identifier: Apache-2.0
// Code that announces what it is about to touch: instrumented sources call these functions instead of being watched.
//
// Guarantee: an announcement has the rules of `collect` and the points of the hook, with its operands as if they were
// on the value stack; nothing of the interpreter's frames is looked at. Cost: a call of a C function for each access.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include "python_control/operand_accesses.hpp"

namespace linpoint::control {

/// An access comes next, with these operands, the topmost last; the object is `at` places from the top, where that is
/// not the usual one. False if an exception is set.
[[nodiscard]] bool announce(Action action, PyObject* name, std::span<PyObject*> operands, std::int32_t at = 0);

/// A point where others may go on under a global lock: after a call, and when a loop goes back.
[[nodiscard]] bool announce_break();

/// The binary operation of this number, as BINARY_OP counts them; null if it has raised.
[[nodiscard]] PyObject* operate(Py_ssize_t number, PyObject* left, PyObject* right);

void bind_announcing(nanobind::module_& m);
/// Objects that stand for operands, and announce what is done with them.
void bind_announced(nanobind::module_& m);

}  // namespace linpoint::control
