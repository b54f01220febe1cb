// SPDX-License-Identifier: Apache-2.0
#include "python_control/operand_accesses.hpp"

#include <algorithm>
#include <utility>

#include "python_control/access_collector.hpp"

namespace linpoint::control {

namespace {

PyTypeObject* imported_type(const char* module, const char* name) {
  PyObject* found = PyImport_ImportModule(module);
  PyObject* type = found == nullptr ? nullptr : PyObject_GetAttrString(found, name);
  Py_XDECREF(found);
  if (type == nullptr) PyErr_Clear();
  return reinterpret_cast<PyTypeObject*>(type);  // NOLINT: as for all Python objects; never freed
}

bool opaque = false;
bool past = false;

std::vector<PyTypeObject*>& resting_on_locks() {
  static std::vector<PyTypeObject*> known;
  return known;
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
                           .method_wrapper = imported_type("types", "MethodWrapperType"),
                           .default_dict = imported_type("_collections", "defaultdict"),
                           .cached_function = imported_type("_functools", "_lru_cache_wrapper"),
                           .partial = imported_type("_functools", "partial"),
                           .attribute_getter = imported_type("_operator", "attrgetter"),
                           .item_getter = imported_type("_operator", "itemgetter"),
                           .method_caller = imported_type("_operator", "methodcaller")};
  return known;
}

void look_opaquely() { opaque = true; }

bool looked_opaquely() { return std::exchange(opaque, false); }

void look_past() { past = true; }

bool looked_past() { return std::exchange(past, false); }

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

PyObject* waited_for(PyObject* object) {
  if (object == nullptr) return nullptr;
  if (is_lock(object)) return object;
  const auto rests = [object](PyTypeObject* type) { return PyObject_TypeCheck(object, type) != 0; };
  return std::any_of(resting_on_locks().begin(), resting_on_locks().end(), rests) ? object : nullptr;
}

void look_out_for(std::vector<PyTypeObject*> types_on_locks) {
  static_cast<void>(types());  // before a session replaces them
  resting_on_locks() = std::move(types_on_locks);
}

PyObject* collect(const Instruction& instruction, const Operands& operands, std::vector<Touched>& out) {
  PyObject** const top = operands.top;
  const std::int32_t operand = instruction.operand;
  switch (instruction.action) {
    case Action::kNone:
    case Action::kBreak:
    case Action::kLine:
    case Action::kReturn:
      return nullptr;
    case Action::kReadAttribute:
    case Action::kReadAny:
      attribute(top[-operand], instruction.name, Mode::kRead, instruction.action == Action::kReadAny, out);
      return nullptr;
    case Action::kWriteAttribute:
    case Action::kDeleteAttribute:
      attribute(top[-operand], instruction.name, Mode::kWrite, true, out);
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
    case Action::kReadMembers:
      // The members of dicts and sets cannot change.
      if (PyDict_Check(top[-operand]) || PyAnySet_Check(top[-operand]))
        contents(top[-operand], Mode::kRead, out);
      else
        deep_contents(top[-operand], Mode::kRead, false, out);
      return nullptr;
    case Action::kReadItem:
      item(top[-operand], out);
      return nullptr;
    case Action::kReadDeeply:
      for (std::int32_t i = 1; i <= operand; ++i) deep_contents(top[-i], Mode::kRead, false, out);
      return nullptr;
    case Action::kReadBoth:
      for (const std::int32_t i : {1, 2}) {
        if (operand != 0)
          deep_contents(top[-i], Mode::kRead, false, out);
        else
          contents(top[-i], Mode::kRead, out);
      }
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

bool may_call_back(const Instruction& instruction, const std::vector<Touched>& touched) {
  switch (instruction.action) {
    case Action::kReadContents:
    case Action::kWriteContents:
    case Action::kIterate:
    case Action::kCall:
    case Action::kReadBoth:
    case Action::kChangeInPlace:
    case Action::kCallWithNames:
    case Action::kCallWithTuple:
    case Action::kReadTop:
    case Action::kReadMembers:
    case Action::kReadItem:
    case Action::kReadDeeply:
      break;
    default:
      return false;
  }
  // A generator has accesses of its own when it resumes and when it returns.
  return !touched.empty() && !PyGen_CheckExact(touched.front().object);
}

namespace {

/// SplitMix64's finaliser.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9ULL;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBULL;
  return number ^ (number >> 31);
}

constexpr unsigned kNameBits = 24;
constexpr std::uint64_t kNames = std::uint64_t{1} << kNameBits;

/// The first place of an object: one for its contents, the others for attributes, by name.
std::uint64_t first_place(const void* object) {
  const auto address = reinterpret_cast<std::uint64_t>(object);  // NOLINT: an identifier
  const std::uint64_t number = mixed(address * 0x9E3779B97F4A7C15ULL) << (kNameBits + 1) >> 1;
  return number | std::uint64_t{1} << 63;  // distinct from the places of locks and of our own
}

std::uint64_t place_of_name(PyObject* name) {
  const auto address = reinterpret_cast<std::uint64_t>(name);  // NOLINT: an identifier
  return 1 + mixed(address) % (kNames - 1);
}

/// The holder of an attribute: the object's attribute dict, which code may also use as a plain dict; else the object.
PyObject* holder(PyObject* object, PyObject* name) {
  if (PyDict_CheckExact(object)) return object;
  if (PyType_Check(object)) return reinterpret_cast<PyTypeObject*>(object)->tp_dict;  // NOLINT
  PyObject* found = _PyType_Lookup(Py_TYPE(object), name);
  if (found != nullptr && Py_TYPE(found)->tp_descr_set != nullptr) return object;
  PyObject* names = dict_of(object);
  return names == nullptr ? object : names;
}

}  // namespace

void add_accesses(const Touched& touched, std::vector<explore::Access>& out) {
  if (touched.name != nullptr) {
    const std::uint64_t at = first_place(holder(touched.object, touched.name)) + place_of_name(touched.name);
    out.push_back({at, at + 1, touched.mode});
    return;
  }
  const std::uint64_t at = first_place(touched.object);
  const bool all = touched.whole || PyDict_CheckExact(touched.object);  // it may hold the attributes of an object
  out.push_back({at, at + (all ? kNames : 1), touched.mode});
  if (!touched.whole) return;
  if (PyObject* names = dict_of(touched.object); names != nullptr) {
    const std::uint64_t first = first_place(names);
    out.push_back({first, first + kNames, touched.mode});
  }
}

}  // namespace linpoint::control
