// SPDX-License-Identifier: Apache-2.0
// Fences that the program does not have, after some of its stores: to find out whether they would mend it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace linpoint::runtime {

class ForcedFences {
 public:
  /// Where stores are in the target, as in "1200,1300"; false if that cannot be read.
  bool choose(std::string_view text);
  /// The target is at this address.
  void locate(std::uint64_t base);
  /// Whether there is one after the store that is made here.
  [[nodiscard]] bool after(const void* code) const;

 private:
  std::vector<std::uint64_t> places_;
};

extern ForcedFences forced_fences;

}  // namespace linpoint::runtime
