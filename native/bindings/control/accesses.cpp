// SPDX-License-Identifier: Apache-2.0
#include "accesses.hpp"

#include <algorithm>
#include <utility>

#include "touching.hpp"

namespace linpoint::control {

namespace {

PyTypeObject* imported_type(const char* module, const char* name) {
  PyObject* found = PyImport_ImportModule(module);
  PyObject* type = found == nullptr ? nullptr : PyObject_GetAttrString(found, name);
  Py_XDECREF(found);
  if (type == nullptr) PyErr_Clear();
  return reinterpret_cast<PyTypeObject*>(type);  // NOLINT: as all of Python's objects; kept for ever
}

bool opaque = false;

std::vector<PyTypeObject*>& resting_on_locks() {
  static std::vector<PyTypeObject*> known;
  return known;
}

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

bool is_lock(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == types().lock || type == types().rlock;
}

}  // namespace

const Types& types() {
  static const Types known{.deque = imported_type("_collections", "deque"),
                           .lock = imported_type("_thread", "LockType"),
                           .rlock = imported_type("_thread", "RLock"),
                           .method_wrapper = imported_type("types", "MethodWrapperType")};
  return known;
}

void look_opaquely() { opaque = true; }

bool looked_opaquely() { return std::exchange(opaque, false); }

bool cannot_change(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyTuple_Type || type == &PyBool_Type ||
         object == Py_None || type == &PyFloat_Type || type == &PyBytes_Type || type == &PyFrozenSet_Type ||
         type == &PyRange_Type || type == &PySlice_Type || type == &PyComplex_Type || type == &PyFunction_Type ||
         type == &PyCFunction_Type || type == &PyMethod_Type || type == &PyModule_Type || PyType_Check(object) ||
         type == &PyCode_Type || PyCoro_CheckExact(object) || object == Py_Ellipsis || object == Py_NotImplemented ||
         PyExceptionInstance_Check(object) || type == &PyProperty_Type;
}

bool is_container(PyObject* object) {
  return PyDict_Check(object) || PyList_Check(object) || PyAnySet_Check(object) || PyByteArray_Check(object) ||
         (types().deque != nullptr && PyObject_TypeCheck(object, types().deque));
}

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

PyObject* waited_for(PyObject* object) {
  if (object == nullptr) return nullptr;
  if (is_lock(object)) return object;
  const auto rests = [object](PyTypeObject* type) { return PyObject_TypeCheck(object, type) != 0; };
  return std::any_of(resting_on_locks().begin(), resting_on_locks().end(), rests) ? object : nullptr;
}

void look_out_for(std::vector<PyTypeObject*> types_on_locks) {
  static_cast<void>(types());  // before a session puts others in their places
  resting_on_locks() = std::move(types_on_locks);
}

PyObject* collect(const Instruction& instruction, const Operands& operands, std::vector<Touched>& out) {
  PyObject** const top = operands.top;
  const std::int32_t operand = instruction.operand;
  switch (instruction.action) {
    case Action::kNone:
    case Action::kBreak:
    case Action::kLine:
      return nullptr;
    case Action::kReadAttribute:
    case Action::kWriteAttribute:
    case Action::kDeleteAttribute:
      attribute(top[-operand], instruction.name,
                instruction.action == Action::kReadAttribute ? Mode::kRead : Mode::kWrite, out);
      return nullptr;
    case Action::kReadContents:
      contents(top[-operand], Mode::kRead, out);
      return nullptr;
    case Action::kWriteContents:
      contents(top[-operand], Mode::kWrite, out);
      return nullptr;
    case Action::kIterate:
      contents(top[-operand], Mode::kWrite, out);
      return nullptr;
    case Action::kCall:
      return call_on_stack(top, operand, out);
    case Action::kCallWithNames:
      return call_on_stack(top - 1, operand, out);
    case Action::kCallWithTuple:
      return call_with_tuple(top, operand != 0, out);
    case Action::kReadCell:
    case Action::kWriteCell:
      if (PyObject* cell = operands.locals[operand]; cell != nullptr && PyCell_Check(cell)) {
        out.push_back({cell, nullptr, instruction.action == Action::kReadCell ? Mode::kRead : Mode::kWrite});
      }
      return nullptr;
    case Action::kReadGlobal:
    case Action::kWriteGlobal:
    case Action::kDeleteGlobal:
      out.push_back(
          {operands.globals, instruction.name, instruction.action == Action::kReadGlobal ? Mode::kRead : Mode::kWrite});
      return nullptr;
    case Action::kEnter:
      return waited_for(top[-operand]);
    case Action::kReadBoth:
      contents(top[-1], Mode::kRead, out);
      contents(top[-2], Mode::kRead, out);
      return nullptr;
    case Action::kChangeInPlace:
      contents(top[-2], Mode::kWrite, out);
      contents(top[-1], Mode::kRead, out);
      return nullptr;
    case Action::kReadTop:
      for (std::int32_t i = 1; i <= operand; ++i) contents(top[-i], Mode::kRead, out);
      return nullptr;
    case Action::kReadSuper:
      super_attribute(Py_TYPE(top[-1]), top[-2], instruction.name, out);
      return nullptr;
    case Action::kMatchClass:
      matched_attributes(top, operand, out);
      return nullptr;
    case Action::kCallOf:
      return call_of(top[-operand - 1], top - operand, operand, out);
    case Action::kSpread:
      return spread(top[-2], top[-1], out);
    case Action::kMatch:
      contents(top[-2], Mode::kRead, out);
      every_matched_attribute(top[-2], top[-1], out);
      return nullptr;
    case Action::kUnseen:
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(top[-3]); ++i) {
        unseen(PyTuple_GET_ITEM(top[-3], i), top[-2], top[-1], out);
      }
      return nullptr;
    case Action::kYield:
      if (operands.generator != nullptr) out.push_back({operands.generator, nullptr, Mode::kWrite});
      return nullptr;
  }
  return nullptr;
}

explore::Access access_of(const Touched& touched) {
  // SplitMix64's finaliser over both addresses.
  auto mixed = reinterpret_cast<std::uint64_t>(touched.object) * 0x9E3779B97F4A7C15ULL;  // NOLINT: a name
  mixed ^= reinterpret_cast<std::uint64_t>(touched.name) + (mixed >> 29);                // NOLINT: a name
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
  mixed ^= mixed >> 31;
  mixed |= std::uint64_t{1} << 63;  // apart from the places of locks and of our own
  return {mixed, mixed + (mixed == ~std::uint64_t{0} ? 0 : 1), touched.mode};
}

}  // namespace linpoint::control
