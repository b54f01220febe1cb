// SPDX-License-Identifier: Apache-2.0
// Specifications of models that call Python: sequential specs, and other models.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include "linpoint/refine/model_as_spec.hpp"
#include "linpoint/refine/sequential_spec_system.hpp"

namespace linpoint::bindings {

namespace nb = nanobind;

/// A specification that calls Python. An exception ends the search, and is rethrown where the search returns.
class AskingSystem {
 public:
  AskingSystem() = default;
  AskingSystem(const AskingSystem&) = delete;
  AskingSystem& operator=(const AskingSystem&) = delete;
  virtual ~AskingSystem() = default;
  virtual refine::System& system() = 0;

  void use(search::StopToken& stop) { stop_ = &stop; }
  /// The thread that is inside Python now; 0 for none.
  [[nodiscard]] unsigned long caller() const { return caller_.load(); }
  void rethrow() {
    if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
  }

 protected:
  template <class Work>
  void inside(Work work) {
    const nb::gil_scoped_acquire gil;
    caller_.store(PyThread_get_thread_ident());
    try {
      work();
    } catch (const std::exception&) {
      if (!raised_) raised_ = std::current_exception();
      if (stop_ != nullptr) stop_->stop(search::StopReason::kRequest);
    }
    caller_.store(0);
  }

 private:
  search::StopToken* stop_ = nullptr;
  std::exception_ptr raised_;
  std::atomic<unsigned long> caller_{0};
};

/// A sequential spec in Python.
class PythonSpec final : public AskingSystem {
 public:
  PythonSpec(unsigned processes, unsigned invocations, std::uint32_t initial, bool by_process, nb::callable apply,
             nb::callable allows)
      : apply_(std::move(apply)),
        allows_(std::move(allows)),
        system_(
            processes, invocations, initial, by_process,
            [this](std::uint32_t state, unsigned process, unsigned invocation,
                   refine::SequentialSystem::Outcomes& out) {
              inside([&] {
                for (const nb::handle each : apply_(state, process, invocation))
                  out.push_back(nb::cast<std::pair<std::uint32_t, std::uint32_t>>(each));
              });
            },
            [this](unsigned invocation, std::uint32_t result, const std::vector<refine::Slot>& values) {
              bool answer = false;
              inside([&] { answer = nb::cast<bool>(allows_(invocation, result, values)); });
              return answer;
            }) {}

  refine::System& system() override { return system_; }
  [[nodiscard]] std::pair<int, int> status(std::uint32_t number) const { return system_.status(number); }

 private:
  nb::callable apply_;
  nb::callable allows_;
  refine::SequentialSystem system_;
};

/// Another model as the specification.
class AbstractModel final : public AskingSystem {
 public:
  AbstractModel(nb::object program, std::vector<unsigned> invocations, nb::callable same)
      : program_(std::move(program)),
        same_(std::move(same)),
        system_(nb::cast<const refine::Program&>(program_), std::move(invocations),
                [this](const std::vector<refine::Slot>& one, const std::vector<refine::Slot>& other) {
                  const std::pair<std::vector<refine::Slot>, std::vector<refine::Slot>> key{one, other};
                  if (const auto found = known_.find(key); found != known_.end()) return found->second;
                  bool answer = false;
                  inside([&] { answer = nb::cast<bool>(same_(one, other)); });
                  known_.emplace(key, answer);
                  return answer;
                }) {}

  refine::System& system() override { return system_; }
  /// A fault in the specification itself, and its instruction.
  [[nodiscard]] std::pair<unsigned, unsigned> fault() const { return {system_.fault(), system_.faulty_instruction()}; }

 private:
  nb::object program_;
  nb::callable same_;
  std::map<std::pair<std::vector<refine::Slot>, std::vector<refine::Slot>>, bool> known_;
  refine::ModelSystem system_;
};

}  // namespace linpoint::bindings
