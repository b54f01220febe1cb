// SPDX-License-Identifier: Apache-2.0
// Proxies of operands where a function call cannot be inserted: in assignment targets, comparisons and loops.
#include <array>
#include <utility>
#include <vector>

#include "python_control/announced_accesses.hpp"

namespace linpoint::control {

namespace nb = nanobind;

namespace {

/// The common layout of all proxies: what they stand for, and further state.
struct Standing {
  PyObject_HEAD;
  PyObject* value;  ///< an object, an operand, an iterator
  PyObject* other;  ///< a key, or a tuple of the names or cells written with each item
  PyObject* name;   ///< of an attribute
  PyObject* old;    ///< during an in-place change
  long kind;
  bool begun;
};

Standing& self_of(PyObject* object) {
  return *reinterpret_cast<Standing*>(object);
}  // NOLINT: as for all Python
   // objects

int traverse(PyObject* object, visitproc visit, void* arg) {
  const Standing& self = self_of(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self.value);
  Py_VISIT(self.other);
  Py_VISIT(self.name);
  Py_VISIT(self.old);
  return 0;
}

int clear(PyObject* object) {
  Standing& self = self_of(object);
  Py_CLEAR(self.value);
  Py_CLEAR(self.other);
  Py_CLEAR(self.name);
  Py_CLEAR(self.old);
  return 0;
}

void dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clear(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyTypeObject* compared_type = nullptr;
PyTypeObject* target_type = nullptr;
PyTypeObject* steps_type = nullptr;

PyObject* make(PyTypeObject* type, long kind, PyObject* value, PyObject* other, PyObject* name) {
  PyObject* object = type->tp_alloc(type, 0);
  if (object == nullptr) return nullptr;
  Standing& self = self_of(object);
  self.kind = kind;
  self.value = Py_XNewRef(value);
  self.other = Py_XNewRef(other);
  self.name = Py_XNewRef(name);
  return object;
}

// --- operands of comparisons

enum Comparing : long { kPlainly, kIs, kIsNot };

PyObject* compare(PyObject* left, PyObject* right, int op) {
  const Standing& self = self_of(left);
  std::array<PyObject*, 2> operands{self.value, self_of(right).value};
  if (self.kind != kPlainly) return PyBool_FromLong((operands[0] == operands[1]) == (self.kind == kIs) ? 1 : 0);
  if (!announce(Action::kReadBoth, nullptr, operands, 1)) return nullptr;
  return PyObject_RichCompare(operands[0], operands[1], op);
}

int contains(PyObject* container, PyObject* item) {
  std::array<PyObject*, 2> operands{self_of(item).value, self_of(container).value};
  if (!announce(Action::kReadMembers, nullptr, operands, 1)) return -1;
  return PySequence_Contains(operands[1], operands[0]);
}

/// announced_compared(kind, value)
PyObject* announced_compared(PyObject*, PyObject* const* args, Py_ssize_t) {
  return make(compared_type, PyLong_AsLong(args[0]), args[1], nullptr, nullptr);
}

// --- assignment targets

PyObject* fetch(PyObject* object, PyObject*) {
  Standing& self = self_of(object);
  std::array<PyObject*, 2> operands{self.value, self.other};
  const bool item = self.other != nullptr;
  const Action action = item ? Action::kReadItem : Action::kReadAny;  // it is assigned, too
  if (!announce(action, self.name, {operands.data(), item ? std::size_t{2} : std::size_t{1}})) return nullptr;
  self.old = item ? PyObject_GetItem(self.value, self.other) : PyObject_GetAttr(self.value, self.name);
  return self.old == nullptr ? nullptr : Py_NewRef(object);
}

int store(PyObject* object, PyObject*, PyObject* value) {
  const Standing& self = self_of(object);
  std::array<PyObject*, 3> operands{value, self.value, self.other};
  PyObject** const first = value == nullptr ? &operands[1] : operands.data();
  const bool item = self.other != nullptr;
  const Action attribute = value == nullptr ? Action::kDeleteAttribute : Action::kWriteAttribute;
  const std::span<PyObject*> shown(first, operands.data() + (item ? 3 : 2));
  if (!announce(item ? Action::kWriteContents : attribute, self.name, shown)) return -1;
  if (!item) return PyObject_SetAttr(self.value, self.name, value);
  return value == nullptr ? PyObject_DelItem(self.value, self.other) : PyObject_SetItem(self.value, self.other, value);
}

template <Py_ssize_t number>
PyObject* change(PyObject* object, PyObject* by) {
  Standing& self = self_of(object);
  PyObject* old = std::exchange(self.old, nullptr);
  PyObject* result = operate(number, old, by);
  Py_DECREF(old);
  return result;
}

PyObject* change_by_power(PyObject* object, PyObject* by, PyObject*) { return change<21>(object, by); }

/// announced_target(name or None, object[, key])
PyObject* announced_target(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return make(target_type, 0, args[1], count > 2 ? args[2] : nullptr, count > 2 ? nullptr : args[0]);
}

// --- iterables

enum Iterating : long { kUnpacks = 1, kEnds = 2 };

/// Announces an item that is assigned to variables; false if an exception is set.
bool announce_item(const Standing& self, PyObject* item) {
  std::array<PyObject*, 2> operands{item, nullptr};
  if ((self.kind & kUnpacks) != 0 && !announce(Action::kReadTop, nullptr, {operands.data(), 1})) return false;
  for (Py_ssize_t i = 0; self.other != nullptr && i < PyTuple_GET_SIZE(self.other); ++i) {
    PyObject* each = PyTuple_GET_ITEM(self.other, i);
    const bool global = PyUnicode_Check(each);
    operands[1] = global ? nullptr : each;
    const Action action = global ? Action::kWriteGlobal : Action::kWriteCell;
    if (!announce(action, global ? each : nullptr, {operands.data(), global ? std::size_t{1} : std::size_t{2}}))
      return false;
  }
  return true;
}

PyObject* next(PyObject* object) {
  Standing& self = self_of(object);
  if (std::exchange(self.begun, true) && !announce_break()) return nullptr;
  std::array<PyObject*, 1> operands{self.value};
  if (!announce(Action::kIterate, nullptr, operands)) return nullptr;
  PyObject* item = Py_TYPE(self.value)->tp_iternext(self.value);
  if (item != nullptr) {
    if (!announce_item(self, item)) Py_CLEAR(item);
  } else if ((self.kind & kEnds) != 0 && (PyErr_Occurred() == nullptr || PyErr_ExceptionMatches(PyExc_StopIteration))) {
    PyErr_Clear();
    static_cast<void>(announce(Action::kYield, nullptr, {}));
  }
  return item;
}

/// An attribute that `yield from` looks up in the iterator, such as throw.
PyObject* attribute_of_iterator(PyObject* object, PyObject* name) {
  return PyObject_GetAttr(self_of(object).value, name);
}

/// announced_iterate(flags, iterable, *names or cells that are written)
PyObject* announced_iterate(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (PyCoro_CheckExact(args[1])) return Py_NewRef(args[1]);
  std::array<PyObject*, 1> operands{args[1]};
  if (!announce(Action::kReadContents, nullptr, operands)) return nullptr;
  PyObject* iterator = PyObject_GetIter(args[1]);
  if (iterator == nullptr) return nullptr;
  PyObject* written = nullptr;
  if (count > 2) {
    written = PyTuple_New(count - 2);
    for (Py_ssize_t i = 2; written != nullptr && i < count; ++i) PyTuple_SET_ITEM(written, i - 2, Py_NewRef(args[i]));
  }
  PyObject* made = make(steps_type, PyLong_AsLong(args[0]), iterator, written, nullptr);
  Py_DECREF(iterator);
  Py_XDECREF(written);
  return made;
}

// --- types and functions for Python

template <typename Function>
void* slot(Function function) {
  return reinterpret_cast<void*>(function);  // NOLINT: required by Python's API
}

PyTypeObject* type_of(const char* name, std::span<const PyType_Slot> own) {
  std::vector<PyType_Slot> slots{
      {Py_tp_traverse, slot(traverse)}, {Py_tp_clear, slot(clear)}, {Py_tp_dealloc, slot(dealloc)}};
  slots.insert(slots.end(), own.begin(), own.end());
  slots.push_back({0, nullptr});
  PyType_Spec spec{name, sizeof(Standing), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots.data()};
  auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));  // NOLINT
  if (type == nullptr) throw nb::python_error();
  return type;
}

template <typename Function>
PyCFunction plain(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));  // NOLINT: as above
}

PyMethodDef functions[] = {
    // NOLINT: Python's API requires a mutable array
    {"announced_compared", plain(announced_compared), METH_FASTCALL,
     "announced_compared(kind: int, value: object) -> object\n\nA proxy operand that announces its comparison."},
    {"announced_target", plain(announced_target), METH_FASTCALL,
     "announced_target(name: str | None, *operands) -> object\n\nA proxy whose only item is an attribute or item."},
    {"announced_iterate", plain(announced_iterate), METH_FASTCALL,
     "announced_iterate(flags: int, iterable: object, *written) -> object\n\nAn iterator that announces."},
};

}  // namespace

void bind_announced(nb::module_& m) {
  const std::array<PyType_Slot, 2> comparing{{{Py_tp_richcompare, slot(compare)}, {Py_sq_contains, slot(contains)}}};
  compared_type = type_of("linpoint.Compared", comparing);
  const std::array<PyType_Slot, 15> assigning{{{Py_mp_subscript, slot(fetch)},
                                               {Py_mp_ass_subscript, slot(store)},
                                               {Py_nb_inplace_add, slot(change<13>)},
                                               {Py_nb_inplace_and, slot(change<14>)},
                                               {Py_nb_inplace_floor_divide, slot(change<15>)},
                                               {Py_nb_inplace_lshift, slot(change<16>)},
                                               {Py_nb_inplace_matrix_multiply, slot(change<17>)},
                                               {Py_nb_inplace_multiply, slot(change<18>)},
                                               {Py_nb_inplace_remainder, slot(change<19>)},
                                               {Py_nb_inplace_or, slot(change<20>)},
                                               {Py_nb_inplace_power, slot(change_by_power)},
                                               {Py_nb_inplace_rshift, slot(change<22>)},
                                               {Py_nb_inplace_subtract, slot(change<23>)},
                                               {Py_nb_inplace_true_divide, slot(change<24>)},
                                               {Py_nb_inplace_xor, slot(change<25>)}}};
  target_type = type_of("linpoint.Target", assigning);
  const std::array<PyType_Slot, 3> iterating{{{Py_tp_iter, slot(PyObject_SelfIter)},
                                              {Py_tp_iternext, slot(next)},
                                              {Py_tp_getattro, slot(attribute_of_iterator)}}};
  steps_type = type_of("linpoint.Steps", iterating);
  for (PyMethodDef& each : functions) m.attr(each.ml_name) = nb::steal(PyCFunction_New(&each, nullptr));
}

}  // namespace linpoint::control
