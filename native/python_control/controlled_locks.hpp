// SPDX-License-Identifier: Apache-2.0
// The locks that processes under control use. Outside a run they are locks without contention.
#pragma once

#include "python_control/thread_controller.hpp"

namespace linpoint::control {

/// threading.Lock: any thread may release it.
class Lock {
 public:
  [[nodiscard]] bool acquire(bool blocking, double timeout) { return control().acquire(resource_, blocking, timeout); }
  void release();
  [[nodiscard]] bool locked() const { return control().held(resource_); }
  [[nodiscard]] Process owner() const { return locked() ? resource_.owner : explore::kNobody; }
  [[nodiscard]] const Resource& resource() const { return resource_; }

 private:
  Resource resource_;
};

/// threading.RLock: its owner may acquire it again, and no other thread may release it.
class ReentrantLock {
 public:
  [[nodiscard]] bool acquire(bool blocking, double timeout);
  void release();
  [[nodiscard]] bool locked() const { return control().held(resource_); }
  [[nodiscard]] bool is_mine() const;
  [[nodiscard]] Process owner() const { return locked() ? resource_.owner : explore::kNobody; }
  [[nodiscard]] const Resource& resource() const { return resource_; }
  /// Releases it completely, and returns how often it was acquired: for conditions.
  [[nodiscard]] std::uint64_t release_all();
  void acquire_again(std::uint64_t count);

 private:
  Resource resource_;
  std::uint64_t count_ = 0;
};

void bind_locks(nb::module_& m);

}  // namespace linpoint::control
