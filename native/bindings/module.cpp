// SPDX-License-Identifier: Apache-2.0
// The extension module. Only the files in this directory include Python: columns of integers in, one result out. The
// GIL is released in between and taken back only to compute a missing cell of a spec.
#include <nanobind/nanobind.h>

#include "bindings/python_buffers.hpp"

NB_MODULE(_native, m) {
  // A search inside an infinite call of a user's spec is abandoned when the budget ends: not a leak worth a warning.
  nanobind::set_leak_warnings(false);
  m.doc() = "Native core of linpoint. Private: import from the public modules instead.";
  linpoint::bindings::bind_histories(m);
  nanobind::module_ readers = m.def_submodule("readers", "Readers and writers of histories.");
  linpoint::bindings::bind_operation_table(readers);
  linpoint::bindings::bind_readers(readers);
  linpoint::bindings::bind_writers(readers);
  linpoint::bindings::bind_limits(m);
  linpoint::bindings::bind_record(m);
  linpoint::bindings::bind_searches(m);
  linpoint::bindings::bind_monitors(m);
  linpoint::bindings::bind_eras(m);
  linpoint::bindings::bind_decisions(m);
  linpoint::bindings::bind_frontiers(m);
  linpoint::bindings::bind_graphs(m);
  linpoint::bindings::bind_refine(m);
  linpoint::bindings::bind_control(m);
}
