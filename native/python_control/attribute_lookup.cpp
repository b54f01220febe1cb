// SPDX-License-Identifier: Apache-2.0
// Finds where an attribute is stored: in the object, its class, a base class, or a module. Methods and properties are
// code.
#include <algorithm>
#include <array>

#include "python_control/access_collector.hpp"

namespace linpoint::control {

namespace {

/// Whether the lookup finds code rather than data: methods, properties.
bool is_code(PyObject* found) {
  PyTypeObject* type = Py_TYPE(found);
  if (type->tp_descr_get != nullptr && type->tp_descr_set == nullptr && !is_python_class(type)) return true;
  return type == &PyFunction_Type || type == &PyProperty_Type || type == &PyClassMethod_Type ||
         type == &PyStaticMethod_Type || type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type ||
         type == &PyClassMethodDescr_Type || type == &PyCFunction_Type || PyType_Check(found) || type == &PyModule_Type;
}

/// The first class in the method resolution order that has the name.
PyObject* owner_of(PyTypeObject* type, PyObject* name) {
  PyObject* bases = type->tp_mro;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    PyObject* base = PyTuple_GET_ITEM(bases, i);
    PyObject* names = reinterpret_cast<PyTypeObject*>(base)->tp_dict;  // NOLINT: as for all Python objects
    if (names != nullptr && PyDict_GetItemWithError(names, name) != nullptr) return base;
    PyErr_Clear();
  }
  return nullptr;
}

/// Code is replaced: earlier reads of it were not seen, unless its file also assigns the name.
void replace_code(PyObject* found) {
  if (found != nullptr && is_code(found)) look_past();
}

void class_attribute(PyTypeObject* type, PyObject* name, Mode mode, bool code, std::vector<Touched>& out) {
  PyObject* found = _PyType_Lookup(type, name);
  if (mode == Mode::kRead && !code && found != nullptr && is_code(found)) return;
  if (mode == Mode::kWrite) replace_code(found);
  PyObject* owner = mode == Mode::kRead ? owner_of(type, name) : reinterpret_cast<PyObject*>(type);  // NOLINT
  if (owner == nullptr || !is_python_class(reinterpret_cast<PyTypeObject*>(owner))) return;          // NOLINT
  out.push_back({owner, name, mode});
}

}  // namespace

void super_attribute(PyTypeObject* type, PyObject* from, PyObject* name, std::vector<Touched>& out) {
  PyObject* bases = type->tp_mro;
  bool past = false;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    PyObject* base = PyTuple_GET_ITEM(bases, i);
    auto* as_type = reinterpret_cast<PyTypeObject*>(base);  // NOLINT: as for all Python objects
    PyObject* found = past && as_type->tp_dict != nullptr ? PyDict_GetItemWithError(as_type->tp_dict, name) : nullptr;
    PyErr_Clear();
    if (found != nullptr) {
      if (!is_code(found) && is_python_class(as_type)) out.push_back({base, name, Mode::kRead});
      return;
    }
    past = past || base == from;
  }
}

namespace {

void attribute_of_super(PyObject* super, PyObject* name, std::vector<Touched>& out) {
  PyObject* type = PyObject_GetAttrString(super, "__self_class__");
  PyObject* from = PyObject_GetAttrString(super, "__thisclass__");
  PyErr_Clear();
  if (type != nullptr && from != nullptr && PyType_Check(type)) {
    super_attribute(reinterpret_cast<PyTypeObject*>(type), from, name, out);  // NOLINT
  }
  Py_XDECREF(type);
  Py_XDECREF(from);
}

}  // namespace

PyObject* interned(PyObject* name) {
  if (name == nullptr || !PyUnicode_CheckExact(name)) return nullptr;
  PyObject* one = Py_NewRef(name);
  PyUnicode_InternInPlace(&one);
  Py_DECREF(one);  // the object with the attribute keeps it alive, or it is `name` itself
  return one;
}

namespace {

void attribute_of_module(PyObject* module, PyObject* name, Mode mode, bool code, std::vector<Touched>& out) {
  PyObject* names = PyModule_GetDict(module);
  PyObject* found = PyDict_GetItemWithError(names, name);
  PyErr_Clear();
  if (mode == Mode::kWrite) look_past();  // functions of the module read it by name, like constants
  if (mode == Mode::kWrite || (found != nullptr && (code || !is_code(found)))) out.push_back({names, name, mode});
}

/// For an object whose class is written in C: attributes that the class lacks are in a dict, as for functions.
void attribute_of_native(PyObject* object, PyObject* found, PyObject* name, Mode mode, std::vector<Touched>& out) {
  if (found == nullptr && Py_TYPE(object)->tp_dictoffset != 0) {
    out.push_back({object, name, mode});
  } else if (!is_container(object) && !cannot_change(object)) {
    look_opaquely();
  }
}

}  // namespace

void attribute(PyObject* object, PyObject* name, Mode mode, bool code, std::vector<Touched>& out) {
  if (object == nullptr || name == nullptr) return;
  if (Py_TYPE(object) == &PySuper_Type) return attribute_of_super(object, name, out);
  if (PyModule_Check(object)) return attribute_of_module(object, name, mode, code, out);
  if (PyType_Check(object)) {
    return class_attribute(reinterpret_cast<PyTypeObject*>(object), name, mode, code, out);  // NOLINT
  }
  PyTypeObject* type = Py_TYPE(object);
  PyObject* found = _PyType_Lookup(type, name);
  if (!is_python_class(type)) return attribute_of_native(object, found, name, mode, out);
  if (found != nullptr && is_code(found)) {
    if (Py_TYPE(found) == &PyProperty_Type || (mode == Mode::kRead && !code)) return;
    if (mode == Mode::kWrite) replace_code(found);
  }
  out.push_back({object, name, mode});
  // A default in the class, until the object has its own value.
  if (mode == Mode::kRead && found != nullptr && Py_TYPE(found)->tp_descr_set == nullptr) {
    class_attribute(type, name, mode, code, out);
  }
}

void got_attributes(PyObject* getter, PyObject* object, std::vector<Touched>& out) {
  PyObject* made = PyObject_CallMethod(getter, "__reduce__", nullptr);
  PyObject* names =
      made != nullptr && PyTuple_Check(made) && PyTuple_GET_SIZE(made) > 1 ? PyTuple_GET_ITEM(made, 1) : nullptr;
  PyErr_Clear();
  for (Py_ssize_t i = 0; names != nullptr && PyTuple_Check(names) && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    if (PyUnicode_Check(name) && PyUnicode_FindChar(name, '.', 0, PyUnicode_GET_LENGTH(name), 1) < 0) {
      attribute(object, interned(name), Mode::kRead, true, out);
    } else {
      deep_contents(object, Mode::kRead, true, out);
    }
  }
  Py_XDECREF(made);
}

void matched_attributes(PyObject** top, Py_ssize_t count, std::vector<Touched>& out) {
  PyObject* subject = top[-3];
  PyObject* type = top[-2];
  if (!PyType_Check(type) || !PyObject_TypeCheck(subject, reinterpret_cast<PyTypeObject*>(type))) return;  // NOLINT
  PyObject* positional = count == 0 ? nullptr : PyObject_GetAttrString(type, "__match_args__");
  PyErr_Clear();
  for (PyObject* names : {positional, top[-1]}) {
    if (names == nullptr || !PyTuple_Check(names)) continue;
    const Py_ssize_t most = names == positional ? std::min(count, PyTuple_GET_SIZE(names)) : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < most; ++i)
      attribute(subject, interned(PyTuple_GET_ITEM(names, i)), Mode::kRead, false, out);
  }
  Py_XDECREF(positional);  // the class keeps it alive
}

void every_matched_attribute(PyObject* subject, PyObject* names, std::vector<Touched>& out) {
  std::array<PyObject*, 3> stack{subject, reinterpret_cast<PyObject*>(Py_TYPE(subject)), names};  // NOLINT
  matched_attributes(stack.data() + stack.size(), PY_SSIZE_T_MAX, out);
}

void unseen(PyObject* argument, PyObject* read, PyObject* written, std::vector<Touched>& out) {
  if (!is_python_class(Py_TYPE(argument))) return contents(argument, Mode::kWrite, out);
  for (PyObject* names : {read, written}) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
      const Mode mode = names == read ? Mode::kRead : Mode::kWrite;
      attribute(argument, interned(PyTuple_GET_ITEM(names, i)), mode, mode == Mode::kWrite, out);
    }
  }
}

}  // namespace linpoint::control
