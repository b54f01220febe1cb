// SPDX-License-Identifier: Apache-2.0
// The contents of objects: of containers, of iterators and views over them, of their members, and of results.
#include <algorithm>
#include <string_view>
#include <vector>

#include "python_control/access_collector.hpp"

namespace linpoint::control {

namespace {

constexpr std::size_t kMostObjects = 500;  // per instruction

bool is_view(PyObject* object) {
  return PyDictKeys_Check(object) || PyDictValues_Check(object) || PyDictItems_Check(object);
}

bool is_of_itertools(PyObject* object) { return std::string_view(Py_TYPE(object)->tp_name).starts_with("itertools."); }

/// Objects of C types that expose the contents of others: iterators, views, and their parts.
bool is_passage(PyObject* object) {
  if (is_python_class(Py_TYPE(object)) || PyGen_CheckExact(object)) return false;
  return PyTuple_CheckExact(object) || PyIter_Check(object) || is_view(object) ||
         Py_TYPE(object) == &PyDictProxy_Type || is_of_itertools(object);
}

int keep(PyObject* object, void* found) {
  static_cast<std::vector<PyObject*>*>(found)->push_back(object);
  return 0;
}

/// The objects that an object refers to, borrowed.
void referred(PyObject* object, std::vector<PyObject*>& out) {
  if (const traverseproc traverse = Py_TYPE(object)->tp_traverse; traverse != nullptr && PyObject_IS_GC(object))
    traverse(object, keep, &out);
}

/// Whether C code that calls this reads into its arguments: functions and types written in C do.
bool looks_at_members(PyObject* callable) {
  return Py_TYPE(callable) == &PyCFunction_Type || Py_TYPE(callable) == &PyMethodDescr_Type ||
         callable == reinterpret_cast<PyObject*>(&PyUnicode_Type);  // NOLINT: as for all Python objects
}

/// The containers an iterator or view goes over, through any wrapping: enumerate(zip(a, b)) goes over both.
void beneath(PyObject* object, std::vector<Touched>& out) {
  std::vector<PyObject*> todo;
  bool attributes = false;
  bool members = is_of_itertools(object);
  referred(object, todo);
  for (std::size_t i = 0; i < todo.size(); ++i) {
    PyObject* each = todo[i];
    if (i > kMostObjects) return look_past();
    callback(each, out);
    attributes = attributes || looks_at_attributes(each);
    members = members || looks_at_members(each);
    if (is_container(each)) {
      out.push_back({each, nullptr, Mode::kRead});
    } else if (PyGen_CheckExact(each)) {
      out.push_back({each, nullptr, Mode::kWrite});
    } else if (is_passage(each)) {
      if (PyIter_Check(each)) out.push_back({each, nullptr, Mode::kWrite});
      referred(each, todo);
    }
  }
  for (PyObject* each : todo)
    if ((attributes || members) && is_container(each)) deep_contents(each, Mode::kRead, attributes, out);
}

/// Whether C code that reads an object exposes what the object refers to.
bool is_shown(PyObject* object, bool objects) {
  if (is_container(object) || is_passage(object) || PyAnySet_Check(object) || PyExceptionInstance_Check(object)) {
    return true;
  }
  if (cannot_change(object) || PyFrame_Check(object) || PyTraceBack_Check(object)) return false;
  return !is_python_class(Py_TYPE(object)) ? dict_of(object) != nullptr : objects;
}

/// A function defined by a class itself; null if there is none.
PyObject* function_of(PyTypeObject* type) {
  PyObject* value = nullptr;
  Py_ssize_t at = 0;
  while (type->tp_dict != nullptr && PyDict_Next(type->tp_dict, &at, nullptr, &value) != 0)
    if (PyFunction_Check(value)) return value;
  return nullptr;
}

/// The globals of the module of a class, or of one it inherits from, whose code is excluded.
PyObject* names_of_foreign(PyTypeObject* type) {
  PyObject* bases = type->tp_mro;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i));  // NOLINT: as for all Python objects
    if (!is_python_class(base)) continue;
    if (PyObject* function = function_of(base); function != nullptr && is_one_step(function)) {
      return PyFunction_GET_GLOBALS(function);
    }
  }
  return nullptr;
}

}  // namespace

PyObject* dict_of(PyObject* object) {
  if (Py_TYPE(object)->tp_dictoffset == 0 || PyType_Check(object)) return nullptr;
  PyObject* names = PyObject_GenericGetDict(object, nullptr);
  if (names == nullptr) PyErr_Clear();
  Py_XDECREF(names);  // the object keeps it alive
  return names;
}

void contents(PyObject* object, Mode mode, std::vector<Touched>& out) {
  if (object == nullptr || cannot_change(object)) return;
  if (is_container(object)) {
    out.push_back({object, nullptr, mode});
    return;
  }
  if (PyGen_CheckExact(object)) {  // it advances, or reports that another thread is inside it
    out.push_back({object, nullptr, Mode::kWrite});
    return;
  }
  if (is_python_class(
          Py_TYPE(object))) {  // its methods are Python's and are traced themselves, unless they are excluded
    if (PyObject* names = names_of_foreign(Py_TYPE(object)); names != nullptr) {
      out.push_back({object, nullptr, mode, true});
      out.push_back({names, nullptr, mode});
    }
    return;
  }
  if (PyMemoryView_Check(object)) return contents(PyMemoryView_GET_BASE(object), mode, out);
  beneath(object, out);
  if (!is_view(object)) out.push_back({object, nullptr, PyIter_Check(object) ? Mode::kWrite : mode});
}

void whole(PyObject* object, Mode mode, std::vector<Touched>& out) {
  if (object != nullptr && !cannot_change(object)) out.push_back({object, nullptr, mode, true});
}

void item(PyObject* object, std::vector<Touched>& out) {
  const bool makes = object != nullptr && PyObject_TypeCheck(object, types().default_dict);
  contents(object, makes ? Mode::kWrite : Mode::kRead, out);
}

void deep_contents(PyObject* object, Mode mode, bool objects, std::vector<Touched>& out) {
  if (object == nullptr) return;
  contents(object, mode, out);
  std::vector<PyObject*> seen{object};
  std::vector<PyObject*> inside;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    PyObject* each = seen[i];
    if (!is_shown(each, objects)) continue;
    if (i > 0 && !is_passage(each)) contents(each, objects ? mode : Mode::kRead, out);
    if (!is_container(each) && !is_passage(each)) whole(each, mode, out);
    inside.clear();
    referred(each, inside);
    for (PyObject* one : inside) {
      if (!PyObject_IS_GC(one) || std::find(seen.begin(), seen.end(), one) != seen.end()) continue;
      if (seen.size() >= kMostObjects) return look_past();
      seen.push_back(one);
    }
  }
}

void collect_result(PyObject* result, std::vector<Touched>& out) {
  deep_contents(result, Mode::kRead, true, out);
  // Objects created for the result are not shared.
  if (std::all_of(out.begin(), out.end(), [](const Touched& each) { return Py_REFCNT(each.object) == 1; })) out.clear();
}

void callback(PyObject* callable, std::vector<Touched>& out) {
  PyTypeObject* type = Py_TYPE(callable);
  if (type == types().cached_function) {
    out.push_back({callable, nullptr, Mode::kWrite});
  } else if (type == &PyCFunction_Type) {
    PyObject* self = PyCFunction_GET_SELF(callable);
    const std::string_view name = reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name;  // NOLINT
    if (self != nullptr && is_container(self)) {
      out.push_back({self, nullptr, only_reads(name) ? Mode::kRead : Mode::kWrite});
    }
  } else if (type == types().partial) {
    std::vector<PyObject*> inside;
    referred(callable, inside);
    for (PyObject* each : inside) callback(each, out);
  }
}

bool looks_at_attributes(PyObject* callable) {
  PyTypeObject* type = callable == nullptr ? nullptr : Py_TYPE(callable);
  return type != nullptr && (type == types().attribute_getter || type == types().method_caller);
}

}  // namespace linpoint::control
