// SPDX-License-Identifier: Apache-2.0
#include "monitors/register.hpp"

namespace linpoint::monitors {

using histories::kNone;

std::vector<std::int32_t> values_of(std::span<const Access> accesses) {
  std::vector<std::int32_t> values;
  for (const Access& access : accesses) {
    if (observes(access)) values.push_back(access.old);
    if (changes(access)) values.push_back(access.now);
  }
  return values;
}

Exclusion AccessReader::read(const Instruction& what, Access& access) const {
  if (const Exclusion why = entry() ? entry_access(what, access) : register_access(what, access);
      why != Exclusion::kNone)
    return why;
  if (entry() && access.now == blueprint_.constants.null) return Exclusion::kNull;
  if (access.act == Act::kReplace && access.old == access.now) access.act = Act::kRead;
  return Exclusion::kNone;
}

Exclusion AccessReader::register_access(const Instruction& what, Access& access) const {
  switch (what.code) {
    case Code::kRead:
      access.old = what.want;
      return Exclusion::kNone;
    case Code::kWrite:
      access.act = Act::kWrite;
      access.now = what.first;
      return Exclusion::kNone;
    case Code::kSwap:  // with an unknown outcome the value it replaced is unknown: a write
      access.act = access.optional ? Act::kWrite : Act::kReplace;
      access.old = what.want;
      access.now = what.first;
      return Exclusion::kNone;
    case Code::kCas:
      return compare(what, what.first, what.second, access);
    default:
      return Exclusion::kResult;
  }
}

Exclusion AccessReader::compare(const Instruction& what, std::int32_t old, std::int32_t now, Access& access) const {
  access.old = old;
  if (no(what)) {
    access.act = Act::kDiffers;
    return Exclusion::kNone;
  }
  if (!yes(what) && !access.optional) return Exclusion::kResult;
  access.act = Act::kReplace;
  access.now = now;
  return Exclusion::kNone;
}

Exclusion AccessReader::entry_access(const Instruction& what, Access& access) const {
  const auto absent = [&](std::int32_t value) { return value == blueprint_.constants.null ? kAbsent : value; };
  switch (what.code) {
    case Code::kGet:
      access.old = absent(what.want);
      return Exclusion::kNone;
    case Code::kPut:
      access.act = Act::kWrite;
      access.now = what.first;
      return Exclusion::kNone;
    case Code::kInsert:
      return compare(what, kAbsent, what.first, access);
    case Code::kCasEntry:
      return compare(what, absent(what.first), what.second, access);
    case Code::kDelete:
      access.old = kAbsent;
      if (no(what)) return Exclusion::kNone;
      // Whatever was there, it is absent afterwards; the replay checks that something was there.
      access.act = Act::kWrite;
      access.now = kAbsent;
      return Exclusion::kNone;
    case Code::kContains:
      access.old = kAbsent;
      if (yes(what)) access.act = Act::kDiffers;
      return yes(what) || no(what) || access.optional ? Exclusion::kNone : Exclusion::kResult;
    case Code::kAppend:
      return Exclusion::kOperation;
    default:
      return Exclusion::kResult;
  }
}

}  // namespace linpoint::monitors
