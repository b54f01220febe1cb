// SPDX-License-Identifier: Apache-2.0
#include "python_control/interpreter_hook.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "python_control/interpreter_frames.h"
#include "python_control/operand_accesses.hpp"
#include "python_control/thread_controller.hpp"

namespace linpoint::control {

namespace {

/// The instructions of a code object, by offset in units of two bytes; stored with the code object and freed with it.
struct Described {
  std::uint64_t generation = 0;
  bool excluded = true;   ///< not traced
  bool one_step = true;   ///< without scheduling points of its own
  bool harmless = false;  ///< without other effects: all of them are reported to the control
  bool watched = false;   ///< from 3.12 on, sys.monitoring reports its instructions
  std::vector<Instruction> instructions;
};

struct Hook {
  bool on = false;
  /// code -> a list of (index, action, may_switch, always, depth, operand, name). For excluded code: None if a call of
  /// it is one step, False if it has scheduling points of its own, True if it has no other effects.
  nb::object describe;
  nb::object on_access;     ///< while a run is traced: (process, code, line, action, operands, touched)
  nb::object uncontrolled;  ///< called with a real lock that the program is about to use
  nb::object watch;         ///< from 3.12 on, called with code whose instructions are to be reported
  nb::object disable;       ///< from 3.12 on, the return value for events that need not be reported again
  Py_ssize_t extra = -1;
  std::uint64_t generation = 0;
  std::vector<Touched> touched;
  std::vector<Access> accesses;  ///< of these objects
};

Hook& hook() {
  static auto* the_one = new Hook;  // NOLINT: abandoned threads may use it until the very end
  return *the_one;
}

void read_table(Described& into, nb::handle table, PyCodeObject* code) {
  into.instructions.assign(static_cast<std::size_t>(Py_SIZE(reinterpret_cast<PyObject*>(code))), {});  // NOLINT
  for (const nb::handle each : table) {
    const auto row = nb::borrow<nb::tuple>(each);
    Instruction& one = into.instructions.at(nb::cast<std::size_t>(row[0]));
    one.action = static_cast<Action>(nb::cast<std::uint8_t>(row[1]));
    one.may_switch = nb::cast<bool>(row[2]);
    one.always = nb::cast<bool>(row[3]);
    one.depth = nb::cast<std::int32_t>(row[4]);
    one.operand = nb::cast<std::int32_t>(row[5]);
    one.name = row[6].is_none() ? nullptr : row[6].ptr();  // the code object keeps it alive
  }
}

#if PY_VERSION_HEX < 0x030C0000
constexpr auto request_extra = _PyEval_RequestCodeExtraIndex;
constexpr auto get_extra = _PyCode_GetExtra;
constexpr auto set_extra = _PyCode_SetExtra;
#else
constexpr auto request_extra = PyUnstable_Eval_RequestCodeExtraIndex;
constexpr auto get_extra = PyUnstable_Code_GetExtra;
constexpr auto set_extra = PyUnstable_Code_SetExtra;
#endif

/// The description of a code object; null if `describe` has raised.
Described* described(PyCodeObject* code) {
  const Hook& the = hook();
  auto* object = reinterpret_cast<PyObject*>(code);  // NOLINT: as for all Python objects
  void* extra = nullptr;
  get_extra(object, the.extra, &extra);
  auto* found = static_cast<Described*>(extra);
  if (found != nullptr && found->generation == the.generation) return found;
  if (found == nullptr) {
    found = new Described;  // NOLINT: owned by the code object
    if (set_extra(object, the.extra, found) != 0) return nullptr;
  }
  found->generation = the.generation;
  found->excluded = true;
  found->watched = false;
  PyObject* table = PyObject_CallOneArg(the.describe.ptr(), object);
  if (table == nullptr) return nullptr;
  const nb::object kept = nb::steal(table);
  found->one_step = kept.is_none();
  found->harmless = kept.ptr() == Py_True;
  found->excluded = found->one_step || PyBool_Check(kept.ptr());
  try {
    if (!found->excluded) read_table(*found, kept, code);
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
  return found;
}

constexpr std::int32_t kShown = 4;  // operands, in addition to the arguments of a call

void narrate(const ProcessSlot& slot, const Instruction& instruction, const Operands& operands, const Spot& spot) {
  nb::list touched;
  for (const Touched& each : hook().touched) {
    touched.append(nb::make_tuple(nb::borrow(each.object), each.name == nullptr ? nb::none() : nb::borrow(each.name),
                                  static_cast<int>(each.mode)));
  }
  nb::list shown;  // the topmost last
  for (std::int32_t i = std::min(spot.depth, instruction.operand + kShown); i > 0; --i) {
    PyObject* each = operands.top[-i];
    shown.append(each == nullptr ? nb::none() : nb::borrow(each));
  }
  auto code = nb::borrow(reinterpret_cast<PyObject*>(spot.code));  // NOLINT: as for all Python objects
  int line = 0;
  if (spot.code != nullptr) {
    line = PyCode_Addr2Line(spot.code, static_cast<int>(spot.index * 2));
  } else if (PyFrameObject* frame = PyEval_GetFrame(); frame != nullptr) {
    code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));  // NOLINT
    line = PyFrame_GetLineNumber(frame);
  }
  const Aside aside;
  hook().on_access(slot.id, code, line, static_cast<int>(instruction.action), shown, touched);
}

/// Records the reads, and blocks a process that only repeats a loop. Code that announces itself has no call to observe.
void watch_spinning(ProcessSlot& slot, const Instruction& instruction, const Operands& operands, const Spot& spot) {
  const std::vector<Touched>& touched = hook().touched;
  const auto reads = [](const Touched& each) { return each.mode == explore::Mode::kRead; };
  if (looked_opaquely() || spot.code == nullptr || slot.calling ||
      !std::all_of(touched.begin(), touched.end(), reads)) {
    return slot.spin.forget();
  }
  if (touched.empty() && !instruction.always) return;
  std::vector<Access>& accesses = hook().accesses;
  accesses.clear();
  for (const Touched& each : touched) add_accesses(each, accesses);
  const Moment now{spot.call, spot.index, {operands.locals, operands.top}};
  if (!slot.spin.comes_round(now, accesses) || !instruction.may_switch) return;
  std::vector<Touched> kept = touched;  // other processes use it before this one continues
  control().wait_for_news(slot);
  hook().touched = std::move(kept);
}

thread_local bool counts_alone = false;

}  // namespace

bool before(ProcessSlot& slot, const Instruction& instruction, const Operands& operands, const Spot& spot) {
  Hook& the = hook();
  the.touched.clear();
  if (instruction.action == Action::kReturn && slot.under_way.empty() && !instruction.always) return true;
  control().settle(slot, linpoint_is_calling);
  PyObject* lock = collect(instruction, operands, the.touched);
  try {
    if (lock != nullptr && !the.uncontrolled.is_none()) the.uncontrolled(nb::borrow(lock));
    watch_spinning(slot, instruction, operands, spot);
    // Accesses that are unknown must not precede the call of the operation.
    const bool blind = looked_blindly() && slot.calling;
    // When a function returns to C code, other processes must be able to run before that code continues.
    const bool back = instruction.action == Action::kReturn && !slot.under_way.empty() &&
                      linpoint_is_calling_directly(slot.under_way.back().frame) != 0;
    if (the.touched.empty() && !instruction.always && !blind && !back) return true;
    // Code that announces itself has no frame to identify it.
    const bool calls = spot.code != nullptr && may_call_back(instruction, the.touched);
    const bool narrated = the.on_access.is_valid() && !the.on_access.is_none();
    if (instruction.may_switch || slot.calling) {
      slot.pending.clear();
      for (const Touched& each : the.touched) add_accesses(each, slot.pending);
      const std::size_t own = slot.pending.size();
      std::vector<Touched> kept;  // other processes use it before this one continues
      if (narrated) kept = the.touched;
      control().point(slot, Doing::kInstruction, 0);
      the.touched = std::move(kept);
      if (calls) control().begin(slot, operands.locals, std::span(slot.pending).first(own));
    } else {
      the.accesses.clear();
      for (const Touched& each : the.touched) add_accesses(each, the.accesses);
      for (const Access& each : the.accesses) control().note(each);
      if (calls) control().begin(slot, operands.locals, the.accesses);
    }
    if (narrated) narrate(slot, instruction, operands, spot);
    return true;
  } catch (const StopRun&) {
    PyErr_SetNone(control().stop_type.ptr());
  } catch (nb::python_error& error) {
    error.restore();
  }
  return false;
}

bool goes_on_alone() {
  if (control().left_behind()) {
    PyErr_SetNone(control().stop_type.ptr());
    return false;
  }
  if (!counts_alone || control().may_go_on_alone()) return true;
  PyErr_SetNone(control().blocked_type.ptr());
  return false;
}

namespace {

/// Excluded code begins or continues: its reads are unknown.
void leave_alone(const Described& known) {
  if (ProcessSlot* slot = control().mine(); slot != nullptr && !known.harmless) slot->spin.forget();
}

/// Before the instruction at `index` of a frame.
bool before_in(const linpoint_frame& frame, ProcessSlot& slot, const Instruction& instruction, std::size_t index) {
  const std::int32_t depth = frame.depth >= 0 ? frame.depth : instruction.depth;
  const Operands operands{frame.locals, frame.locals + frame.code->co_nlocalsplus + depth, frame.globals,
                          frame.generator};
  return before(slot, instruction, operands, {frame.code, index, depth, frame.call});
}

#if PY_VERSION_HEX < 0x030C0000

/// Before the instruction that `frame` has reached: 0, or -1 with an exception set. If `begins`, a function has reached
/// RESUME, for which there are no instruction events, or else an exception is thrown into a generator at its position.
int before_traced(PyFrameObject* frame, bool begins) {
  ProcessSlot* slot = control().mine();
  if (slot == nullptr) return goes_on_alone() ? 0 : -1;
  linpoint_frame shown{};
  if (linpoint_look(&shown) == 0) return 0;
  const Described* known = described(shown.code);
  if (known == nullptr) return -1;
  const auto index = static_cast<std::size_t>(PyFrame_GetLasti(frame)) / 2;
  if (known->excluded || index >= known->instructions.size()) return 0;
  const Instruction& instruction = known->instructions[index];
  const bool touches = instruction.action != Action::kNone;
  if (begins ? touches : !touches && !instruction.always) return 0;
  return before_in(shown, *slot, instruction, index) ? 0 : -1;
}

int traced(PyObject*, PyFrameObject* frame, int what, PyObject*) {
  if (what == PyTrace_OPCODE) return before_traced(frame, false);
  if (what != PyTrace_CALL) return 0;
  PyCodeObject* code = PyFrame_GetCode(frame);
  const Described* known = described(code);
  Py_DECREF(code);
  if (known == nullptr) return -1;
  linpoint_trace(frame, known->excluded ? 0 : 1);
  if (!known->excluded) return before_traced(frame, true);
  leave_alone(*known);
  return 0;
}

/// Never called: there is no sys.monitoring.
PyObject* before_instruction(PyObject*, PyObject* const*, Py_ssize_t) { Py_RETURN_NONE; }
PyObject* before_code(PyObject*, PyObject* const*, Py_ssize_t) { Py_RETURN_NONE; }

#else

PyObject* nothing_more() { return Py_NewRef(hook().disable.ptr()); }

/// Before the instruction at `offset` of code that is not excluded; returns the callback's result for sys.monitoring.
PyObject* before_offset(PyCodeObject* code, const Described& known, PyObject* offset) {
  const auto index = static_cast<std::size_t>(PyLong_AsSsize_t(offset)) / 2;
  if (index >= known.instructions.size()) return nothing_more();
  const Instruction& instruction = known.instructions[index];
  if (instruction.action == Action::kNone && !instruction.always) return nothing_more();
  ProcessSlot* slot = control().mine();
  if (slot == nullptr && !goes_on_alone()) return nullptr;
  linpoint_frame shown{};
  if (slot == nullptr || linpoint_look(&shown) == 0 || shown.code != code) Py_RETURN_NONE;
  if (!before_in(shown, *slot, instruction, index)) return nullptr;
  Py_RETURN_NONE;
}

/// The callback of sys.monitoring for instructions: (code, offset) -> None or DISABLE.
PyObject* before_instruction(PyObject*, PyObject* const* args, Py_ssize_t) {
  auto* code = reinterpret_cast<PyCodeObject*>(args[0]);  // NOLINT: as for all Python objects
  const Described* known = described(code);
  if (known == nullptr) return nullptr;
  return known->excluded ? nothing_more() : before_offset(code, *known, args[1]);
}

/// The callback of sys.monitoring for code that begins or continues: (code, offset) -> None or DISABLE.
PyObject* before_code(PyObject*, PyObject* const* args, Py_ssize_t) {
  auto* code = reinterpret_cast<PyCodeObject*>(args[0]);  // NOLINT
  Described* known = described(code);
  if (known == nullptr) return nullptr;
  if (known->harmless) return nothing_more();
  if (known->excluded) {
    leave_alone(*known);
    Py_RETURN_NONE;
  }
  if (!known->watched) {
    known->watched = true;
    PyObject* watched = PyObject_CallOneArg(hook().watch.ptr(), args[0]);
    if (watched == nullptr) return nullptr;
    Py_DECREF(watched);
  }
  return before_offset(code, *known, args[1]);  // there are no instruction events for RESUME itself
}

#endif

PyMethodDef on_instruction{"before_instruction", reinterpret_cast<PyCFunction>(before_instruction),  // NOLINT
                           METH_FASTCALL,
                           "before_instruction(code: object, offset: int) -> object\n\nFor sys.monitoring."};
PyMethodDef on_code{"before_code", reinterpret_cast<PyCFunction>(before_code),  // NOLINT
                    METH_FASTCALL, "before_code(code: object, offset: int) -> object\n\nFor sys.monitoring."};

}  // namespace

void enter_hook() {
#if PY_VERSION_HEX < 0x030C0000
  if (hook().on) PyEval_SetTrace(traced, nullptr);
#endif
}

void leave_hook() {
#if PY_VERSION_HEX < 0x030C0000
  if (hook().on) PyEval_SetTrace(nullptr, nullptr);
#endif
}

void hook_alone(bool on) {
  if (on == counts_alone) return;
  counts_alone = on;
#if PY_VERSION_HEX < 0x030C0000
  if (!hook().on) return;  // code that announces itself is counted there
  static thread_local Py_tracefunc before = nullptr;
  static thread_local PyObject* with = nullptr;
  if (on) {
    const PyThreadState* state = PyThreadState_Get();
    before = state->c_tracefunc;
    with = Py_XNewRef(state->c_traceobj);
    PyEval_SetTrace(traced, nullptr);
  } else {
    PyEval_SetTrace(before, with);
    Py_CLEAR(with);
  }
#endif
}

void bind_hook(nb::module_& m) {
  look_out_for({});
  m.def(
      "hook_look_out_for",
      [](const nb::tuple& types) {
        std::vector<PyTypeObject*> found;
        for (const nb::handle each : types)
          found.push_back(reinterpret_cast<PyTypeObject*>(each.inc_ref().ptr()));  // NOLINT
        look_out_for(std::move(found));
      },
      nb::arg("types"));
  m.def("can_look_at_frames", [] { return linpoint_can_look() != 0; });
  m.def(
      "hook",
      [](bool on, nb::object describe, nb::object uncontrolled) {
        Hook& the = hook();
        if (the.extra < 0)
          the.extra = request_extra([](void* known) { delete static_cast<Described*>(known); });  // NOLINT
        one_step = [](PyCodeObject* code) {
          const Described* known = described(code);
          if (known == nullptr) PyErr_Clear();
          return known != nullptr && known->one_step;
        };
        if (the.extra < 0) throw std::runtime_error("no room is left beside code objects");
        ++the.generation;  // descriptions of code depend on the hook
        the.on = on;
        the.describe = std::move(describe);
        the.uncontrolled = std::move(uncontrolled);
        the.on_access = nb::none();
      },
      nb::arg("on"), nb::arg("describe"), nb::arg("uncontrolled").none());
  m.def("narrate", [](nb::object on_access) { hook().on_access = std::move(on_access); }, nb::arg("on_access").none());
  m.attr("before_instruction") = nb::steal(PyCFunction_New(&on_instruction, nullptr));
  m.attr("before_code") = nb::steal(PyCFunction_New(&on_code, nullptr));
  m.def(
      "hook_monitoring",
      [](nb::object watch, nb::object disable) {
        hook().watch = std::move(watch);
        hook().disable = std::move(disable);
      },
      nb::arg("watch").none(), nb::arg("disable").none());
}

}  // namespace linpoint::control
