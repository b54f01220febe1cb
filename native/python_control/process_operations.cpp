// SPDX-License-Identifier: Apache-2.0
// The body of a process: a function, or a sequence of operations whose results are recorded.
#include <utility>

#include "python_control/interpreter_exit_guard.hpp"
#include "python_control/operand_accesses.hpp"
#include "python_control/thread_controller.hpp"

namespace linpoint::control {

namespace {

constexpr std::size_t kMostInMask = 64;

bool stays_as_it_is(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  return value == Py_None || type == &PyLong_Type || type == &PyUnicode_Type || type == &PyBool_Type ||
         type == &PyFloat_Type;
}

/// Whether equal values of the same type are indistinguishable.
bool is_told_by_its_value(PyObject* value) { return stays_as_it_is(value) && Py_TYPE(value) != &PyFloat_Type; }

}  // namespace

nb::object ThreadController::outcome() const {
  std::vector<const Done*> all;
  for (const auto& slot : slots_) {
    for (const Done& done : slot->operations) all.push_back(&done);
  }
  if (all.size() > kMostInMask) return nb::none();
  nb::list parts;
  for (const Done* one : all) {
    if (one->returned < 0 || !(one->raised || is_told_by_its_value(one->value.ptr()))) return nb::none();
    std::uint64_t earlier = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i]->returned < one->call) earlier |= std::uint64_t{1} << i;
    }
    parts.append(earlier);
    parts.append(one->raised);
    parts.append(nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(one->value.ptr()))));
    if (!one->raised) parts.append(one->value);
  }
  return nb::tuple(parts);
}

/// The caller's reads of a result belong to the last step, though no instruction makes them.
void ThreadController::read_result(PyObject* result) {
  std::vector<Touched> touched;
  std::vector<Access> accesses;
  collect_result(result, touched);
  for (const Touched& each : touched) add_accesses(each, accesses);
  for (const Access& each : accesses) note(each);
}

void ThreadController::run_body(ProcessSlot& slot) {
  try {
    if (nb::isinstance<nb::tuple>(slot.body)) {
      run_operations(slot);
      return;
    }
    PyObject* result = outlast([&slot] { return PyObject_CallNoArgs(slot.body.ptr()); });
    if (result != nullptr) {
      Py_DECREF(result);
      return;
    }
    const nb::python_error error;
    if (!is_end(error)) slot.error = nb::borrow(error.value());
  } catch (const StopRun&) {
  } catch (const nb::python_error& error) {  // from a callback: no caller on the stack could handle it
    end_with(error);
  }
}

/// Ends the run with an exception that its driver raises.
void ThreadController::end_with(const nb::python_error& error) {
  raised_ = nb::borrow(error.value());
  wants_stop_ = true;
}

/// Whether the process has been told to stop. Ctrl-C does not count as behaviour of the code under test, although it is
/// raised there; a KeyboardInterrupt that the code itself raises does.
bool ThreadController::is_end(const nb::python_error& error) {
  if (error.matches(stop_type)) return true;
  if (!interrupted_ || !error.matches(PyExc_KeyboardInterrupt)) return false;
  end_with(error);
  return true;
}

void ThreadController::run_operations(ProcessSlot& slot) {
  const auto calls = nb::borrow<nb::tuple>(slot.body);
  slot.operations.reserve(calls.size());
  for (const nb::handle each : calls) {
    slot.operations.emplace_back();
    Done& done = slot.operations.back();
    slot.calling = true;
    const std::int64_t begun = ++moment_;
    PyObject* result = outlast(
        [each] { return PyObject_Call(PyTuple_GET_ITEM(each.ptr(), 0), PyTuple_GET_ITEM(each.ptr(), 1), nullptr); });
    if (result != nullptr) {
      done.value = nb::steal(result);
      if (!stays_as_it_is(result) && on_result.is_valid()) {
        settle(slot, nullptr);
        read_result(result);
        const Aside aside;
        done.value = on_result(done.value);
      }
    } else {
      const nb::python_error error;
      if (is_end(error)) return;
      done.raised = true;
      done.value = nb::borrow(error.value());
      if (!narrated()) PyException_SetTraceback(done.value.ptr(), Py_None);  // its frames would keep objects alive
    }
    slot.spin.forget();
    if (stopping_) return;
    settle(slot, nullptr);
    if (std::exchange(slot.calling, false)) {
      // It touched nothing observable, so there was no scheduling point. Other threads may observe it nevertheless: it
      // took effect within the current step, not later.
      note({explore::kClock, explore::kClock + 1, Mode::kCall});
      done.call = begun;
    }
    note({explore::kClock, explore::kClock + 1, Mode::kReturn});
    done.returned = ++moment_;
    if (narrated()) {
      const Aside aside;
      on_return(slot.id, slot.operations.size() - 1, done.value, done.raised);
    }
  }
}

}  // namespace linpoint::control
