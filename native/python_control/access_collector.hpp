// SPDX-License-Identifier: Apache-2.0
// The parts of `collect`: how contents, attributes and calls access objects.
#pragma once

#include <string_view>

#include "python_control/operand_accesses.hpp"

namespace linpoint::control {

using explore::Mode;

/// Types that the interpreter does not export by name; some may be null.
struct Types {
  PyTypeObject* deque;
  PyTypeObject* lock;
  PyTypeObject* rlock;
  PyTypeObject* method_wrapper;
  PyTypeObject* default_dict;
  PyTypeObject* cached_function;
  PyTypeObject* partial;
  PyTypeObject* attribute_getter;
  PyTypeObject* item_getter;
  PyTypeObject* method_caller;
};

[[nodiscard]] const Types& types();

/// Whether its methods and attributes are Python's: types of C modules are static, or immutable.
[[nodiscard]] inline bool is_python_class(PyTypeObject* type) {
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 && (type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) == 0;
}

[[nodiscard]] bool is_container(PyObject* object);
[[nodiscard]] bool cannot_change(PyObject* object);

/// The instruction may depend on things that are in no access: C code reads objects directly.
void look_opaquely();

/// Something was touched that no access covers.
void look_past();

/// The contents of an object, and the objects an iterator goes over.
void contents(PyObject* object, Mode mode, std::vector<Touched>& out);

/// Also the contents of its members, recursively; if `objects`, also the attributes of objects of Python classes.
void deep_contents(PyObject* object, Mode mode, bool objects, std::vector<Touched>& out);

/// The accesses of a subscript; a defaultdict creates missing items.
void item(PyObject* object, std::vector<Touched>& out);

/// Attributes and contents.
void whole(PyObject* object, Mode mode, std::vector<Touched>& out);

/// The accesses of C code that calls this: methods of containers are C code themselves.
void callback(PyObject* callable, std::vector<Touched>& out);

/// Whether C code that calls this reads attributes directly.
[[nodiscard]] bool looks_at_attributes(PyObject* callable);

/// The dict of an object's attributes, borrowed; null if it has none.
[[nodiscard]] PyObject* dict_of(PyObject* object);

/// `code`: methods and properties count too.
void attribute(PyObject* object, PyObject* name, Mode mode, bool code, std::vector<Touched>& out);

/// The attribute that super().name finds: in a class after `from`, in the method resolution order of `type`.
void super_attribute(PyTypeObject* type, PyObject* from, PyObject* name, std::vector<Touched>& out);

/// A class pattern reads attributes: `count` positional ones, whose names the class gives, and named ones.
void matched_attributes(PyObject** top, Py_ssize_t count, std::vector<Touched>& out);

/// All attributes that any class pattern with these `names` could read.
void every_matched_attribute(PyObject* subject, PyObject* names, std::vector<Touched>& out);

/// The accesses of code that cannot be followed to an argument, by the names in that code.
void unseen(PyObject* argument, PyObject* read, PyObject* written, std::vector<Touched>& out);

/// Names are compared by address: that of the single interned string.
[[nodiscard]] PyObject* interned(PyObject* name);

/// A lock, or a Python object built on one, such as a condition or a queue; else null.
[[nodiscard]] PyObject* waited_for(PyObject* object);

/// The attributes that an `operator.attrgetter` reads of an object.
void got_attributes(PyObject* getter, PyObject* object, std::vector<Touched>& out);

/// Whether it is an excluded Python function without scheduling points of its own.
[[nodiscard]] bool is_one_step(PyObject* function);

/// Whether a method of this name leaves a container unchanged.
[[nodiscard]] bool only_reads(std::string_view method);

/// A call with `count` arguments below `top`; returns the lock waited for, as `collect` does.
PyObject* call_on_stack(PyObject** top, Py_ssize_t count, std::vector<Touched>& out);

/// A call of something that is not a method still to be bound.
PyObject* call_of(PyObject* callable, PyObject* const* args, Py_ssize_t count, std::vector<Touched>& out);

/// A call with its arguments in a tuple, or in an iterable that becomes one.
PyObject* spread(PyObject* callable, PyObject* args, std::vector<Touched>& out);

/// A call with its arguments in a tuple, and perhaps a dict.
PyObject* call_with_tuple(PyObject** top, bool with_names, std::vector<Touched>& out);

}  // namespace linpoint::control
