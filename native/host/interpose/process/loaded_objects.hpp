// SPDX-License-Identifier: Apache-2.0
// The shared objects of this process: those of the system, and those of the program under control.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "host/base/host_memory.hpp"
#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

/// The address ranges of one kind of code.
class Code {
 public:
  [[nodiscard]] bool contains(const void* code) const {
    const auto address = reinterpret_cast<std::uintptr_t>(code);
    return std::ranges::any_of(ranges_,
                               [&](const Range& range) { return address - range.begin < range.end - range.begin; });
  }
  void add(Range range) { ranges_.push_back(range); }

 private:
  HostVector<Range> ranges_;
};

/// Code whose calls do not count as the program's: of the C library, the loader and the unwinder.
extern Code the_system_code;
[[nodiscard]] inline const Code& system_code() { return the_system_code; }
/// The program and its own libraries.
extern Code the_program_code;
[[nodiscard]] inline const Code& program_code() { return the_program_code; }
void find_system_code();

struct SharedObject {
  HostString path;
  HostVector<Range> writable;      ///< without data that are read-only after relocation
  std::size_t storage_number = 0;  ///< of its thread-local storage; 0 if it has none
  std::size_t storage_size = 0;
  bool instrumented = false;
  /// It uses thread-local variables of other objects, such as errno or those of std::call_once.
  bool uses_storage = false;
};

/// The program and the non-system libraries loaded with it; the C++ library separately, since the program changes its
/// state too.
struct SharedObjects {
  HostVector<SharedObject> program;
  SharedObject standard;
};

/// Called once the program is loaded.
[[nodiscard]] SharedObjects find_shared_objects();

}  // namespace linpoint::runtime
