// SPDX-License-Identifier: Apache-2.0
// Keeps large blocks for reuse while many large vectors are filled.
#pragma once

namespace linpoint::bindings {

/// While one exists, freed large blocks are kept; the last one to be destroyed releases them.
class KeepingBlocks {
 public:
  KeepingBlocks();
  ~KeepingBlocks();
  KeepingBlocks(const KeepingBlocks&) = delete;
  KeepingBlocks& operator=(const KeepingBlocks&) = delete;
};

}  // namespace linpoint::bindings
