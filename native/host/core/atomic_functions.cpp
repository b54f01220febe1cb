// SPDX-License-Identifier: Apache-2.0
#include "host/core/atomic_functions.hpp"

#include <algorithm>
#include <charconv>

#include "host/core/scheduler.hpp"

extern "C" {
void linpoint_enter_atomic();
void linpoint_leave_atomic();
}

namespace linpoint::runtime {

AtomicFunctions atomic_functions;

bool AtomicFunctions::choose(std::string_view text) {
  ranges_.clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    Range range{};
    const auto [middle, wrong] = std::from_chars(at, end, range.begin);
    if (wrong != std::errc() || middle == end || *middle != '-') return false;
    const auto [after, wrong_too] = std::from_chars(middle + 1, end, range.end);
    if (wrong_too != std::errc() || (after != end && *after != ',')) return false;
    ranges_.push_back(range);
    at = after == end ? end : after + 1;
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& one, const Range& two) { return one.begin < two.begin; });
  return true;
}

void AtomicFunctions::locate(std::uint64_t base) {
  for (Range& range : ranges_) range = {range.begin + base, range.end + base};
}

void AtomicFunctions::enter(const void* code) {
  Task& task = scheduler.running();
  ++task.functions;
  if (task.atomic_function != 0) return;
  const auto address = reinterpret_cast<std::uint64_t>(code);
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](std::uint64_t wanted, const Range& range) { return wanted < range.begin; });
  if (after == ranges_.begin() || address >= std::prev(after)->end) return;
  task.atomic_function = task.functions;
  linpoint_enter_atomic();
}

void AtomicFunctions::leave() {
  Task& task = scheduler.running();
  if (task.functions == 0) return;
  if (task.functions-- != task.atomic_function) return;
  task.atomic_function = 0;
  linpoint_leave_atomic();
}

}  // namespace linpoint::runtime
