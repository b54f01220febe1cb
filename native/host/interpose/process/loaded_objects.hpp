// SPDX-License-Identifier: Apache-2.0
// The shared objects of this process: which belong to the system, and which to the program under control.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "host/base/host_memory.hpp"
#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

/// Where code of one kind lies.
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

/// Code whose calls are none of the program's: of the C library, the loader and the unwinder.
extern Code the_system_code;
[[nodiscard]] inline const Code& system_code() { return the_system_code; }
/// The program and what came with it.
extern Code the_program_code;
[[nodiscard]] inline const Code& program_code() { return the_program_code; }
void find_system_code();

struct SharedObject {
  HostString path;
  HostVector<Range> writable;      ///< without what is read-only once it is relocated
  std::size_t storage_number = 0;  ///< of its thread-local storage; 0 if it has none
  std::size_t storage_size = 0;
  bool instrumented = false;
  /// It uses thread-local variables of others, as errno or those of std::call_once.
  bool uses_storage = false;
};

/// The program and whatever came with it that is not of the system; the C++ library apart, since the program changes
/// its state too.
struct SharedObjects {
  HostVector<SharedObject> program;
  SharedObject standard;
};

/// Once the program is loaded.
[[nodiscard]] SharedObjects find_shared_objects();

}  // namespace linpoint::runtime
