// SPDX-License-Identifier: Apache-2.0
// Large blocks that are kept for the next vector while something fills many of them.
#pragma once

namespace linpoint::bindings {

/// While one exists, large blocks are kept; with the last of them they are given back.
class KeepingBlocks {
 public:
  KeepingBlocks();
  ~KeepingBlocks();
  KeepingBlocks(const KeepingBlocks&) = delete;
  KeepingBlocks& operator=(const KeepingBlocks&) = delete;
};

}  // namespace linpoint::bindings
