// SPDX-License-Identifier: Apache-2.0
// Functions that are not interrupted, as if each were an atomic block: `--atomic`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

class AtomicFunctions {
 public:
  /// `text` is as in `--atomic`, "begin-end,begin-end", relative to the program's first address. False if it is
  /// invalid.
  bool choose(std::string_view text);
  /// The program is loaded at this address.
  void locate(std::uint64_t base);

  [[nodiscard]] bool any() const { return !ranges_.empty(); }
  /// The running thread has called a function, with code at this address.
  void enter(const void* code);
  /// The running thread has left the function that it entered last.
  static void leave();

 private:
  std::vector<Range> ranges_;  ///< ascending
};

extern AtomicFunctions atomic_functions;

}  // namespace linpoint::runtime
