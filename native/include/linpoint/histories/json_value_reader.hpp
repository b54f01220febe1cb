// SPDX-License-Identifier: Apache-2.0
// Values of operations in JSON: lists and objects become runs of tokens.
//
// Guarantee: a list is kept as tokens if all its items, at any depth, are null, true, false, integers of 64 bits,
// strings without escapes, lists, or objects whose names differ; any other list is kept as JSON text. Text must satisfy
// `json_scan.hpp`. Cost: about two nanoseconds per character.
#pragma once

#include <vector>

#include "linpoint/histories/distinct_names.hpp"
#include "linpoint/histories/token.hpp"
#include "linpoint/histories/value_store.hpp"

namespace linpoint::histories {

class JsonValueReader {
 public:
  // Each takes the position where an item begins and returns where it ends, or null if it cannot be read.
  const char* read(const char* at, ValueStore& store, Token& token);
  const char* read_arguments(const char* at, ValueStore& store, std::vector<Token>& arguments);
  /// Reads two clock readings. Anything but a list of two times is ignored, since it is only displayed.
  static const char* read_clocks(const char* at, ClockReadings& clocks);

 private:
  const char* read_list(const char* at, ValueStore& store);
  const char* read_items(const char* at, int depth, ValueStore& store);
  const char* read_item(const char* at, int depth, ValueStore& store);
  const char* read_name(const char* at, ValueStore& store);

  DistinctNames names_;
};

}  // namespace linpoint::histories
