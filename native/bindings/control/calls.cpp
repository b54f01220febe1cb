// SPDX-License-Identifier: Apache-2.0
// What a call touches: the object of a method and the arguments, as far as code written in C looks at them.
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "touching.hpp"

namespace linpoint::control {

namespace {

bool weakly = false;

const std::unordered_set<std::string_view>& reading_methods() {
  static const std::unordered_set<std::string_view> names{
      "get",        "keys",         "values",       "items",           "copy",        "index",
      "count",      "__contains__", "__len__",      "__iter__",        "__getitem__", "union",
      "difference", "intersection", "issubset",     "issuperset",      "isdisjoint",  "symmetric_difference",
      "__eq__",     "__ne__",       "__reversed__", "__length_hint__", "fromkeys",    "__repr__",
      "__sizeof__", "__reduce__",   "__copy__"};
  return names;
}

/// Functions that only look at their arguments; iterators among these move on all the same.
const std::unordered_set<std::string_view>& reading_functions() {
  static const std::unordered_set<std::string_view> names{"len",          "sorted",
                                                          "sum",          "min",
                                                          "max",          "any",
                                                          "all",          "iter",
                                                          "next",         "repr",
                                                          "print",        "id",
                                                          "hash",         "abs",
                                                          "isinstance",   "issubclass",
                                                          "callable",     "bool",
                                                          "divmod",       "format",
                                                          "ascii",        "round",
                                                          "pow",          "chr",
                                                          "ord",          "bin",
                                                          "hex",          "oct",
                                                          "dir",          "open",
                                                          "compile",      "eval",
                                                          "exec",         "input",
                                                          "locals",       "globals",
                                                          "vars",         "__build_class__",
                                                          "__import__",   "nsmallest",
                                                          "nlargest",     "bisect_left",
                                                          "bisect_right", "dumps",
                                                          "deepcopy",     "time",
                                                          "monotonic",    "perf_counter"};
  return names;
}

const std::unordered_map<std::string_view, Mode>& attribute_functions() {
  static const std::unordered_map<std::string_view, Mode> names{
      {"getattr", Mode::kRead}, {"hasattr", Mode::kRead}, {"setattr", Mode::kWrite}, {"delattr", Mode::kWrite}};
  return names;
}

void arguments(PyObject* const* args, Py_ssize_t count, Mode mode, std::vector<Touched>& out) {
  for (Py_ssize_t i = 0; i < count; ++i) contents(args[i], mode, out);
}

struct Called {
  PyObject* callable = nullptr;
  PyObject* self = nullptr;
  PyObject* const* args = nullptr;
  Py_ssize_t count = 0;
};

/// A method written in C, of `self`, with the arguments after it.
PyObject* method(PyObject* self, std::string_view name, PyObject* const* args, Py_ssize_t count,
                 std::vector<Touched>& out) {
  if (self == nullptr) return nullptr;
  if (PyObject* waited = waited_for(self); waited != nullptr) return waited;
  if (!is_container(self)) look_opaquely();
  if (name == "__setattr__" || name == "__delattr__" || name == "__getattribute__") {
    if (count > 0) attribute(self, interned(args[0]), name == "__getattribute__" ? Mode::kRead : Mode::kWrite, out);
    return nullptr;
  }
  if (is_container(self) || !is_python_class(Py_TYPE(self))) {
    contents(self, reading_methods().contains(name) ? Mode::kRead : Mode::kWrite, out);
  } else if (name != "__init__" && name != "__new__" && name != "__init_subclass__") {
    out.push_back({self, nullptr, reading_methods().contains(name) ? Mode::kRead : Mode::kWrite});
  }
  arguments(args, count, Mode::kRead, out);
  return nullptr;
}

PyObject* function(const Called& called, std::vector<Touched>& out) {
  // `called.callable` is a function written in C: with a module or nothing as its self, or a bound method.
  PyObject* self = PyCFunction_GET_SELF(called.callable);
  const std::string_view name = reinterpret_cast<PyCFunctionObject*>(called.callable)->m_ml->ml_name;  // NOLINT
  if (self != nullptr && !PyModule_Check(self) && !PyType_Check(self)) {
    return method(self, name, called.args, called.count, out);
  }
  if (name != "len") look_opaquely();
  if (const auto found = attribute_functions().find(name); found != attribute_functions().end() && called.count >= 2) {
    attribute(called.args[0], interned(called.args[1]), found->second, out);
    return nullptr;
  }
  arguments(called.args, called.count, reading_functions().contains(name) ? Mode::kRead : Mode::kWrite, out);
  return nullptr;
}

std::string_view name_of_descriptor(PyObject* descriptor) {
  PyObject* name = reinterpret_cast<PyDescrObject*>(descriptor)->d_name;  // NOLINT
  const char* text = name == nullptr ? nullptr : PyUnicode_AsUTF8(name);
  return text == nullptr ? "" : text;
}

/// A bound method such as super().__setitem__; null if it is none.
PyObject* bound(const Called& called, std::vector<Touched>& out) {
  PyObject* self = PyObject_GetAttrString(called.callable, "__self__");
  PyObject* name = PyObject_GetAttrString(called.callable, "__name__");
  const char* text = name == nullptr ? nullptr : PyUnicode_AsUTF8(name);
  PyErr_Clear();
  PyObject* lock = self == nullptr || text == nullptr ? nullptr : method(self, text, called.args, called.count, out);
  Py_XDECREF(self);  // the callable keeps it
  Py_XDECREF(name);
  return lock;
}

/// A function of Python that is left alone: one step, which may change the object it is a method of, and what it is
/// given.
void foreign(const Called& called, std::vector<Touched>& out) {
  if (PyObject* self = called.self; self != nullptr && is_python_class(Py_TYPE(self))) {
    out.push_back({self, nullptr, Mode::kWrite});
  }
  for (Py_ssize_t i = 0; i < called.count; ++i) {
    PyObject* each = called.args[i];
    if (each != nullptr && is_python_class(Py_TYPE(each)) && !PyExceptionInstance_Check(each)) {
      out.push_back({each, nullptr, Mode::kWrite});
    }
  }
  arguments(called.args, called.count, Mode::kWrite, out);
}

bool is_one_step(PyObject* function) {
  return PyFunction_Check(function) && one_step != nullptr &&
         one_step(
             reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function)));  // NOLINT: as all of Python's objects
}

PyObject* call(const Called& called, std::vector<Touched>& out) {
  PyObject* callable = called.callable;
  if (callable == nullptr) return nullptr;
  if (PyFunction_Check(callable)) {
    if (is_one_step(callable)) foreign(called, out);
    return waited_for(called.self);
  }
  if (PyCFunction_Check(callable)) return function(called, out);
  if (Py_TYPE(callable) == &PyMethodDescr_Type || Py_TYPE(callable) == &PyWrapperDescr_Type) {
    const std::string_view name = name_of_descriptor(callable);
    if (called.self != nullptr) return method(called.self, name, called.args, called.count, out);
    return called.count == 0 ? nullptr : method(called.args[0], name, called.args + 1, called.count - 1, out);
  }
  if (Py_TYPE(callable) == types().method_wrapper) return bound(called, out);
  if (PyMethod_Check(callable)) {  // its function comes by itself, unless it is left alone
    PyObject* self = PyMethod_GET_SELF(callable);
    if (is_one_step(PyMethod_GET_FUNCTION(callable))) foreign({callable, self, called.args, called.count}, out);
    return waited_for(self);
  }
  if (PyType_Check(callable)) {
    look_opaquely();
    arguments(called.args, called.count, Mode::kRead, out);
    return nullptr;
  }
  if (PyWeakref_CheckRef(callable)) {  // what it gives depends on who lets go of the object, which no access tells
    weakly = true;
    look_opaquely();
    out.push_back({callable, nullptr, Mode::kRead});
    return nullptr;
  }
  // Such as functools.partial. A static method is called as what it stands for.
  if (Py_TYPE(callable) != &PyStaticMethod_Type) look_opaquely();
  if (!is_python_class(Py_TYPE(callable))) arguments(called.args, called.count, Mode::kRead, out);
  return nullptr;
}

Called on_stack(PyObject** top, Py_ssize_t count) {
  Called called;
  called.args = top - count;
  called.count = count;
#if PY_VERSION_HEX >= 0x030D0000
  called.callable = top[-count - 2];
  called.self = top[-count - 1];
#else
  const bool method = top[-count - 2] != nullptr;
  called.callable = method ? top[-count - 2] : top[-count - 1];
  called.self = method ? top[-count - 1] : nullptr;
#endif
  return called;
}

}  // namespace

bool looked_weakly() { return std::exchange(weakly, false); }

PyObject* call_on_stack(PyObject** top, Py_ssize_t count, std::vector<Touched>& out) {
  return call(on_stack(top, count), out);
}

PyObject* call_of(PyObject* callable, PyObject* const* args, Py_ssize_t count, std::vector<Touched>& out) {
  return call({callable, nullptr, args, count}, out);
}

PyObject* spread(PyObject* callable, PyObject* args, std::vector<Touched>& out) {
  Called called{.callable = callable};
  if (args != nullptr && PyTuple_Check(args)) {
    called.args = reinterpret_cast<PyTupleObject*>(args)->ob_item;  // NOLINT
    called.count = PyTuple_GET_SIZE(args);
  } else {
    contents(args, Mode::kRead, out);
  }
  return call(called, out);
}

PyObject* call_with_tuple(PyObject** top, bool with_names, std::vector<Touched>& out) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject* callable = top[with_names ? -4 : -3];
#else
  PyObject* callable = top[with_names ? -3 : -2];
#endif
  return spread(callable, top[with_names ? -2 : -1], out);
}

}  // namespace linpoint::control
