// SPDX-License-Identifier: Apache-2.0
// The part of a sink that queries the specification, if there is one: without one, everything is allowed.
#pragma once

#include "linpoint/refine/allowed_configuration_sets.hpp"

namespace linpoint::refine {

class Asking {
 public:
  explicit Asking(SpecSets* sets) : sets_(sets) {}

  [[nodiscard]] Slot called(Slot set, unsigned process, unsigned invocation) const {
    return sets_ == nullptr ? set : sets_->called(set, process, invocation);
  }
  [[nodiscard]] Slot linearized(Slot set, unsigned process) const {
    return sets_ == nullptr ? set : sets_->linearized(set, process);
  }
  [[nodiscard]] Slot returned(Slot set, unsigned process, const Slot* values, unsigned count) const {
    return sets_ == nullptr ? set : sets_->returned(set, process, values, count);
  }

 protected:
  SpecSets* sets_;
};

}  // namespace linpoint::refine
