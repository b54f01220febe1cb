// SPDX-License-Identifier: Apache-2.0
// What `collect` is made of: how contents, attributes and calls touch objects.
#pragma once

#include "accesses.hpp"

namespace linpoint::control {

using explore::Mode;

/// Types that the interpreter does not export by name; some may be null.
struct Types {
  PyTypeObject* deque;
  PyTypeObject* lock;
  PyTypeObject* rlock;
  PyTypeObject* method_wrapper;
};

[[nodiscard]] const Types& types();

/// Whether its methods and attributes are Python's: types of C modules are static, or cannot be changed.
[[nodiscard]] inline bool is_python_class(PyTypeObject* type) {
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 && (type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) == 0;
}

[[nodiscard]] bool is_container(PyObject* object);
[[nodiscard]] bool cannot_change(PyObject* object);

/// The instruction may depend on what is in no access: code written in C looks at objects by itself.
void look_opaquely();

/// What an object holds, and what an iterator goes over.
void contents(PyObject* object, Mode mode, std::vector<Touched>& out);

void attribute(PyObject* object, PyObject* name, Mode mode, std::vector<Touched>& out);

/// What super().name finds: in a class after `from`, in the order of bases of `type`.
void super_attribute(PyTypeObject* type, PyObject* from, PyObject* name, std::vector<Touched>& out);

/// A class pattern looks at attributes: `count` positional ones, which have their names in the class, and others.
void matched_attributes(PyObject** top, Py_ssize_t count, std::vector<Touched>& out);

/// As many attributes as any class pattern with these `names` could look at.
void every_matched_attribute(PyObject* subject, PyObject* names, std::vector<Touched>& out);

/// What code that cannot be followed does with an argument, by the names that it has.
void unseen(PyObject* argument, PyObject* read, PyObject* written, std::vector<Touched>& out);

/// Names are compared by address: that of the one interned string.
[[nodiscard]] PyObject* interned(PyObject* name);

/// A lock, or what is Python on top of one, as a condition or a queue is; else null.
[[nodiscard]] PyObject* waited_for(PyObject* object);

/// A call with `count` arguments beneath `top`; gives what is waited for, as `collect` does.
PyObject* call_on_stack(PyObject** top, Py_ssize_t count, std::vector<Touched>& out);

/// A call of something that is no method still to be bound.
PyObject* call_of(PyObject* callable, PyObject* const* args, Py_ssize_t count, std::vector<Touched>& out);

/// A call with its arguments in a tuple, or in something that is about to become one.
PyObject* spread(PyObject* callable, PyObject* args, std::vector<Touched>& out);

/// A call with its arguments in a tuple, and perhaps a dict.
PyObject* call_with_tuple(PyObject** top, bool with_names, std::vector<Touched>& out);

}  // namespace linpoint::control
