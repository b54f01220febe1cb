// SPDX-License-Identifier: Apache-2.0
#include "host/base/code_modules.hpp"

#include <link.h>

#include <algorithm>

namespace linpoint::runtime {

void CodePlaces::collect() {
  modules_.clear();
  segments_.clear();
  const auto add = [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
    auto& self = *static_cast<CodePlaces*>(data);
    const std::size_t number = self.modules_.size();
    self.modules_.push_back({info->dlpi_name, info->dlpi_addr});
    for (unsigned at = 0; at < info->dlpi_phnum; ++at) {
      const ElfW(Phdr) & header = info->dlpi_phdr[at];
      if (header.p_type != PT_LOAD) continue;
      const std::uint64_t begin = info->dlpi_addr + header.p_vaddr;
      self.segments_.push_back({begin, begin + header.p_memsz, number});
    }
    return 0;
  };
  dl_iterate_phdr(add, this);
}

std::size_t CodePlaces::of(std::uint64_t address) const {
  const auto found = std::find_if(segments_.begin(), segments_.end(), [&](const Segment& segment) {
    return segment.begin <= address && address < segment.end;
  });
  return found == segments_.end() ? kNone : found->module;
}

}  // namespace linpoint::runtime
