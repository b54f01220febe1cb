// SPDX-License-Identifier: Apache-2.0
#include "host/core/caller_addresses.hpp"

#include <link.h>
#include <unwind.h>

#include <cstdint>
#include <vector>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

namespace {

/// The code ranges of the program in memory; it is loaded once.
const std::vector<Range>& code_of_program() {
  static const std::vector<Range> code = [] {
    std::vector<Range> found;
    const auto add = [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
      if (options.target != info->dlpi_name) return 0;
      for (unsigned at = 0; at < info->dlpi_phnum; ++at) {
        const ElfW(Phdr) & header = info->dlpi_phdr[at];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
        const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
        static_cast<std::vector<Range>*>(data)->push_back({begin, begin + header.p_memsz});
      }
      return 0;
    };
    dl_iterate_phdr(add, &found);
    return found;
  }();
  return code;
}

bool of_program(std::uintptr_t address) {
  for (const Range& range : code_of_program())
    if (range.begin <= address && address < range.end) return true;
  return false;
}

struct Search {
  std::uintptr_t found = 0;
  std::uintptr_t last = 0;  ///< frames beyond it are invalid: the stack begins there
  int left = 64;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (of_program(address)) search.found = address;
  const bool over = search.found != 0 || address == 0 || --search.left == 0 || _Unwind_GetCFA(context) >= search.last;
  return over ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

const void* caller_in_program(const void* caller) {
  if (of_program(reinterpret_cast<std::uintptr_t>(caller))) return caller;
  // The first frame of the stack belongs to the host, and needs some room.
  constexpr std::uintptr_t kFirstFrame = 256;
  Search search{.last = stack_of(current_thread()).end - kFirstFrame};
  _Unwind_Backtrace(look, &search);
  return search.found == 0 ? caller : reinterpret_cast<const void*>(search.found);
}

}  // namespace linpoint::runtime
