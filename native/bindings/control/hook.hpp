// SPDX-License-Identifier: Apache-2.0
// Where Python tells what it is about to do: PyEval_SetTrace on 3.11, sys.monitoring from 3.12 on.
#pragma once

#include <nanobind/nanobind.h>

namespace linpoint::control {

/// A process begins or ends on the calling thread.
void enter_hook();
void leave_hook();
/// The calling thread's instructions are counted, or no more.
void hook_alone(bool on);

void bind_hook(nanobind::module_& m);

}  // namespace linpoint::control
