// SPDX-License-Identifier: Apache-2.0
#include "python_control/announced_accesses.hpp"

#include <array>
#include <vector>

#include "python_control/access_collector.hpp"
#include "python_control/interpreter_hook.hpp"
#include "python_control/thread_controller.hpp"

namespace linpoint::control {

namespace {

struct Fineness {
  bool accesses = true;  ///< other threads may run before each access
  bool always = false;   ///< even if it touches nothing shared
  bool breaks = false;   ///< other threads may run where an interpreter with a global lock lets them
};

Fineness& fineness() {
  static Fineness the_one;
  return the_one;
}

/// The operand that `collect` uses as the object, counted from the top.
std::int32_t operand_of(Action action, std::size_t count) {
  switch (action) {
    case Action::kReadContents:
    case Action::kWriteContents:
    case Action::kReadItem:
      return count > 1 ? 2 : 1;
    case Action::kCallOf:
      return static_cast<std::int32_t>(count) - 1;
    case Action::kReadCell:
    case Action::kWriteCell:
    case Action::kReadBoth:
      return 0;
    default:
      return 1;
  }
}

bool has_cell(Action action) { return action == Action::kReadCell || action == Action::kWriteCell; }

/// The cell in the closure of a function that exists only to hold it.
PyObject* cell_of(PyObject* holder) {
  PyObject* closure = PyFunction_Check(holder) ? PyFunction_GET_CLOSURE(holder) : nullptr;
  return closure == nullptr || PyTuple_GET_SIZE(closure) != 1 ? nullptr : PyTuple_GET_ITEM(closure, 0);
}

/// announce(action, name, *operands) -> the first operand, or None
PyObject* announce_before(PyObject*, PyObject* const* args, Py_ssize_t count) {
  const auto action = static_cast<Action>(PyLong_AsLong(args[0]));
  // Not modified, but `collect` expects the interpreter's stack.
  const std::span<PyObject*> operands(const_cast<PyObject**>(args) + 2, static_cast<std::size_t>(count) - 2);  // NOLINT
  if (!announce(action, args[1] == Py_None ? nullptr : args[1], operands)) return nullptr;
  return Py_NewRef(operands.empty() || action == Action::kReadCell ? Py_None : operands[0]);
}

/// announced_call(callable, *args, **names) -> the result of the call
PyObject* announced_call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const Py_ssize_t all = count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
  if (!announce(Action::kCallOf, nullptr, {const_cast<PyObject**>(args), static_cast<std::size_t>(all)})) {  // NOLINT
    return nullptr;
  }
  PyObject* result = PyObject_Vectorcall(args[0], args + 1, static_cast<std::size_t>(count - 1), names);
  if (result != nullptr && !announce_break()) Py_CLEAR(result);
  return result;
}

/// announced_spread(callable, iterable, **names) -> the result of the call with these arguments, unpacked last
PyObject* announced_spread(PyObject*, PyObject* const* args, Py_ssize_t, PyObject* names) {
  std::array<PyObject*, 2> operands{args[0], args[1]};
  if (!announce(Action::kSpread, nullptr, operands)) return nullptr;
  PyObject* given = PySequence_Tuple(args[1]);
  if (given == nullptr) return nullptr;
  std::vector<PyObject*> all;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) all.push_back(PyTuple_GET_ITEM(given, i));
  const std::size_t count = all.size();
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) all.push_back(args[2 + i]);
  PyObject* result = PyObject_Vectorcall(args[0], all.data(), count, names);
  Py_DECREF(given);
  if (result != nullptr && !announce_break()) Py_CLEAR(result);
  return result;
}

/// announced_item(container, key)
PyObject* announced_item(PyObject*, PyObject* const* args, Py_ssize_t) {
  std::array<PyObject*, 2> operands{args[0], args[1]};
  return announce(Action::kReadItem, nullptr, operands) ? PyObject_GetItem(args[0], args[1]) : nullptr;
}

/// announced_binary(number, left, right)
PyObject* announced_binary(PyObject*, PyObject* const* args, Py_ssize_t) {
  return operate(PyLong_AsSsize_t(args[0]), args[1], args[2]);
}

PyObject* power(PyObject* left, PyObject* right) { return PyNumber_Power(left, right, Py_None); }
PyObject* power_in_place(PyObject* left, PyObject* right) { return PyNumber_InPlacePower(left, right, Py_None); }

constexpr std::array kOperations{PyNumber_Add,
                                 PyNumber_And,
                                 PyNumber_FloorDivide,
                                 PyNumber_Lshift,
                                 PyNumber_MatrixMultiply,
                                 PyNumber_Multiply,
                                 PyNumber_Remainder,
                                 PyNumber_Or,
                                 power,
                                 PyNumber_Rshift,
                                 PyNumber_Subtract,
                                 PyNumber_TrueDivide,
                                 PyNumber_Xor,
                                 PyNumber_InPlaceAdd,
                                 PyNumber_InPlaceAnd,
                                 PyNumber_InPlaceFloorDivide,
                                 PyNumber_InPlaceLshift,
                                 PyNumber_InPlaceMatrixMultiply,
                                 PyNumber_InPlaceMultiply,
                                 PyNumber_InPlaceRemainder,
                                 PyNumber_InPlaceOr,
                                 power_in_place,
                                 PyNumber_InPlaceRshift,
                                 PyNumber_InPlaceSubtract,
                                 PyNumber_InPlaceTrueDivide,
                                 PyNumber_InPlaceXor};

template <typename Function>
PyCFunction plain(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));  // NOLINT: required by Python's API
}

PyMethodDef functions[] = {
    // NOLINT: Python's API requires a mutable array
    {"announce", plain(announce_before), METH_FASTCALL,
     "announce(action: int, name: str | None, *operands) -> object\n\nAnnounce an access by code under control."},
    {"announced_call", plain(announced_call), METH_FASTCALL | METH_KEYWORDS,
     "announced_call(callable: object, *args) -> object\n\nAn announced call; also takes keyword arguments."},
    {"announced_spread", plain(announced_spread), METH_FASTCALL | METH_KEYWORDS,
     "announced_spread(callable: object, args: object) -> object\n\nThe same with its arguments in one iterable."},
    {"announced_item", plain(announced_item), METH_FASTCALL,
     "announced_item(container: object, key: object) -> object\n\nGet an item, announced."},
    {"announced_binary", plain(announced_binary), METH_FASTCALL,
     "announced_binary(number: int, left: object, right: object) -> object\n\nApply an operator, announced."},
};

}  // namespace

bool announce(Action action, PyObject* name, std::span<PyObject*> operands, std::int32_t at) {
  ProcessSlot* slot = control().mine();
  if (slot == nullptr) return goes_on_alone();
  const Fineness& fine = fineness();
  const bool always = fine.always || action == Action::kLine || (action == Action::kBreak && fine.breaks);
  if (action == Action::kBreak && !always) return true;
  const Instruction instruction{.action = action,
                                .may_switch = always || fine.accesses,
                                .always = always,
                                .operand = at != 0 ? at : operand_of(action, operands.size()),
                                .name = interned(name)};
  Operands shown{.top = operands.data() + operands.size(), .globals = PyEval_GetGlobals()};
  PyObject* cell = has_cell(action) ? cell_of(operands.back()) : nullptr;
  if (has_cell(action)) shown.locals = &cell;
  if (action == Action::kYield) {
    PyFrameObject* frame = PyEval_GetFrame();
    shown.generator = frame == nullptr ? nullptr : PyFrame_GetGenerator(frame);
    Py_XDECREF(shown.generator);  // it is running, so it has an owner
  }
  return before(*slot, instruction, shown, {.depth = static_cast<std::int32_t>(operands.size())});
}

bool announce_break() { return announce(Action::kBreak, nullptr, {}); }

PyObject* operate(Py_ssize_t number, PyObject* left, PyObject* right) {
  constexpr auto kInPlace = static_cast<Py_ssize_t>(kOperations.size() / 2);
  constexpr Py_ssize_t kRemainder = 6;
  std::array<PyObject*, 2> operands{left, right};
  const Action action = number < kInPlace ? Action::kReadBoth : Action::kChangeInPlace;
  const std::int32_t deeply = number == kRemainder ? 1 : 0;  // it formats text, too
  return announce(action, nullptr, operands, deeply) ? kOperations.at(static_cast<std::size_t>(number))(left, right)
                                                     : nullptr;
}

void bind_announcing(nanobind::module_& m) {
  for (PyMethodDef& each : functions) m.attr(each.ml_name) = nb::steal(PyCFunction_New(&each, nullptr));
  bind_announced(m);
  m.def(
      "announce_points", [](bool accesses, bool always, bool breaks) { fineness() = {accesses, always, breaks}; },
      nb::arg("accesses"), nb::arg("always"), nb::arg("breaks"));
}

}  // namespace linpoint::control
