// SPDX-License-Identifier: Apache-2.0
// Another model as a specification: the implementation may do whatever this model can do, as seen from outside. A
// sequential spec is the special case in which each operation is one step.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "linpoint/refine/allowed_configuration_sets.hpp"

namespace linpoint::refine {

class ModelSystem final : public System {
 public:
  /// Whether two results are equal: values of the implementation and of the specification, whose codes differ.
  using Same = std::function<bool(const std::vector<Slot>&, const std::vector<Slot>&)>;

  /// `program` must not be fused or sorted; `invocations` maps each invocation of the implementation to its number
  /// there.
  ModelSystem(const Program& program, std::vector<unsigned> invocations, Same same);
  ~ModelSystem() override;

  Configuration initial() override;
  void call(const std::uint32_t* from, unsigned process, unsigned invocation, Configurations& out) override;
  void unseen(const std::uint32_t* from, Configurations& out) override;
  void linearize(const std::uint32_t* from, unsigned process, Configurations& out) override;
  void give_back(const std::uint32_t* from, unsigned process, unsigned result, const std::vector<Slot>& values,
                 Configurations& out) override;
  bool is_done(const std::uint32_t* from, unsigned process) override;
  void swap(const std::uint32_t* from, unsigned first, Configurations& out) override;

  /// A fault in the specification itself, or 0.
  [[nodiscard]] unsigned fault() const;
  [[nodiscard]] unsigned faulty_instruction() const;

 private:
  class Stepper;
  const Program& program_;
  std::vector<unsigned> invocations_;
  Same same_;
  std::unique_ptr<Stepper> stepper_;
};

}  // namespace linpoint::refine
