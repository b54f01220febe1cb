// SPDX-License-Identifier: Apache-2.0
// The register that locates thread-local storage, and the entry function of fibers.
#pragma once

#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace linpoint::runtime {

/// The base of thread-local storage. The instruction is fast, but old kernels do not allow it.
class StorageBase {
 public:
  StorageBase() : direct_((getauxval(AT_HWCAP2) & 2U) != 0) {}

  [[nodiscard]] void* get() const {
    void* base = nullptr;
    if (direct_)
      asm volatile("rdfsbase %0" : "=r"(base));
    else
      syscall(SYS_arch_prctl, ARCH_GET_FS, &base);
    return base;
  }
  void set(void* base) const {
    if (direct_)
      asm volatile("wrfsbase %0" ::"r"(base) : "memory");
    else
      syscall(SYS_arch_prctl, ARCH_SET_FS, base);
  }

 private:
  bool direct_;
};

extern const StorageBase storage_base;

/// The function in which each fiber begins.
void enter_thread();

}  // namespace linpoint::runtime
