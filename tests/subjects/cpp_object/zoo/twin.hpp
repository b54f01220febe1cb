// SPDX-License-Identifier: Apache-2.0
// Which twin is compiled: the correct one, or with -DLINPOINT_BROKEN (=1, 2, ...) the one with that flaw.
//
// A structure has an enumeration of its flaws, of which the first is none, and takes one as a template parameter. All
// else is shared, so that whatever a test finds is due to the flaw.
//
// Where an algorithm was published for a machine with a garbage collector, what was taken out is not given back while
// the process runs, since somebody may still look at it. How it can be is a matter of its own: hazard_pointers.hpp.
#pragma once

namespace zoo {

#ifdef LINPOINT_BROKEN
inline constexpr int kBroken = LINPOINT_BROKEN;
#else
inline constexpr int kBroken = 0;
#endif

template <typename Flaw>
inline constexpr Flaw kTwin = static_cast<Flaw>(kBroken);

}  // namespace zoo
