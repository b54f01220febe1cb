// SPDX-License-Identifier: Apache-2.0
#include "specs/unseen_values.hpp"

namespace linpoint::specs {

ValueSet values_seen(std::span<const Instruction> code) {
  ValueSet seen;
  for (const Instruction& op : code) {
    seen.insert(op.want);
    if (op.code == Code::kCas || op.code == Code::kCasEntry) seen.insert(op.first);
  }
  return seen;
}

void merge_unseen(std::span<Instruction> code, const ValueSet& seen) {
  for (Instruction& op : code) {
    switch (op.code) {
      case Code::kWrite:
      case Code::kSwap:
      case Code::kPut:
      case Code::kInsert:
      case Code::kEnqueue:
      case Code::kPush:
      case Code::kPushFront:
        if (!seen.contains(op.first)) op.first = kUnseen;
        break;
      case Code::kCas:
      case Code::kCasEntry:
        if (!seen.contains(op.second)) op.second = kUnseen;
        break;
      default:
        break;
    }
  }
}

}  // namespace linpoint::specs
