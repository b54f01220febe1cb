// SPDX-License-Identifier: Apache-2.0
// Functions that nobody interrupts, as if each were an atomic block: `--atomic`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

class AtomicFunctions {
 public:
  /// `text` is as in `--atomic`, "begin-end,begin-end", from the program's first address. False if it is not.
  bool choose(std::string_view text);
  /// The program is there, and begins at this address.
  void locate(std::uint64_t base);

  [[nodiscard]] bool any() const { return !ranges_.empty(); }
  /// The running thread has called a function, with code at this address.
  void enter(const void* code);
  /// And has left the one that it called last, and not left.
  static void leave();

 private:
  std::vector<Range> ranges_;  ///< in order
};

extern AtomicFunctions atomic_functions;

}  // namespace linpoint::runtime
