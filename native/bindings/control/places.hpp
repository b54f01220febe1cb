// SPDX-License-Identifier: Apache-2.0
// Which places of a Python object can change, and which of them an access by name or of the contents touches.
#pragma once

#include <Python.h>

#include <vector>

#include "accesses.hpp"

namespace linpoint::control {

/// Those of C modules are static, or cannot be changed.
[[nodiscard]] bool is_python_class(PyTypeObject* type);
[[nodiscard]] bool is_container(PyObject* object);
/// A bound method of a slot, such as super().__setitem__.
[[nodiscard]] bool is_method_wrapper(PyObject* object);

/// What an object holds, as a container, an iterator or a view; nothing if it cannot change.
void contents(PyObject* object, explore::Mode mode, std::vector<Touched>& out);
/// `name` is interned.
void attribute(PyObject* object, PyObject* name, explore::Mode mode, std::vector<Touched>& out);
/// What super().name finds: in a class after `from`, in the order of bases of `type`.
void super_attribute(PyTypeObject* type, PyObject* from, PyObject* name, std::vector<Touched>& out);
/// Names are compared by address: that of the one interned string. Null for what is no name.
[[nodiscard]] PyObject* interned(PyObject* name);

/// A lock, or what is Python on top of one, as a condition or a queue is; else null.
[[nodiscard]] PyObject* waited_for(PyObject* object);
/// Types on top of locks: like real locks, their objects may have been made without control. Borrowed, for ever.
void look_out_for(std::vector<PyTypeObject*> types_on_locks);

}  // namespace linpoint::control
