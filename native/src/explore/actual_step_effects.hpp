// SPDX-License-Identifier: Apache-2.0
// The effects of a step, compared with what was known before it.
#pragma once

#include <algorithm>
#include <span>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::explore {

/// Which kinds of clock access a step had.
struct ClockUse {
  bool called = false;
  bool returned = false;
};

inline ClockUse clock_use(std::span<const Access> accesses) {
  ClockUse use;
  for (const Access& access : accesses) {
    use.called |= access.mode == Mode::kCall;
    use.returned |= access.mode == Mode::kReturn;
  }
  return use;
}

/// Whether a step did more than was pending. Effects that only unblock other processes do not count: these wait for a
/// write.
inline bool exceeds(std::span<const Access> pending, std::span<const Access> event) {
  return std::any_of(event.begin(), event.end(), [&](const Access& done) {
    if (done.mode != Mode::kRead && done.mode != Mode::kWrite) return false;
    return std::none_of(pending.begin(), pending.end(), [&](const Access& known) {
      return known.begin <= done.begin && done.end <= known.end &&
             (known.mode == done.mode || known.mode != Mode::kRead);
    });
  });
}

/// Whether all accesses name the same single place. Then a failed attempt has read exactly what it would have written,
/// and the step that makes it fail writes that place, or a part of it. If the attempt's process ends with the step and
/// unblocks others, that does not affect why it failed.
inline bool is_one_place(std::span<const Access> pending, std::span<const Access> event, bool whole) {
  const Access* place = nullptr;
  const auto lets_go = [&](const Access& access) {
    return access.mode == Mode::kRelease && std::find(pending.begin(), pending.end(), access) == pending.end();
  };
  for (const std::span<const Access>& accesses : {pending, event})
    for (const Access& access : accesses) {
      if (access.mode == Mode::kCall || access.mode == Mode::kReturn || lets_go(access)) continue;
      if (place == nullptr) place = &access;
      if (access.begin != place->begin || access.end != place->end) return false;
    }
  return whole || place == nullptr || place->end - place->begin == 1;
}

/// Whether a step wrote everything that it attempted to write.
inline bool writes_all(std::span<const Access> pending, std::span<const Access> event) {
  return std::all_of(pending.begin(), pending.end(), [&](const Access& attempted) {
    return attempted.mode != Mode::kWrite || std::any_of(event.begin(), event.end(), [&](const Access& done) {
             return done.begin <= attempted.begin && attempted.end <= done.end &&
                    (done.mode == Mode::kWrite || done.mode == Mode::kAcquire || done.mode == Mode::kRelease);
           });
  });
}

}  // namespace linpoint::explore
