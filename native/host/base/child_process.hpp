// SPDX-License-Identifier: Apache-2.0
// Child processes of the host that never outlive it.
#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

namespace linpoint::runtime {

/// Like fork(), but the kernel kills the child when the parent ends.
inline pid_t fork_tied_to_parent() {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) _exit(1);  // the parent ended before the request
  }
  return child;
}

}  // namespace linpoint::runtime
