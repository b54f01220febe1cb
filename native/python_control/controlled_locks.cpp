// SPDX-License-Identifier: Apache-2.0
#include "python_control/controlled_locks.hpp"

#include <utility>

namespace linpoint::control {

namespace {

constexpr double kForever = -1;

[[noreturn]] void refuse(const char* message) {
  PyErr_SetString(PyExc_RuntimeError, message);
  throw nb::python_error();
}

void check_timeout(bool blocking, double timeout) {
  const char* problem = nullptr;
  if (!blocking && timeout != kForever) problem = "can't specify a timeout for a non-blocking call";
  if (timeout < 0 && timeout != kForever) problem = "timeout value must be a non-negative number";
  if (problem == nullptr) return;
  PyErr_SetString(PyExc_ValueError, problem);
  throw nb::python_error();
}

template <typename T>
bool acquire_checked(T& lock, bool blocking, double timeout) {
  check_timeout(blocking, timeout);
  return lock.acquire(blocking, timeout);
}

template <typename T>
nb::class_<T> bind_lock(nb::module_& m, const char* name) {
  return nb::class_<T>(m, name, nb::is_weak_referenceable())
      .def(nb::init<>())
      .def("acquire", &acquire_checked<T>, nb::arg("blocking") = true, nb::arg("timeout") = kForever)
      .def("__enter__", [](T& lock) { return lock.acquire(true, kForever); })
      .def("release", &T::release)
      .def(
          "__exit__", [](T& lock, nb::handle, nb::handle, nb::handle) { lock.release(); }, nb::arg("kind") = nb::none(),
          nb::arg("error") = nb::none(), nb::arg("trace") = nb::none())
      .def("locked", &T::locked)
      .def_prop_ro("owner",
                   [](const T& lock) -> nb::object {
                     if (lock.owner() == explore::kNobody) return nb::none();
                     return nb::int_(lock.owner());
                   })
      .def_prop_ro("place", [](const T& lock) { return reinterpret_cast<std::uintptr_t>(&lock.resource()); })  // NOLINT
      .def("_at_fork_reinit", [](T& lock) { lock = T(); })
      // A copy is a new, free lock, since objects that hold one are only copied between operations.
      .def("__getstate__", [](const T&) { return nb::make_tuple(); })
      .def("__setstate__", [](T& lock, const nb::tuple&) { new (&lock) T(); }, nb::arg("state"));
}

}  // namespace

void Lock::release() {
  if (!locked()) {
    if (control().stopping()) return;
    refuse("release unlocked lock");
  }
  control().release(resource_);
}

bool ReentrantLock::is_mine() const {
  const ProcessSlot* slot = control().mine();
  return locked() && resource_.owner == (slot == nullptr ? explore::kNobody : slot->id);
}

bool ReentrantLock::acquire(bool blocking, double timeout) {
  if (is_mine()) {
    ++count_;
    return true;
  }
  if (!control().acquire(resource_, blocking, timeout)) return false;
  count_ = 1;
  return true;
}

void ReentrantLock::release() {
  if (!is_mine()) {
    if (control().stopping()) return;
    refuse("cannot release un-acquired lock");
  }
  if (--count_ == 0) control().release(resource_);
}

std::uint64_t ReentrantLock::release_all() {
  if (!is_mine()) refuse("cannot release un-acquired lock");
  const std::uint64_t count = std::exchange(count_, 0);
  control().release(resource_);
  return count;
}

void ReentrantLock::acquire_again(std::uint64_t count) {
  static_cast<void>(control().acquire(resource_, true, kForever));
  count_ = count;
}

void bind_locks(nb::module_& m) {
  bind_lock<Lock>(m, "ControlledLock");
  bind_lock<ReentrantLock>(m, "ControlledRLock")
      .def("_is_owned", &ReentrantLock::is_mine)
      .def("_release_save", &ReentrantLock::release_all)
      .def("_acquire_restore", &ReentrantLock::acquire_again, nb::arg("count"));
}

}  // namespace linpoint::control
