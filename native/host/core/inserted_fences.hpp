// SPDX-License-Identifier: Apache-2.0
// Fences inserted after some stores of the program, to find out whether they would fix it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace linpoint::runtime {

class ForcedFences {
 public:
  /// The addresses of the stores in the target, as in "1200,1300"; false if the text is invalid.
  bool choose(std::string_view text);
  /// The target is loaded at this address.
  void locate(std::uint64_t base);
  /// Whether a fence is inserted after the store at this address.
  [[nodiscard]] bool after(const void* code) const;

 private:
  std::vector<std::uint64_t> places_;
};

extern ForcedFences forced_fences;

}  // namespace linpoint::runtime
