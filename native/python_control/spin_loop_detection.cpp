// SPDX-License-Identifier: Apache-2.0
#include "python_control/spin_loop_detection.hpp"

#include <algorithm>
#include <utility>

namespace linpoint::control {

using explore::Access;

namespace {

constexpr std::uint64_t kFew = 8;          // steps; a waiting loop takes more
constexpr std::size_t kMostPlaces = 64;    // per iteration
constexpr std::size_t kMostValues = 1000;  // per call

}  // namespace

void Spin::let_go() {
  // Releasing an object may run code of the program, so the state must be consistent first.
  const std::vector<PyObject*> values = std::exchange(values_, {});
  PyObject* call = std::exchange(call_, nullptr);
  reads_.clear();
  slept_ = false;
  for (PyObject* each : values) Py_XDECREF(each);
  Py_XDECREF(call);
}

void Spin::forget() {
  steps_ = 0;
  next_look_ = kFew;
  if (call_ != nullptr) let_go();
}

void Spin::look_from(const Moment& now) {
  let_go();
  if (now.values.size() > kMostValues) return;
  call_ = Py_XNewRef(reinterpret_cast<PyObject*>(PyEval_GetFrame()));  // NOLINT: creates the object if there is none
  instruction_ = now.instruction;
  values_.assign(now.values.begin(), now.values.end());
  for (PyObject* each : values_) Py_XINCREF(each);
}

bool Spin::comes_round(const Moment& now, std::span<const Access> reads) {
  ++steps_;
  const bool round = call_ != nullptr && call_ == now.call && instruction_ == now.instruction &&
                     std::equal(values_.begin(), values_.end(), now.values.begin(), now.values.end());
  if (round) return true;
  // Brent's cycle detection: the starting point moves at doubling distances, so that it eventually lies within the
  // loop, whatever its length.
  if (steps_ >= next_look_) {
    next_look_ = std::max(kFew, 2 * steps_);
    look_from(now);
  }
  if (call_ == nullptr) return false;
  for (const Access& each : reads)
    if (!has_read(each)) reads_.push_back(each);
  if (reads_.size() > kMostPlaces) let_go();
  return false;
}

bool Spin::has_read(const Access& place) const {
  return std::any_of(reads_.begin(), reads_.end(),
                     [&](const Access& each) { return each.begin < place.end && place.begin < each.end; });
}

}  // namespace linpoint::control
