// SPDX-License-Identifier: Apache-2.0
// Python bindings of thread logs and of the gate at which threads start.
//
// A log owns a reference to each of its values. Every value that is not a plain constant is passed through `snapshot`,
// a Python function, before the call time and after the return time. So later changes of a list, by the operation or
// another thread, cannot change the record, and the operation's interval contains none of linpoint's own work.
#include <nanobind/nanobind.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/python_buffers.hpp"
#include "linpoint/record/thread_log.hpp"

namespace linpoint::bindings {

using namespace nb::literals;
using record::Ending;
using record::Entry;
using record::Moment;

namespace {

PyObject* python(record::Value value) { return static_cast<PyObject*>(value); }

bool constant(PyObject* value) {
  return value == Py_None || PyLong_CheckExact(value) || PyUnicode_CheckExact(value) || PyBool_Check(value) ||
         PyFloat_CheckExact(value) || PyBytes_CheckExact(value);
}

bool constants(PyObject* tuple) {
  const Py_ssize_t size = PyTuple_GET_SIZE(tuple);
  for (Py_ssize_t at = 0; at < size; ++at)
    if (!constant(PyTuple_GET_ITEM(tuple, at))) return false;
  return true;
}

class ThreadLog {
 public:
  ThreadLog(nb::callable snapshot, std::size_t expected) : snapshot_(std::move(snapshot)), log_(expected) {}
  ~ThreadLog() { clear(); }
  ThreadLog(const ThreadLog&) = delete;
  ThreadLog& operator=(const ThreadLog&) = delete;

  bool call(std::int32_t operation, const nb::tuple& arguments) {
    nb::object kept = constants(arguments.ptr()) ? nb::object(arguments) : snapshots(arguments);
    if (!log_.call(operation, kept.ptr())) return false;
    static_cast<void>(kept.release());
    return true;
  }

  void returned(nb::handle result) {
    const Moment ret = record::now();
    end(Ending::kReturned, ret, result);
  }

  void raised(nb::handle error) {
    const Moment ret = record::now();
    end(Ending::kRaised, ret, error.type().attr("__name__"));
  }

  void ended(Ending ending) {
    const Moment ret = record::now();
    end(ending, ret, nb::none());
  }

  [[nodiscard]] bool open() const { return log_.open(); }
  [[nodiscard]] std::size_t size() const { return log_.size(); }

  [[nodiscard]] nb::list entries() const {
    nb::list found;
    log_.visit([&](const Entry& entry) {
      const Ending ending = entry.ending.load(std::memory_order_acquire);
      const nb::handle arguments(python(entry.arguments));
      if (ending == Ending::kOpen)
        found.append(nb::make_tuple(entry.operation, arguments, entry.call, nb::none(), ending, nb::none()));
      else
        found.append(nb::make_tuple(entry.operation, arguments, entry.call, entry.ret, ending,
                                    nb::handle(python(entry.result))));
    });
    return found;
  }

  /// Clears the log and releases its values. The log is empty before anything is released, since that may run user
  /// code.
  void clear() {
    std::vector<PyObject*> held;
    log_.visit([&](const Entry& entry) {
      held.push_back(python(entry.arguments));
      held.push_back(python(entry.result));
    });
    log_.clear();
    for (PyObject* const value : held) Py_XDECREF(value);
  }

  int traverse(visitproc visit, void* argument) const {
    int stopped = 0;
    const auto show = [&](PyObject* value) {
      if (stopped == 0 && value != nullptr) stopped = visit(value, argument);
    };
    show(snapshot_.ptr());
    log_.visit([&](const Entry& entry) {
      show(python(entry.arguments));
      if (entry.ending.load(std::memory_order_acquire) != Ending::kOpen) show(python(entry.result));
    });
    return stopped;
  }

 private:
  [[nodiscard]] nb::object snapshot(nb::handle value) const {
    return constant(value.ptr()) ? nb::borrow(value) : nb::object(snapshot_(value));
  }

  /// One by one: an argument that cannot be recorded as a value must not turn all arguments into one text.
  [[nodiscard]] nb::object snapshots(const nb::tuple& values) const {
    nb::object kept = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
    if (!kept.is_valid()) throw nb::python_error();
    for (std::size_t at = 0; at < values.size(); ++at)
      PyTuple_SET_ITEM(kept.ptr(), static_cast<Py_ssize_t>(at), snapshot(values[at]).release().ptr());
    return kept;
  }

  void end(Ending ending, Moment ret, nb::handle result) {
    if (!log_.open()) throw nb::value_error("no operation is open");
    nb::object kept = nb::none();
    try {
      kept = snapshot(result);
    } catch (...) {
      static_cast<void>(log_.end(Ending::kUnknown, ret, kept.release().ptr()));
      throw;
    }
    static_cast<void>(log_.end(ending, ret, kept.release().ptr()));
  }

  nb::callable snapshot_;
  record::Log log_;
};

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<ThreadLog>(self)->traverse(visit, arg) : 0;
}

int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<ThreadLog>(self)->clear();
  return 0;
}

PyType_Slot slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

using Gate = std::barrier<>;

/// Makes timed waits of this thread end on time, instead of up to 50 microseconds later to save power. After such a
/// wait a thread requests the interpreter lock, so operations are interrupted far more often.
void wait_precisely() {
#ifdef __linux__
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
#endif
}

}  // namespace

void bind_record(nb::module_& m) {
  nb::enum_<Ending>(m, "Ending")
      .value("OPEN", Ending::kOpen)
      .value("RETURNED", Ending::kReturned)
      .value("RAISED", Ending::kRaised)
      .value("FAILED", Ending::kFailed)
      .value("UNKNOWN", Ending::kUnknown);
  nb::class_<ThreadLog>(m, "ThreadLog", nb::type_slots(slots),
                        "The operations of one thread with their times; see thread_log.hpp.")
      .def(nb::init<nb::callable, std::size_t>(), "snapshot"_a, "expected"_a)
      .def("call", &ThreadLog::call, "operation"_a, "args"_a,
           "Begin an operation. False, without effect, if the previous one is still open.")
      .def("returned", &ThreadLog::returned, "result"_a.none(), "End the open operation with a result.")
      .def("raised", &ThreadLog::raised, "error"_a,
           "End the open operation with an exception; the name of its type is kept.")
      .def("ended", &ThreadLog::ended, "ending"_a, "End the open operation without a result.")
      .def_prop_ro("open", &ThreadLog::open, "Whether an operation is open.")
      .def("__len__", &ThreadLog::size, "The number of operations called.")
      .def("entries", &ThreadLog::entries,
           "Operation, arguments, call, return, ending and result of each operation, by call; return is None for an "
           "open one.")
      .def("clear", &ThreadLog::clear, "Remove all entries; only while no thread writes.");
  nb::class_<Gate>(m, "Gate", "A barrier: opens for all threads when the last has arrived.")
      .def(nb::init<std::ptrdiff_t>(), "parties"_a)
      .def("arrive", &Gate::arrive_and_wait, nb::call_guard<nb::gil_scoped_release>(), "Wait for the other threads.");
  m.def("wait_precisely", &wait_precisely, "Make timed waits of this thread end on time; see bind_record.cpp.");
}

}  // namespace linpoint::bindings
