// SPDX-License-Identifier: Apache-2.0
// What `collect` is made of: how contents, attributes and calls touch objects.
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

/// Whether its methods and attributes are Python's: types of C modules are static, or cannot be changed.
[[nodiscard]] inline bool is_python_class(PyTypeObject* type) {
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 && (type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) == 0;
}

[[nodiscard]] bool is_container(PyObject* object);
[[nodiscard]] bool cannot_change(PyObject* object);

/// The instruction may depend on what is in no access: code written in C looks at objects by itself.
void look_opaquely();

/// Something was touched that no access tells.
void look_past();

/// What an object holds, and what an iterator goes over.
void contents(PyObject* object, Mode mode, std::vector<Touched>& out);

/// Also what its members hold, and theirs; as far as `objects`, also the attributes of objects of Python's classes.
void deep_contents(PyObject* object, Mode mode, bool objects, std::vector<Touched>& out);

/// What a subscript reads; a dict with defaults makes what is missing.
void item(PyObject* object, std::vector<Touched>& out);

/// Attributes and contents.
void whole(PyObject* object, Mode mode, std::vector<Touched>& out);

/// What code written in C touches when it calls this: methods of containers are such code themselves.
void callback(PyObject* callable, std::vector<Touched>& out);

/// Whether code written in C that calls this looks at attributes by itself.
[[nodiscard]] bool looks_at_attributes(PyObject* callable);

/// The dict of an object's attributes, borrowed; null if it has none.
[[nodiscard]] PyObject* dict_of(PyObject* object);

/// `code` says that methods and properties count too.
void attribute(PyObject* object, PyObject* name, Mode mode, bool code, std::vector<Touched>& out);

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

/// What an `operator.attrgetter` reads of an object.
void got_attributes(PyObject* getter, PyObject* object, std::vector<Touched>& out);

/// Whether it is a function of Python that is left alone, and makes no points of its own.
[[nodiscard]] bool is_one_step(PyObject* function);

/// Whether a method of this name leaves a container as it is.
[[nodiscard]] bool only_reads(std::string_view method);

/// A call with `count` arguments beneath `top`; gives what is waited for, as `collect` does.
PyObject* call_on_stack(PyObject** top, Py_ssize_t count, std::vector<Touched>& out);

/// A call of something that is no method still to be bound.
PyObject* call_of(PyObject* callable, PyObject* const* args, Py_ssize_t count, std::vector<Touched>& out);

/// A call with its arguments in a tuple, or in something that is about to become one.
PyObject* spread(PyObject* callable, PyObject* args, std::vector<Touched>& out);

/// A call with its arguments in a tuple, and perhaps a dict.
PyObject* call_with_tuple(PyObject** top, bool with_names, std::vector<Touched>& out);

}  // namespace linpoint::control
