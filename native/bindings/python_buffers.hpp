// SPDX-License-Identifier: Apache-2.0
// Buffers of Python arrays as spans and vectors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <vector>

namespace linpoint::bindings {

namespace nb = nanobind;

template <typename T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> view(const Column<T>& column) {
  return {column.data(), column.shape(0)};
}

template <typename T>
std::vector<T> copy(const Column<T>& column) {
  return {column.data(), column.data() + column.shape(0)};
}

void bind_control(nb::module_& m);
void bind_eras(nb::module_& m);
void bind_decisions(nb::module_& m);
void bind_frontiers(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_refine(nb::module_& m);
void bind_histories(nb::module_& m);
void bind_limits(nb::module_& native);
void bind_monitors(nb::module_& m);
void bind_operation_table(nb::module_& m);
void bind_readers(nb::module_& m);
void bind_record(nb::module_& m);
void bind_searches(nb::module_& m);
void bind_writers(nb::module_& m);

}  // namespace linpoint::bindings
