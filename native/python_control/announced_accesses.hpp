// SPDX-License-Identifier: Apache-2.0
// Code that announces its accesses: instrumented sources call these functions instead of being traced.
//
// Guarantee: an announcement follows the rules of `collect` and the scheduling points of the hook, with its operands
// treated as if they were on the value stack; the interpreter's frames are not read. Cost: a call of a C function for
// each access.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include "python_control/operand_accesses.hpp"

namespace linpoint::control {

/// Announces an access with these operands, the topmost last; the object is `at` places from the top, if not at the
/// usual one. False if an exception is set.
[[nodiscard]] bool announce(Action action, PyObject* name, std::span<PyObject*> operands, std::int32_t at = 0);

/// A point where other threads may run under a global lock: after a call, and at the back edge of a loop.
[[nodiscard]] bool announce_break();

/// The binary operation with this number, as in BINARY_OP; null if it has raised.
[[nodiscard]] PyObject* operate(Py_ssize_t number, PyObject* left, PyObject* right);

void bind_announcing(nanobind::module_& m);
/// Proxies of operands that announce their uses.
void bind_announced(nanobind::module_& m);

}  // namespace linpoint::control
