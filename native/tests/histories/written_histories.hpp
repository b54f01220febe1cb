// SPDX-License-Identifier: Apache-2.0
// Histories as tests write them: one line an operation.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"

namespace linpoint::tests {

using histories::Columns;
using histories::kNever;
using histories::kNoHint;
using histories::kNone;
using histories::kObject;
using histories::Outcome;

/// An operation; what a test does not care for is left out.
struct Op {
  std::int32_t process = 0;
  std::int64_t call = 0;
  std::int64_t ret = kNever;
  Outcome outcome = Outcome::kOk;
  std::int32_t name = 0;
  std::vector<std::int32_t> args{};
  std::int32_t result = 0;
  std::int32_t key = kNone;
  std::int64_t hint = kNoHint;
};

/// A crash of one process, of everything, or of the object alone (kObject).
struct CrashOf {
  std::int64_t time = 0;
  std::int32_t process = kNone;
};

inline Columns columns_of(const std::vector<Op>& ops, const std::vector<CrashOf>& crashes = {}, std::int64_t skew = 0) {
  Columns columns;
  columns.first_argument.push_back(0);
  bool hinted = false;
  for (const Op& op : ops) {
    columns.process.push_back(op.process);
    columns.call.push_back(op.call);
    columns.ret.push_back(op.ret);
    columns.end.push_back(op.ret == kNever ? kNever : op.ret + skew);
    columns.outcome.push_back(static_cast<std::uint8_t>(op.outcome));
    columns.key.push_back(op.key);
    columns.name.push_back(op.name);
    columns.result.push_back(op.result);
    columns.arguments.insert(columns.arguments.end(), op.args.begin(), op.args.end());
    columns.first_argument.push_back(static_cast<std::int32_t>(columns.arguments.size()));
    columns.hint.push_back(op.hint);
    hinted = hinted || op.hint != kNoHint;
  }
  if (!hinted) columns.hint.clear();
  for (const CrashOf& crash : crashes)
    columns.crashes.push_back({crash.time, crash.time - skew, crash.time + skew, crash.process});
  columns.skewed = skew > 0;
  return columns;
}

/// All positions of a history.
inline std::vector<std::int32_t> everything(const Columns& columns) {
  std::vector<std::int32_t> positions(columns.size());
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int32_t>(i);
  return positions;
}

}  // namespace linpoint::tests
