// SPDX-License-Identifier: Apache-2.0
#include "places.hpp"

#include <algorithm>
#include <utility>

namespace linpoint::control {

using explore::Mode;

/// Those of C modules are static, or cannot be changed.
bool is_python_class(PyTypeObject* type) {
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 && (type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) == 0;
}

namespace {

PyTypeObject* imported_type(const char* module, const char* name) {
  PyObject* found = PyImport_ImportModule(module);
  PyObject* type = found == nullptr ? nullptr : PyObject_GetAttrString(found, name);
  Py_XDECREF(found);
  if (type == nullptr) PyErr_Clear();
  return reinterpret_cast<PyTypeObject*>(type);  // NOLINT: as all of Python's objects; kept for ever
}

/// Types that the interpreter does not export by name.
struct Types {
  PyTypeObject* deque = imported_type("_collections", "deque");
  PyTypeObject* lock = imported_type("_thread", "LockType");
  PyTypeObject* rlock = imported_type("_thread", "RLock");
  PyTypeObject* method_wrapper = imported_type("types", "MethodWrapperType");
};

/// Made when the module is, before a session puts others in their places.
const Types& types() {
  static const Types known;
  return known;
}

std::vector<PyTypeObject*>& resting_on_locks() {
  static std::vector<PyTypeObject*> known;
  return known;
}

bool cannot_change(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyTuple_Type || type == &PyBool_Type ||
         object == Py_None || type == &PyFloat_Type || type == &PyBytes_Type || type == &PyFrozenSet_Type ||
         type == &PyRange_Type || type == &PySlice_Type || type == &PyComplex_Type || type == &PyFunction_Type ||
         type == &PyCFunction_Type || type == &PyMethod_Type || type == &PyModule_Type || PyType_Check(object) ||
         type == &PyCode_Type || PyCoro_CheckExact(object) || object == Py_Ellipsis || object == Py_NotImplemented ||
         PyExceptionInstance_Check(object) || type == &PyProperty_Type;
}

}  // namespace

bool is_container(PyObject* object) {
  return PyDict_Check(object) || PyList_Check(object) || PyAnySet_Check(object) || PyByteArray_Check(object) ||
         (types().deque != nullptr && PyObject_TypeCheck(object, types().deque));
}

namespace {

int first_container(PyObject* object, void* found) {
  if (is_container(object)) {
    *static_cast<PyObject**>(found) = object;
    return 1;
  }
  return 0;
}

/// The container that an iterator or a view goes over; null if there is none.
PyObject* behind(PyObject* object) {
  const traverseproc traverse = Py_TYPE(object)->tp_traverse;
  PyObject* found = nullptr;
  if (traverse != nullptr && !is_python_class(Py_TYPE(object)))
    traverse(object, first_container, static_cast<void*>(&found));
  return found;
}

bool is_view(PyObject* object) {
  return PyDictKeys_Check(object) || PyDictValues_Check(object) || PyDictItems_Check(object);
}

}  // namespace

void contents(PyObject* object, Mode mode, std::vector<Touched>& out) {
  if (object == nullptr || cannot_change(object)) return;
  if (is_container(object)) {
    out.push_back({object, nullptr, mode});
    return;
  }
  if (PyGen_CheckExact(object)) {  // it goes on, or says that another thread has not come back from it
    out.push_back({object, nullptr, Mode::kWrite});
    return;
  }
  if (is_python_class(Py_TYPE(object))) return;  // its methods are Python's, and come by themselves
  if (PyObject* container = behind(object); container != nullptr) out.push_back({container, nullptr, Mode::kRead});
  if (!is_view(object)) out.push_back({object, nullptr, PyIter_Check(object) ? Mode::kWrite : mode});
}

namespace {

/// Whether looking the name up finds what belongs to the code and not to the data: methods, properties.
bool is_code(PyObject* found) {
  PyTypeObject* type = Py_TYPE(found);
  if (type->tp_descr_get != nullptr && type->tp_descr_set == nullptr && !is_python_class(type)) return true;
  return type == &PyFunction_Type || type == &PyProperty_Type || type == &PyClassMethod_Type ||
         type == &PyStaticMethod_Type || type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type ||
         type == &PyClassMethodDescr_Type || type == &PyCFunction_Type || PyType_Check(found) || type == &PyModule_Type;
}

/// The class in the order of bases that has the name.
PyObject* owner_of(PyTypeObject* type, PyObject* name) {
  PyObject* bases = type->tp_mro;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    PyObject* base = PyTuple_GET_ITEM(bases, i);
    PyObject* names = reinterpret_cast<PyTypeObject*>(base)->tp_dict;  // NOLINT: as all of Python's objects
    if (names != nullptr && PyDict_GetItemWithError(names, name) != nullptr) return base;
    PyErr_Clear();
  }
  return nullptr;
}

void class_attribute(PyTypeObject* type, PyObject* name, Mode mode, std::vector<Touched>& out) {
  PyObject* found = _PyType_Lookup(type, name);
  if (mode == Mode::kRead && found != nullptr && is_code(found)) return;
  PyObject* owner = mode == Mode::kRead ? owner_of(type, name) : reinterpret_cast<PyObject*>(type);  // NOLINT
  if (owner == nullptr || !is_python_class(reinterpret_cast<PyTypeObject*>(owner))) return;          // NOLINT
  out.push_back({owner, name, mode});
}

}  // namespace

/// What super().name finds: in a class after `from`, in the order of bases of `type`.
void super_attribute(PyTypeObject* type, PyObject* from, PyObject* name, std::vector<Touched>& out) {
  PyObject* bases = type->tp_mro;
  bool past = false;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    PyObject* base = PyTuple_GET_ITEM(bases, i);
    auto* as_type = reinterpret_cast<PyTypeObject*>(base);  // NOLINT: as all of Python's objects
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

/// Names are compared by address: that of the one interned string.
PyObject* interned(PyObject* name) {
  if (name == nullptr || !PyUnicode_CheckExact(name)) return nullptr;
  PyObject* one = Py_NewRef(name);
  PyUnicode_InternInPlace(&one);
  Py_DECREF(one);  // whoever has the attribute keeps it, or `name` is the one
  return one;
}

void attribute(PyObject* object, PyObject* name, Mode mode, std::vector<Touched>& out) {
  if (object == nullptr || name == nullptr) return;
  if (Py_TYPE(object) == &PySuper_Type) {
    attribute_of_super(object, name, out);
    return;
  }
  if (PyModule_Check(object)) {
    PyObject* names = PyModule_GetDict(object);
    PyObject* found = PyDict_GetItemWithError(names, name);
    PyErr_Clear();
    if (mode == Mode::kWrite || (found != nullptr && !is_code(found))) out.push_back({names, name, mode});
    return;
  }
  if (PyType_Check(object)) {
    class_attribute(reinterpret_cast<PyTypeObject*>(object), name, mode, out);  // NOLINT
    return;
  }
  PyTypeObject* type = Py_TYPE(object);
  if (!is_python_class(type)) return;
  PyObject* found = _PyType_Lookup(type, name);
  if (found != nullptr && is_code(found) && (mode == Mode::kRead || Py_TYPE(found) == &PyProperty_Type)) return;
  out.push_back({object, name, mode});
  // A default in the class, until the object has its own.
  if (mode == Mode::kRead && found != nullptr && Py_TYPE(found)->tp_descr_set == nullptr) {
    class_attribute(type, name, mode, out);
  }
}

namespace {

bool is_lock(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == types().lock || type == types().rlock;
}

}  // namespace

/// A lock, or what is Python on top of one, as a condition or a queue is; else null.
PyObject* waited_for(PyObject* object) {
  if (object == nullptr) return nullptr;
  if (is_lock(object)) return object;
  const auto rests = [object](PyTypeObject* type) { return PyObject_TypeCheck(object, type) != 0; };
  return std::any_of(resting_on_locks().begin(), resting_on_locks().end(), rests) ? object : nullptr;
}

bool is_method_wrapper(PyObject* object) { return Py_TYPE(object) == types().method_wrapper; }

void look_out_for(std::vector<PyTypeObject*> types_on_locks) {
  static_cast<void>(types());
  resting_on_locks() = std::move(types_on_locks);
}

}  // namespace linpoint::control
