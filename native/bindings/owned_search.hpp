// SPDX-License-Identifier: Apache-2.0
// Searches as owned by Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "bindings/python_spec_machine.hpp"
#include "linpoint/search/search.hpp"

namespace linpoint::bindings {

namespace nb = nanobind;

/// The positions in the history of operations of a problem.
inline std::vector<std::int32_t> positions_of(const search::Problem& problem, const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> positions;
  positions.reserve(order.size());
  for (const std::int32_t op : order) positions.push_back(problem.position[static_cast<std::size_t>(op)]);
  return positions;
}

/// A search with the Python objects it needs, which must outlive it.
struct OwnedSearch {
  nb::object problem;
  nb::object machine;
  nb::object stop;
  const search::Problem* given;
  std::unique_ptr<search::Search> search;

  search::Status run(std::uint64_t allowance) const {
    search::Status status = search::Status::kStopped;
    {
      const nb::gil_scoped_release nogil;
      status = search->run(allowance);
    }
    if (raised) std::rethrow_exception(std::exchange(raised, nullptr));
    return status;
  }
};

}  // namespace linpoint::bindings
