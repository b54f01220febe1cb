// SPDX-License-Identifier: Apache-2.0
// What a process does: it calls a function, or operations one after another, of which it notes what they gave.
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

/// Of equal values all that anybody can see is the same, if their types are.
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

/// What whoever called sees of a result is read with the last step, though no instruction reads it.
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
  } catch (const nb::python_error& error) {  // of whoever listens: nobody up the stack could take it
    end_with(error);
  }
}

/// The run ends, and its driver raises this.
void ThreadController::end_with(const nb::python_error& error) {
  raised_ = nb::borrow(error.value());
  wants_stop_ = true;
}

/// Whether the process has been told to stop. Ctrl-C is nothing that the code under test does, although it is raised
/// there; a KeyboardInterrupt that the code itself raises is.
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
      // It has touched nothing that we see, so there was no point, and others may see it all the same: it took place
      // when it took place, within the step under way, and not at some later moment.
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
