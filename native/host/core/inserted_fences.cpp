// SPDX-License-Identifier: Apache-2.0
#include "host/core/inserted_fences.hpp"

#include <algorithm>
#include <charconv>

namespace linpoint::runtime {

ForcedFences forced_fences;

bool ForcedFences::choose(std::string_view text) {
  places_.clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint64_t place = 0;
    const auto [after, wrong] = std::from_chars(at, end, place);
    if (wrong != std::errc() || (after != end && *after != ',')) return false;
    places_.push_back(place);
    at = after == end ? end : after + 1;
  }
  return true;
}

void ForcedFences::locate(std::uint64_t base) {
  for (std::uint64_t& place : places_) place += base;
}

bool ForcedFences::after(const void* code) const {
  return std::find(places_.begin(), places_.end(), reinterpret_cast<std::uint64_t>(code)) != places_.end();
}

}  // namespace linpoint::runtime
